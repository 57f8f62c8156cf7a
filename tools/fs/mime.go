package fs

import (
	"bytes"
	"encoding/binary"
	"image"
	_ "image/gif"  // DecodeConfig knows it
	_ "image/jpeg" // and this
	_ "image/png"  // and this
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

// ends are the bytes that whole images of a kind have near their end.
var ends = map[string]string{"image/png": "IEND\xaeB`\x82", "image/jpeg": "\xff\xd9"}

// damaged says what is wrong with an image, "" when nothing is seen to be. A model's conversation can be lost by one
// that cannot be shown: the call that carries it fails, and every later one too.
func damaged(b []byte, mime string) string {
	if mime == "image/webp" {
		if len(b) < 30 || uint64(len(b)) < 8+uint64(binary.LittleEndian.Uint32(b[4:])) {
			return "it is cut off"
		}
		return ""
	}
	c, _, err := image.DecodeConfig(bytes.NewReader(b))
	switch {
	case err != nil || c.Width == 0 || c.Height == 0:
		return "its header is damaged"
	case c.Width > maxImageSide || c.Height > maxImageSide:
		return "it is larger than can be shown"
	case !bytes.Contains(b[max(0, len(b)-64<<10):], []byte(ends[mime])):
		return "it is cut off"
	}
	return ""
}
