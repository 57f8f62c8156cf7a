package settings

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// errAbsent: there is no such file, which is no fault.
var errAbsent = errors.New("no such file")

// readUser reads the user's file; links are followed, since people keep such files elsewhere. Others must not be able to
// write it.
func readUser(path string) (text []byte, warning string, err error) {
	file, err := os.OpenFile(path, os.O_RDONLY|openFlags, 0)
	if err != nil {
		if absent(err) {
			if _, e := os.Lstat(path); e == nil {
				return nil, "", errors.New("the link leads nowhere")
			}
			return nil, "", errAbsent
		}
		return nil, "", cause(err)
	}
	defer func() { _ = file.Close() }()
	info, err := file.Stat()
	if err != nil {
		return nil, "", cause(err)
	}
	if err := checkRegular(info); err != nil {
		return nil, "", err
	}
	if warning, err = checkOwner(info); err != nil {
		return nil, "", err
	}
	text, err = readAll(file)
	return text, warning, err
}

// readProject reads a file of a project that may be hostile: nothing outside the project is reached, whatever links say.
func readProject(project, name string) ([]byte, error) {
	root, err := os.OpenRoot(project)
	if err != nil {
		return nil, fmt.Errorf("the project cannot be opened: %w", cause(err))
	}
	defer func() { _ = root.Close() }()
	file, err := root.OpenFile(name, os.O_RDONLY|openFlags, 0)
	if err != nil {
		if !absent(err) {
			return nil, cause(err)
		}
		for _, part := range []string{name, filepath.Dir(name)} {
			if info, e := root.Lstat(part); e == nil && info.Mode()&fs.ModeSymlink != 0 {
				return nil, fmt.Errorf("%s is a link that leads nowhere", part)
			}
		}
		return nil, errAbsent
	}
	defer func() { _ = file.Close() }()
	info, err := file.Stat()
	if err != nil {
		return nil, cause(err)
	}
	if err := checkRegular(info); err != nil {
		return nil, err
	}
	return readAll(file)
}

func checkRegular(info fs.FileInfo) error {
	switch {
	case info.IsDir():
		return errors.New("it is a directory, not a file")
	case !info.Mode().IsRegular():
		return errors.New("it is not a regular file")
	}
	return nil
}

// readAll reads a file of at most MaxFile bytes; the size told beforehand is not relied on.
func readAll(file *os.File) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(file, MaxFile+1))
	switch {
	case err != nil:
		return nil, cause(err)
	case len(text) > MaxFile:
		return nil, fmt.Errorf("it is larger than %d bytes", MaxFile)
	}
	return text, nil
}

// cause strips the operation and path, which the message names itself.
func cause(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}
