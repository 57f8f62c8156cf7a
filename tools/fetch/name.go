package fetch

import (
	"mime"
	"net/http"
	"net/url"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxName is how long a file name may get, in bytes.
const maxName = 120

// fileName is the name under which an answer is saved: what its Content-Disposition says, else the last part of its
// URL. It is one name, never a path, and names nothing special.
func fileName(r *http.Response, at *url.URL) string {
	name := ""
	if _, params, err := mime.ParseMediaType(r.Header.Get("Content-Disposition")); err == nil {
		name = safeName(params["filename"])
	}
	if name == "" {
		name = safeName(path.Base(at.Path))
	}
	if name != "" {
		return name
	}
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	return "download" + endings[kind]
}

// endings of file names that have none of their own, by media type. The system's table differs from one to the next.
var endings = map[string]string{
	"text/html": ".html", "application/xhtml+xml": ".html", "text/plain": ".txt", "text/markdown": ".md", "text/css": ".css", "text/csv": ".csv", "text/javascript": ".js",
	"application/javascript": ".js", "application/json": ".json", "application/xml": ".xml", "text/xml": ".xml", "application/rss+xml": ".xml", "application/atom+xml": ".xml",
	"application/pdf": ".pdf", "application/zip": ".zip", "application/gzip": ".gz", "application/x-tar": ".tar", "image/png": ".png", "image/jpeg": ".jpg",
	"image/gif": ".gif", "image/webp": ".webp", "image/svg+xml": ".svg",
}

// reserved are names that Windows gives to devices, whatever follows the first dot.
var reserved = map[string]bool{
	"con": true, "prn": true, "aux": true, "nul": true, "conin$": true, "conout$": true,
	"com1": true, "com2": true, "com3": true, "com4": true, "com5": true, "com6": true, "com7": true, "com8": true, "com9": true,
	"lpt1": true, "lpt2": true, "lpt3": true, "lpt4": true, "lpt5": true, "lpt6": true, "lpt7": true, "lpt8": true, "lpt9": true,
}

// safeName makes one harmless file name of what a server said: no folder, no hidden file, no option, nothing that a
// terminal or another system takes for something else. It may be "".
func safeName(s string) string {
	s = strings.ReplaceAll(strings.ToValidUTF8(s, "_"), "\\", "/")
	s = s[strings.LastIndexByte(s, '/')+1:]
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsControl(r), unicode.In(r, unicode.Cf, unicode.Co, unicode.Zl, unicode.Zp), r == utf8.RuneError:
			return -1
		case strings.ContainsRune(`<>:"|?*$`+"`", r), unicode.IsSpace(r) && r != ' ':
			return '_'
		}
		return r
	}, s)
	s = strings.TrimLeft(s, ".-~ ")
	s = strings.TrimRight(s, ". ")
	if stem, _, _ := strings.Cut(s, "."); reserved[strings.ToLower(strings.TrimSpace(stem))] {
		s = "_" + s
	}
	if len(s) <= maxName {
		return s
	}
	ext := path.Ext(s)
	if len(ext) > 16 {
		ext = ""
	}
	stem := s[:maxName-len(ext)]
	for len(stem) > 0 && !utf8.ValidString(stem) {
		stem = stem[:len(stem)-1]
	}
	return strings.TrimRight(stem, ". ") + ext
}
