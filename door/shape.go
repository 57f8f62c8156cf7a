package door

// Clients check the list as a whole: one tool with a member of a wrong type costs them all the others, ours too.
// So such a tool is left out; what is null was taken out before (see withoutNulls).

// wellShaped reports whether the members of a tool that the protocol knows have their types.
func wellShaped(raw []byte) bool {
	s := scanner{b: raw}
	for s.enter(); s.member(); {
		name, ok := string(s.name()), true
		switch value := s.value(1); name {
		case "title", "description":
			ok = isString(value)
		case "annotations":
			ok = isObject(value) && hints(value)
		case "_meta", "execution":
			ok = isObject(value)
		case "icons":
			ok = value[0] == '['
		case "outputSchema":
			ok = objectSchema(value)
		}
		if !ok {
			return false
		}
	}
	return true
}

func hints(raw []byte) bool {
	s := scanner{b: raw}
	for s.enter(); s.member(); {
		name, ok := string(s.name()), true
		switch value := s.value(2); name {
		case "title":
			ok = isString(value)
		case "readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint":
			ok = string(value) == "true" || string(value) == "false"
		}
		if !ok {
			return false
		}
	}
	return true
}

// objectSchema reports whether a value is a schema of an object, with properties and required of their types.
func objectSchema(raw []byte) bool {
	if !isObject(raw) {
		return false
	}
	typed := false
	s := scanner{b: raw}
	for s.enter(); s.member(); {
		switch string(s.name()) {
		case "type":
			typed = string(s.value(2)) == `"object"`
		case "properties":
			if !s.at('{') {
				return false
			}
			for s.enter(); s.member(); {
				if !isObject(s.value(3)) {
					return false
				}
			}
		case "required":
			if !s.at('[') {
				return false
			}
			for s.enter(); s.element(); {
				if !isString(s.value(3)) {
					return false
				}
			}
		default:
			s.value(2)
		}
	}
	return typed
}
