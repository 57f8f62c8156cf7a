package auth

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// ConfigFault says why ~/.hanzo/config.json, which is there, gives no bearer; "" when it gives one, when there is no
// such file, and when it does not mean to hold one. It shows nothing of what the file holds.
func (c *Chain) ConfigFault() string {
	if value := c.config(); value != "" {
		if expired(value, c.now()) {
			return "its apiKey has expired"
		}
		return ""
	}
	if c.Home == "" {
		return ""
	}
	data, err := readConfig(filepath.Join(c.Home, ".hanzo", "config.json"))
	if errors.Is(err, fs.ErrNotExist) {
		return ""
	}
	if err != nil {
		return err.Error()
	}
	var members map[string]json.RawMessage
	var syntax *json.SyntaxError
	switch err := json.Unmarshal(data, &members); {
	case errors.As(err, &syntax):
		return fmt.Sprintf("it is not valid JSON at byte %d", syntax.Offset)
	case err != nil:
		return "it is JSON, but no object"
	}
	raw, there := members["apiKey"]
	if !there {
		for name := range members {
			if strings.ReplaceAll(strings.ToLower(name), "_", "") == "apikey" {
				return fmt.Sprintf("its member %s is not looked at: apiKey is the name", name)
			}
		}
		return ""
	}
	var value string
	switch err := json.Unmarshal(raw, &value); {
	case err != nil:
		return "its apiKey is no string"
	case strings.TrimSpace(value) == "": // signed out
		return ""
	}
	_, fault := read(value)
	return "its apiKey is no bearer: " + fault
}

// readConfig reads a config.json without its byte order mark. Errors but fs.ErrNotExist say the cause alone.
func readConfig(path string) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, err
	case err != nil:
		return nil, errors.New("it cannot be read: " + plainCause(err))
	case !info.Mode().IsRegular():
		return nil, errors.New("it is no regular file")
	case info.Size() > maxConfig:
		return nil, fmt.Errorf("it has more than %d bytes", maxConfig)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, errors.New("it cannot be read: " + plainCause(err))
	}
	return bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")), nil
}

func plainCause(err error) string {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err.Error()
	}
	return err.Error()
}
