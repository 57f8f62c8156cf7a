package launch

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

const reportLimit = 15 * time.Second

// Report starts a child under the Confined policy that tries what it may do.
// It takes some ten milliseconds, or as long as starting the launcher does.
func (l *Launcher) Report(ctx context.Context) Report {
	r := Report{Mechanism: None, Secrets: true, Network: true}
	fail := func(err error) Report {
		r.Notes = append(r.Notes, err.Error())
		return r
	}
	ctx, cancel := context.WithTimeout(ctx, reportLimit)
	defer cancel()
	cfg, err := l.config()
	if err != nil {
		return fail(err)
	}
	policy := Confined
	if cfg.Confine == Off {
		policy = Unconfined
	}
	in, err := l.instance(ctx, policy)
	if err != nil {
		return fail(err)
	}
	r.Mechanism = in.mechanism
	r.Network = !in.noNetwork
	r.Private = in.private
	r.Notes = append(r.Notes, in.notes...)
	switch {
	case in.pidNamespace():
		r.Tree = "a pid namespace: all end with the launcher, and it with the server"
	default:
		r.Tree = "a subreaper: the launcher ends all its descendants, and ends with the server"
	}
	trial, err := trialFile(in)
	if err != nil {
		return fail(err)
	}
	defer os.Remove(trial)
	hidden := slices.Clone(in.hidden)
	for _, h := range realPaths(expand(cfg.Home, cfg.Hidden)) {
		if !slices.Contains(hidden, h) {
			hidden = append(hidden, h)
		}
	}
	var protect []string
	paths, _ := protectedPaths(cfg)
	for _, path := range paths {
		if _, err := os.Stat(path); err == nil {
			protect = append(protect, path)
		}
	}
	answers, err := l.probe(ctx, policy, trial, hidden, protect)
	if err != nil {
		return fail(err)
	}
	r.Confined = answers["write\x00"+trial] == "refused"
	if !r.Confined {
		r.Mechanism = None
	}
	r.Secrets = answers["environ\x00"] != "refused"
	for _, h := range hidden {
		if answers["read\x00"+h] == "refused" {
			r.Hidden = append(r.Hidden, h)
		} else if slices.Contains(expand(cfg.Home, cfg.Hidden), h) {
			r.Visible = append(r.Visible, h)
		}
	}
	for _, p := range protect {
		if answers["touch\x00"+p] == "refused" {
			r.Protected = append(r.Protected, p)
		} else {
			r.Open = append(r.Open, p)
		}
	}
	return r
}

// trialFile makes a file that the server may write and children may not, if
// there is a place for it where they find it at all.
func trialFile(in *instance) (string, error) {
	dirs := slices.Concat(expand(in.cfg.Home, []string{"~"}), expand(in.cfg.Home, in.cfg.Readable), []string{os.TempDir(), "/var/tmp"})
	if in.cfg.CacheDir != "" {
		dirs = append(dirs, filepath.Dir(in.cfg.CacheDir))
	}
	err := os.ErrPermission
	for _, hidden := range []bool{false, true} {
		for _, dir := range dirs {
			real, rerr := filepath.EvalSymlinks(dir)
			if rerr != nil || in.inWritable(real) || in.reachable(real) == hidden {
				continue
			}
			f, ferr := os.CreateTemp(real, ".hanzo-mcp-trial-*")
			if ferr == nil {
				return f.Name(), f.Close()
			}
			err = ferr
		}
	}
	return "", step("no folder outside the writable ones to try a write in", err)
}

func (l *Launcher) probe(ctx context.Context, policy Policy, trial string, hidden, protect []string) (map[string]string, error) {
	read, write, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer read.Close()
	args := []string{"hanzo-mcp", probeWord, strconv.Itoa(os.Getpid()), startTime(os.Getpid()), trial}
	args = append(append(append(args, hidden...), "--"), protect...)
	p, err := l.Start(ctx, Cmd{Path: "/proc/self/exe", Args: args, Dir: "/", Stdout: write, Policy: policy})
	write.Close()
	if err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, func() { p.Kill(0) })
	defer stop()
	out, _ := io.ReadAll(io.LimitReader(read, 1<<20))
	p.Wait()
	answers := map[string]string{}
	for line := range bytes.SplitSeq(out, []byte{'\n'}) {
		if parts := strings.SplitN(string(line), "\x00", 3); len(parts) == 3 {
			answers[parts[0]+"\x00"+parts[1]] = parts[2]
		}
	}
	return answers, ctx.Err()
}

// startTime tells a process from a later one of the same number.
func startTime(pid int) string {
	data, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return ""
	}
	f := strings.Fields(string(data[bytes.LastIndexByte(data, ')')+1:]))
	if len(f) < 20 {
		return ""
	}
	return f[19]
}

// probe is the child of Report. It prints a line for each thing it tried.
func probe(args []string) int {
	if len(args) < 3 {
		return 2
	}
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	say := func(what, path string, err error) {
		verdict := "refused"
		if err == nil {
			verdict = "done"
		}
		out.WriteString(what + "\x00" + path + "\x00" + verdict + "\n")
	}
	pid, err := strconv.Atoi(args[0])
	if err == nil && startTime(pid) == args[1] {
		_, err = os.ReadFile("/proc/" + args[0] + "/environ")
	} else {
		err = os.ErrNotExist
	}
	say("environ", "", err)
	f, err := os.OpenFile(args[2], os.O_WRONLY, 0)
	say("write", args[2], err)
	f.Close()
	what := "read"
	for _, path := range args[3:] {
		if path == "--" {
			what = "touch"
			continue
		}
		if what == "read" {
			say(what, path, tryRead(path))
			continue
		}
		say(what, path, tryWrite(path))
	}
	return 0
}

// tryRead finds an empty cover as good as a refusal. In a folder any file that
// can be read counts, its list of names does not.
func tryRead(path string) error {
	st, err := os.Stat(path)
	if err != nil {
		return err
	}
	if st.IsDir() {
		entries, _ := os.ReadDir(path)
		for _, e := range entries[:min(len(entries), 100)] {
			if e.Type()&os.ModeSymlink == 0 && tryRead(filepath.Join(path, e.Name())) == nil {
				return nil
			}
		}
		return os.ErrPermission
	}
	if !st.Mode().IsRegular() {
		if st.Mode()&os.ModeSocket != 0 {
			return nil
		}
		return os.ErrPermission
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = f.Read(make([]byte, 1))
	return err
}

// tryWrite changes nothing: a file is opened, in a folder a file is made that
// has no name.
func tryWrite(path string) error {
	st, err := os.Stat(path)
	if err != nil {
		return err
	}
	var f *os.File
	if st.IsDir() {
		if f, err = os.OpenFile(path, os.O_WRONLY|unix.O_TMPFILE, 0o600); err != nil {
			return err
		}
		return f.Close()
	}
	if f, err = os.OpenFile(path, os.O_WRONLY|unix.O_NONBLOCK, 0); err != nil {
		return err
	}
	return f.Close()
}
