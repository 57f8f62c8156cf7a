package sandbox

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Each pair compares what a tool does with what it would cost through os.Root alone.

func benchWorld(b *testing.B) (*Roots, *os.Root, string) {
	dir, err := filepath.EvalSymlinks(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	if err := os.MkdirAll(dir+"/a/b/c/d/e", 0o755); err != nil {
		b.Fatal(err)
	}
	for _, name := range []string{"/f", "/a/b/c/d/e/f"} {
		if err := os.WriteFile(dir+name, []byte("x"), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	if err := os.Symlink(dir+"/a/b/c", dir+"/link"); err != nil {
		b.Fatal(err)
	}
	r, err := Open(Config{Dirs: []string{dir}, Temp: b.TempDir(), State: b.TempDir()})
	if err != nil {
		b.Fatal(err)
	}
	return r, r.trees[0].root, dir
}

func BenchmarkResolve(b *testing.B) {
	r, _, dir := benchWorld(b)
	for name, path := range map[string]string{"relative": "a/b/c/d/e/f", "unclean": "./a/b/../b/c/d/e/f", "absolute": dir + "/a/b/c/d/e/f"} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := r.Resolve(path); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkOpen(b *testing.B) {
	r, root, dir := benchWorld(b)
	for name, path := range map[string]string{"1 name": "f", "6 names": "a/b/c/d/e/f"} {
		b.Run(name+"/os.Root", func(b *testing.B) {
			for b.Loop() {
				f, err := root.Open(path)
				if err != nil {
					b.Fatal(err)
				}
				f.Close()
			}
		})
		b.Run(name+"/Roots", func(b *testing.B) {
			for b.Loop() {
				p, err := r.Resolve(path)
				if err != nil {
					b.Fatal(err)
				}
				f, err := r.Open(p)
				if err != nil {
					b.Fatal(err)
				}
				f.Close()
			}
		})
		b.Run(name+"/os.Open", func(b *testing.B) {
			for b.Loop() {
				f, err := os.Open(dir + "/" + path)
				if err != nil {
					b.Fatal(err)
				}
				f.Close()
			}
		})
	}
	b.Run("absolute link", func(b *testing.B) {
		for b.Loop() {
			p, err := r.Resolve("link/d/e/f")
			if err != nil {
				b.Fatal(err)
			}
			f, err := r.Open(p)
			if err != nil {
				b.Fatal(err)
			}
			f.Close()
		}
	})
}

func BenchmarkStat(b *testing.B) {
	r, root, _ := benchWorld(b)
	b.Run("os.Root", func(b *testing.B) {
		for b.Loop() {
			if _, err := root.Stat("a/b/c/d/e/f"); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("Roots", func(b *testing.B) {
		for b.Loop() {
			p, _ := r.Resolve("a/b/c/d/e/f")
			if _, _, err := r.Stat(p); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkProtected(b *testing.B) {
	r, _, _ := benchWorld(b)
	p, err := r.Resolve("a/b/c/d/e/f")
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, ok := r.protect.covers(p); ok {
			b.Fatal("protected")
		}
	}
}

func BenchmarkLock(b *testing.B) {
	r, _, _ := benchWorld(b)
	p, err := r.Resolve("a/b/c/d/e/f")
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		unlock, err := r.Lock(b.Context(), p)
		if err != nil {
			b.Fatal(err)
		}
		unlock()
	}
}

func BenchmarkWriteAtomic(b *testing.B) {
	r, _, _ := benchWorld(b)
	for name, path := range map[string]string{"1 name": "f", "6 names": "a/b/c/d/e/f"} {
		b.Run(name, func(b *testing.B) {
			p, err := r.Resolve(path)
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if _, err := r.WriteAtomic(b.Context(), p, strings.NewReader("hello\n"), WriteOptions{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
