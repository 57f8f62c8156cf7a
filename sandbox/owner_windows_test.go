package sandbox

import "testing"

func ownerOf(*testing.T, string) (uid, gid int) { return -1, -1 }
