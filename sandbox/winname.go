package sandbox

import (
	"path"
	"strings"
)

// windowsName cleans a path as Windows spells it and refuses what would not name
// a file of a local drive: UNC and device paths, alternate data streams, reserved
// device names, and names that the system would change (final dot or space).
func windowsName(name string) (string, bool, error) {
	name = strings.ReplaceAll(name, `\`, "/")
	if strings.HasPrefix(name, "//") {
		return "", false, nameError("network and device paths cannot be used: give a path on a local drive")
	}
	drive := ""
	switch {
	case isDrive(name):
		drive, name = strings.ToUpper(name[:2]), name[2:]
		if name == "" || name[0] != '/' {
			return "", false, nameError("a path with a drive must be absolute, as in C:/folder")
		}
	case name[0] == '/':
		return "", false, nameError("an absolute path needs its drive, as in C:/folder")
	}
	name = path.Clean(name)
	for n := range strings.SplitSeq(name, "/") {
		if err := checkWindowsPart(n); err != nil {
			return "", false, err
		}
	}
	return drive + name, drive != "", nil
}

func checkWindowsPart(n string) error {
	if n == "" || n == "." || n == ".." {
		return nil
	}
	if strings.ContainsAny(n, `:<>"|?*`) {
		return nameError(`a name holds one of : < > " | ? *, which Windows does not allow`)
	}
	for i := range len(n) {
		if n[i] < ' ' {
			return nameError("a name holds a control character")
		}
	}
	if last := n[len(n)-1]; last == '.' || last == ' ' {
		return nameError("a name ends in a dot or space, which Windows would drop")
	}
	stem, _, _ := strings.Cut(n, ".")
	stem = strings.ToUpper(strings.TrimRight(stem, " "))
	switch stem {
	case "CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$":
		return nameError("a name is reserved for a device")
	}
	if rest, ok := strings.CutPrefix(stem, "COM"); ok && isPort(rest) {
		return nameError("a name is reserved for a device")
	}
	if rest, ok := strings.CutPrefix(stem, "LPT"); ok && isPort(rest) {
		return nameError("a name is reserved for a device")
	}
	return nil
}

func isPort(s string) bool {
	return len(s) == 1 && s[0] >= '0' && s[0] <= '9' || s == "¹" || s == "²" || s == "³"
}

func isDrive(s string) bool {
	return len(s) >= 2 && s[1] == ':' && (s[0]|0x20) >= 'a' && (s[0]|0x20) <= 'z'
}
