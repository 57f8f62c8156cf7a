//go:build !unix && !windows

package git

// owned would refuse a repository of another user; who owns a folder cannot be asked here without git.
func (r *repo) owned() error {
	return refusal("whose repository this is cannot be told on this system")
}
