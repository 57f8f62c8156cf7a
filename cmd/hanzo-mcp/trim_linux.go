package main

import (
	"os"
	"reflect"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// trim gives back the pages of the program's file that only the start has used: the kernel maps 64 KiB around each
// touch, so that hundreds of package inits leave two thirds of the code and its tables resident in a server that then
// waits for hours. They stay in the system's cache and come back, 64 KiB at a fault, where they are used again.
// Only mappings without a page of their own are dropped: all of what they hold is in the file.
func trim() {
	maps, err := os.ReadFile("/proc/self/smaps")
	if err != nil {
		return
	}
	all := mappings(string(maps))
	here := uint64(reflect.ValueOf(trim).Pointer())
	for _, own := range all {
		if here < own.from || here >= own.to {
			continue
		}
		for _, m := range all {
			if m.file == own.file && m.inFile && m.anonymous == 0 && !strings.Contains(m.access, "w") {
				_, _, _ = unix.Syscall(unix.SYS_MADVISE, uintptr(m.from), uintptr(m.to-m.from), unix.MADV_DONTNEED)
			}
		}
	}
}

// mapping is a stretch of the address space, as proc(5) tells of it.
type mapping struct {
	from, to  uint64
	access    string // such as r-xp
	file      string // device and inode
	inFile    bool
	anonymous int // KiB that the file does not hold
}

func mappings(smaps string) []mapping {
	var list []mapping
	for line := range strings.Lines(smaps) {
		f := strings.Fields(line)
		switch {
		case len(f) >= 5 && strings.Contains(f[0], "-"):
			from, to, _ := strings.Cut(f[0], "-")
			m := mapping{access: f[1], file: f[3] + " " + f[4], inFile: f[4] != "0", anonymous: -1}
			m.from, _ = strconv.ParseUint(from, 16, 64)
			m.to, _ = strconv.ParseUint(to, 16, 64)
			list = append(list, m)
		case len(f) == 3 && f[0] == "Anonymous:" && len(list) > 0:
			if n, err := strconv.Atoi(f[1]); err == nil {
				list[len(list)-1].anonymous = n
			}
		}
	}
	return list
}
