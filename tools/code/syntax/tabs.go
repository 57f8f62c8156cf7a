package syntax

import "bytes"

// flagIndents adds the first line of Python that is indented as Python refuses it, which the grammar overlooks, to the faults
// of a file that has no other.
func flagIndents(f *File, lang *Language, src []byte) {
	if lang.ID != "python" || f.Broken {
		return
	}
	x, found := Indents(src, TabWidth)
	if !found && bytes.IndexByte(src, '\t') >= 0 {
		if x, found = Indents(src, 1); found { // what depends on how wide a tab is
			x.Message = "inconsistent use of tabs and spaces in indentation"
		}
	}
	if found {
		f.Faults, f.Broken = append(f.Faults, x), true
	}
}
