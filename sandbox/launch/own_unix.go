//go:build unix

package launch

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// ownFolder is an error when another user can put something into dir, or put
// another folder in its place; of one that is missing, when it is made.
func ownFolder(dir string) error {
	at, made := dir, true
	for !exists(at) && at != filepath.Dir(at) {
		at, made = filepath.Dir(at), false
	}
	real, err := filepath.EvalSymlinks(at)
	if err != nil {
		return err
	}
	for at := real; ; at = filepath.Dir(at) {
		st, err := os.Stat(at)
		if err != nil {
			return err
		}
		if why := otherHands(st, made && at == real); why != "" {
			return fmt.Errorf("%s %s: caches that another user can fill are not used; make %s yours alone (chown, chmod 700), or set XDG_CACHE_HOME to a folder that is", at, why, at)
		}
		if at == filepath.Dir(at) {
			return nil
		}
	}
}

// otherHands tells why a folder is not in the hands of this user and root alone, or
// with own of this user. A sticky folder for all lets nobody touch what is another's.
func otherHands(st fs.FileInfo, own bool) string {
	sys, ok := st.Sys().(*syscall.Stat_t)
	if !ok {
		return ""
	}
	me := uint32(os.Geteuid())
	switch {
	case sys.Uid != me && (own || sys.Uid != 0) && !unmapped(sys.Uid):
		return fmt.Sprintf("belongs to user %d", sys.Uid)
	case st.Mode()&0o002 != 0 && (own || st.Mode()&fs.ModeSticky == 0):
		return "can be written by all"
	}
	return ""
}

// unmapped reports that uid may stand for any user that is not known in this
// user namespace: a sandbox around the server shows root's folders so.
func unmapped(uid uint32) bool {
	if uid != 65534 {
		return false
	}
	data, err := os.ReadFile("/proc/self/uid_map")
	return err == nil && strings.Join(strings.Fields(string(data)), " ") != "0 0 4294967295"
}
