package settings

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// path reads a folder or file: absolute, below ~, or relative to the project in a project's file.
func (n node) path() (string, error) {
	text, err := n.filled()
	if err != nil {
		return "", err
	}
	text = n.doc.expand(text)
	switch {
	case filepath.IsAbs(text):
		return filepath.Clean(text), nil
	case n.doc.root != "":
		return filepath.Join(n.doc.root, text), nil
	}
	return "", n.fail("must be absolute or begin with ~/, not %q", clip(text))
}

// entry reads a line of a list that may also take back an earlier one ("!" in front): ~ is expanded, the rest as it is.
func (n node) entry() (string, error) {
	text, err := n.filled()
	if err != nil {
		return "", err
	}
	if back, ok := strings.CutPrefix(text, "!"); ok {
		return "!" + n.doc.expand(back), nil
	}
	return n.doc.expand(text), nil
}

// place is an entry that names one file or folder, as path does.
func (n node) place() (string, error) {
	text, err := n.entry()
	if err != nil {
		return "", err
	}
	back, taken := strings.CutPrefix(text, "!")
	switch {
	case strings.ContainsAny(back, "*?["):
		return "", n.fail("names one file or folder and takes no wildcards, not %q", clip(text))
	case filepath.IsAbs(back), taken && strings.HasPrefix(back, "~"):
		return text, nil
	case n.doc.root != "":
		return text[:len(text)-len(back)] + filepath.Join(n.doc.root, back), nil
	}
	return "", n.fail("must be absolute or begin with ~/, not %q", clip(text))
}

func (d *document) expand(text string) string {
	if text != "~" && !strings.HasPrefix(text, "~/") || d.home == "" {
		return text
	}
	return filepath.Join(d.home, text[1:])
}

// guarded is an entry of what is protected: a path, or names that are protected wherever they stand in a root.
func (n node) guarded() (string, error) {
	text, err := n.entry()
	if err != nil {
		return "", err
	}
	name := strings.TrimPrefix(text, "!")
	switch {
	case strings.ContainsAny(name, "*?["):
		return "", n.fail("takes no wildcards, since what it names is protected with all beneath it, not %q", clip(text))
	case strings.HasPrefix(name, "$"), strings.Contains(name, "://"):
		return "", n.fail("takes no variables and no addresses, not %q; write the path", clip(text))
	case filepath.IsAbs(name):
		if _, err := os.Lstat(name); os.IsNotExist(err) && name == text {
			n.doc.warnings = append(n.doc.warnings, fmt.Sprintf("%s: %s names %s, which is not there: in front of a path / is the top of the machine, not of the project",
				printable(n.doc.file), n.name, printable(name)))
		}
	case !filepath.IsLocal(filepath.FromSlash(name)) || filepath.Clean(name) == ".":
		return "", n.fail("must be absolute or names below a root, such as .git/config, not %q", clip(text))
	}
	return text, nil
}
