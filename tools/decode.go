package tools

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Decode fills the struct that in points to from the arguments. Fields are matched by their json tag. Leniency:
// numbers and booleans may be given as strings, a single string for a list of strings, a JSON text for an object
// or a list; a time.Duration is a number of milliseconds or text such as "30s"; null is absent. A field may be a
// pointer to tell absent from zero, or a json.RawMessage to take anything. A value of another type is an
// INVALID_PARAMS error that names the parameter.
func (a Args) Decode(in any) error {
	return decodeStruct(a.members, reflect.ValueOf(in).Elem(), "")
}

type field struct {
	name    string
	aliases []string
	index   []int
}

var fieldCache sync.Map // reflect.Type → []field

// fieldsOf lists the fields of a struct type with their names (json tag) and aliases (alias tag, comma-separated).
func fieldsOf(t reflect.Type) []field {
	if cached, ok := fieldCache.Load(t); ok {
		return cached.([]field)
	}
	list := appendFields(nil, t, nil)
	fieldCache.Store(t, list)
	return list
}

// appendFields adds the fields of t, which lies at index of the outermost struct, and of the structs embedded in it.
// An argument struct shadows no name, so the care of reflect.VisibleFields is not needed.
func appendFields(list []field, t reflect.Type, index []int) []field {
	for i := range t.NumField() {
		f := t.Field(i)
		at := append(index[:len(index):len(index)], i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "" && f.Anonymous && f.Type.Kind() == reflect.Struct {
			list = appendFields(list, f.Type, at)
		}
		if name == "" || name == "-" {
			continue
		}
		one := field{name: name, index: at}
		if alias := f.Tag.Get("alias"); alias != "" {
			one.aliases = strings.Split(alias, ",")
		}
		list = append(list, one)
	}
	return list
}

func fieldNames[In any]() []string {
	var names []string
	for _, f := range fieldsOf(reflect.TypeFor[In]()) {
		names = append(names, f.name)
	}
	return names
}

// decodeStruct decodes members into v. For a nested object (where is its name) unknown and doubled members are
// refused, since nobody else has looked at them.
func decodeStruct(list []member, v reflect.Value, where string) error {
	fields := fieldsOf(v.Type())
	set := make([]bool, len(fields))
members:
	for _, m := range list {
		if string(m.raw) == "null" {
			continue
		}
		key := m.name
		if where != "" {
			key = snake(key)
		}
		for i, f := range fields {
			match := f.name == key
			for _, alias := range f.aliases {
				match = match || alias == key
			}
			if !match {
				continue
			}
			if set[i] {
				return Errorf(InvalidParams, "%s%s is given twice; give it once", where, m.name).With(Details{Param: where + m.name})
			}
			set[i] = true
			if err := decodeValue(m.raw, v.FieldByIndex(f.index), where+f.name); err != nil {
				return err
			}
			continue members
		}
		if where != "" {
			names := make([]string, len(fields))
			for i, f := range fields {
				names[i] = f.name
			}
			return Errorf(InvalidParams, "%s%s is not known; use %s", where, m.name, strings.Join(names, ", ")).
				With(Details{Param: where + m.name, Available: names, Nearest: Nearest(key, names)})
		}
	}
	return nil
}

var (
	durationType = reflect.TypeFor[time.Duration]()
	rawType      = reflect.TypeFor[json.RawMessage]()
)

func decodeValue(raw json.RawMessage, v reflect.Value, where string) error {
	switch v.Type() {
	case rawType:
		v.SetBytes(raw)
		return nil
	case durationType:
		d, err := lenientDuration(raw)
		if err != nil {
			return typeError(where, "a number of milliseconds, or text such as \"30s\"", raw)
		}
		v.SetInt(int64(d))
		return nil
	}
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		return decodeValue(raw, v.Elem(), where)
	case reflect.String:
		switch raw[0] {
		case '"':
			var s string
			if err := json.Unmarshal(raw, &s); err != nil {
				return typeError(where, "string", raw)
			}
			v.SetString(s)
			return nil
		}
		if n, err := strconv.ParseUint(string(raw), 10, 63); err == nil && where == "cursor" { // one of digits reads like a number
			v.SetString(strconv.FormatUint(n, 10))
			return nil
		}
		return typeError(where, "string", raw)
	case reflect.Bool:
		b, err := lenientBool(raw)
		if err != nil {
			return typeError(where, "boolean", raw)
		}
		v.SetBool(b)
		return nil
	case reflect.Int, reflect.Int64:
		n, err := lenientInt(raw)
		if err != nil {
			return typeError(where, "integer", raw)
		}
		v.SetInt(n)
		return nil
	case reflect.Float64:
		f, err := strconv.ParseFloat(unquoted(raw), 64)
		if err != nil || math.IsNaN(f) || math.IsInf(f, 0) {
			return typeError(where, "number", raw)
		}
		v.SetFloat(f)
		return nil
	case reflect.Slice:
		return decodeSlice(raw, v, where)
	case reflect.Struct:
		list, err := members(textAsJSON(raw, '{'))
		if err != nil {
			return typeError(where, "object", raw)
		}
		return decodeStruct(list, v, where+".")
	case reflect.Map:
		list, err := members(textAsJSON(raw, '{'))
		if err != nil {
			return typeError(where, "object", raw)
		}
		v.Set(reflect.MakeMap(v.Type()))
		for _, m := range list {
			if string(m.raw) == "null" {
				continue
			}
			item := reflect.New(v.Type().Elem()).Elem()
			if item.Kind() == reflect.String && m.raw[0] != '"' && m.raw[0] != '{' && m.raw[0] != '[' {
				item.SetString(string(m.raw)) // env: {"PORT": 8080}
			} else if err := decodeValue(m.raw, item, where+"."+m.name); err != nil {
				return err
			}
			v.SetMapIndex(reflect.ValueOf(m.name), item)
		}
		return nil
	}
	return fmt.Errorf("parameter %s: no decoding for %s", where, v.Type())
}

func decodeSlice(raw json.RawMessage, v reflect.Value, where string) error {
	elem := v.Type().Elem()
	raw = textAsJSON(raw, '[')
	if raw[0] != '[' {
		if elem.Kind() == reflect.String && raw[0] != '"' || elem.Kind() == reflect.Struct && raw[0] != '{' {
			return typeError(where, "array", raw)
		}
		one := reflect.New(elem).Elem()
		if err := decodeValue(raw, one, where); err != nil {
			return err
		}
		v.Set(reflect.Append(reflect.Zero(v.Type()), one))
		return nil
	}
	var items []json.RawMessage
	if err := json.Unmarshal(raw, &items); err != nil {
		return typeError(where, "array", raw)
	}
	out := reflect.MakeSlice(v.Type(), len(items), len(items))
	for i, item := range items {
		if err := decodeValue(item, out.Index(i), fmt.Sprintf("%s[%d]", where, i)); err != nil {
			return err
		}
	}
	v.Set(out)
	return nil
}

// textAsJSON unwraps a list or object that a client sent as JSON text inside a string.
func textAsJSON(raw json.RawMessage, open byte) json.RawMessage {
	if raw[0] != '"' {
		return raw
	}
	text := strings.TrimSpace(stringOf(raw))
	if len(text) > 1 && text[0] == open && json.Valid([]byte(text)) {
		return json.RawMessage(text)
	}
	return raw
}

func stringOf(raw json.RawMessage) string {
	var s string
	_ = json.Unmarshal(raw, &s) // the message was valid JSON as a whole
	return s
}

func unquoted(raw json.RawMessage) string {
	if raw[0] == '"' {
		return strings.TrimSpace(stringOf(raw))
	}
	return string(raw)
}

func lenientBool(raw json.RawMessage) (bool, error) {
	switch strings.ToLower(unquoted(raw)) {
	case "true":
		return true, nil
	case "false":
		return false, nil
	}
	return false, fmt.Errorf("no boolean")
}

func lenientInt(raw json.RawMessage) (int64, error) {
	text := unquoted(raw)
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return n, nil
	}
	f, err := strconv.ParseFloat(text, 64) // 10.0, 1e3
	if err != nil || f != math.Trunc(f) || math.Abs(f) > 1<<53 {
		return 0, fmt.Errorf("no integer")
	}
	return int64(f), nil
}

func lenientDuration(raw json.RawMessage) (time.Duration, error) {
	text := unquoted(raw)
	if ms, err := strconv.ParseFloat(text, 64); err == nil {
		if ms < 0 || ms > 1e12 || math.IsNaN(ms) {
			return 0, fmt.Errorf("out of range")
		}
		return time.Duration(ms * float64(time.Millisecond)), nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 {
		return 0, fmt.Errorf("no duration")
	}
	return d, nil
}

// kindOf names the JSON type of a raw value for messages.
func kindOf(raw json.RawMessage) string {
	if len(raw) == 0 {
		return "nothing"
	}
	switch raw[0] {
	case '{':
		return "object"
	case '[':
		return "array"
	case '"':
		return "string"
	case 't', 'f':
		return "boolean"
	case 'n':
		return "null"
	}
	return "number"
}

func typeError(param, expected string, raw json.RawMessage) *Error {
	return Errorf(InvalidParams, "%s must be %s, got %s", param, withArticle(expected), kindOf(raw)).
		With(Details{Param: param, Expected: expected, Actual: kindOf(raw)})
}

func withArticle(s string) string {
	if strings.Contains(s, " ") {
		return s
	}
	if strings.ContainsRune("aeiou", rune(s[0])) {
		return "an " + s
	}
	return "a " + s
}
