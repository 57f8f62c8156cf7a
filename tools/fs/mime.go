package fs

import (
	"net/http"
	"path"
	"strings"
)

// kinds are the media types of texts whose content alone does not tell.
var kinds = map[string]string{
	".json": "application/json", ".js": "text/javascript", ".mjs": "text/javascript", ".css": "text/css", ".html": "text/html", ".htm": "text/html",
	".md": "text/markdown", ".xml": "application/xml", ".svg": "image/svg+xml", ".csv": "text/csv", ".yaml": "application/yaml", ".yml": "application/yaml",
	".toml": "application/toml",
}

// textMIME gives the media type of a text file, by its name.
func textMIME(name string) string {
	if kind := kinds[strings.ToLower(path.Ext(name))]; kind != "" {
		return kind
	}
	return "text/plain"
}

// binaryMIME gives the media type of a file that is no text, by its first bytes.
func binaryMIME(head []byte) string {
	kind, _, _ := strings.Cut(http.DetectContentType(head), ";")
	if strings.HasPrefix(kind, "text/") {
		return "application/octet-stream"
	}
	return kind
}

// isImage reports whether models are shown the kind as an image.
func isImage(mime string) bool {
	switch mime {
	case "image/png", "image/jpeg", "image/gif", "image/webp":
		return true
	}
	return false
}
