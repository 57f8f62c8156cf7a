package main

import (
	"fmt"
	"os"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"
)

// A server that waits gives back what of its program only the start used, and all that comes then is there again.
func TestTrim(t *testing.T) {
	t.Parallel()
	c := start(t, nil, "--no-door")
	resident := func() int { // KiB of files
		status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", c.cmd.Process.Pid))
		if err != nil {
			t.Fatal(err)
		}
		_, rest, _ := strings.Cut(string(status), "RssFile:")
		n, err := strconv.Atoi(strings.Fields(rest + " x")[0])
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	c.initialize("2025-06-18", "{}")
	before := resident()
	waitFor(t, 10*time.Second, "what the start used to be given back", func() bool { return resident() < before*4/5 })
	c.alive()
}

func TestMappings(t *testing.T) {
	t.Parallel()
	got := mappings("00402000-00f97000 r-xp 00002000 fe:00 12 /opt/a b/hanzo-mcp (deleted)\nRss: 824 kB\nAnonymous:             0 kB\nVmFlags: rd ex\n" +
		"0302e000-0303d000 r--p 02c2c000 fe:00 12 /opt/a b/hanzo-mcp (deleted)\nAnonymous:            60 kB\n" +
		"c000000000-c000400000 rw-p 00000000 00:00 0 \nAnonymous:          4096 kB\n" +
		"7ffc0000-7ffc1000 r--p 00000000 00:00 0                          [vvar]\n")
	want := []mapping{
		{0x402000, 0xf97000, "r-xp", "fe:00 12", true, 0},
		{0x302e000, 0x303d000, "r--p", "fe:00 12", true, 60},
		{0xc000000000, 0xc000400000, "rw-p", "00:00 0", false, 4096},
		{0x7ffc0000, 0x7ffc1000, "r--p", "00:00 0", false, -1},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v", got)
	}
}
