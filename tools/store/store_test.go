package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hanzoai/hanzo-mcp/tools"
)

type record struct {
	ID   string   `json:"id"`
	Name string   `json:"name"`
	Tags []string `json:"tags"`
	Note string   `json:"note,omitempty"`
}

type document struct {
	Records List[record] `json:"records"`
	Last    int64        `json:"last"`
}

// world is a file and a store over it.
type world struct {
	testing.TB
	file     string
	store    *Store[document]
	warnings []string
}

func newWorld(t testing.TB, content string) *world {
	t.Helper()
	w := &world{TB: t, file: filepath.Join(t.TempDir(), "dir", "state.json")}
	if content != "" {
		w.put(content)
	}
	w.store = New[document](w.file)
	return w
}

func (w *world) put(content string) {
	w.Helper()
	if err := os.MkdirAll(filepath.Dir(w.file), 0o700); err != nil {
		w.Fatal(err)
	}
	if err := os.WriteFile(w.file, []byte(content), 0o644); err != nil {
		w.Fatal(err)
	}
}

func (w *world) get() string {
	w.Helper()
	b, err := os.ReadFile(w.file)
	if err != nil {
		w.Fatal(err)
	}
	return string(b)
}

func (w *world) warn(text string) { w.warnings = append(w.warnings, text) }

// names are those of the records, as the store sees them.
func (w *world) names() string {
	w.Helper()
	d, err := w.store.Read(context.Background(), w.warn)
	if err != nil {
		w.Fatal(err)
	}
	var list []string
	for _, it := range d.Records.All() {
		list = append(list, it.V.ID+it.V.Name)
	}
	return strings.Join(list, " ")
}

// add stores a record.
func (w *world) add(name string) error {
	return w.store.Update(context.Background(), w.warn, func(d *document) (bool, error) {
		r := record{Name: name}
		r.ID, d.Last = NextID(&d.Records, d.Last, func(r *record) string { return r.ID })
		d.Records.Add(NewItem(r))
		return true, nil
	})
}

// code is that of an error, "" when there is none.
func code(err error) tools.Code {
	if err == nil {
		return ""
	}
	return tools.AsError(err).Code
}

// kept are the copies of broken files.
func (w *world) kept() []string {
	w.Helper()
	list, err := filepath.Glob(w.file + ".bad-*")
	if err != nil {
		w.Fatal(err)
	}
	return list
}

// TestWhatIsNotKnownStays: members at every level, in their order, with their numbers and escapes.
func TestWhatIsNotKnownStays(t *testing.T) {
	t.Parallel()
	w := newWorld(t, `{ "version": 1.50, "records": [ {"extra": {"a": [1, 2.0, "\u00e9\ud83d"]}, "id": "3", "name": "a", "tags": ["x"]},
	  {"id": 7, "name": {"odd": true}, "tags": "one", "n": 12345678901234567890}, "no record", {"id":"8","name":"a","name":"b"} ], "zeta": "<&>" }`)
	if got := w.names(); got != `3a 7{"odd": true} 8b` {
		t.Errorf("read %s", got)
	}
	if err := w.add("new"); err != nil {
		t.Fatal(err)
	}
	want := `{
  "version": 1.50,
  "records": [
    {"extra": {"a": [1, 2.0, "\u00e9\ud83d"]}, "id": "3", "name": "a", "tags": ["x"]},
    {"id": 7, "name": {"odd": true}, "tags": "one", "n": 12345678901234567890},
    {"id":"8","name":"a","name":"b"},
    {"id":"9","name":"new","tags":[]},
    "no record"
  ],
  "zeta": "<&>",
  "last": 9
}
`
	if got := w.get(); got != want {
		t.Errorf("wrote\n%s", got)
	}
	if err := w.store.Update(t.Context(), w.warn, func(d *document) (bool, error) {
		d.Records.Change(0, func(r *record) { r.Name, r.Note = "<ä>", "n" })
		d.Records.Change(1, func(r *record) { r.Note = "n" })
		return true, nil
	}); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{`{"extra":{"a": [1, 2.0, "\u00e9\ud83d"]},"id":"3","name":"<ä>","tags":["x"],"note":"n"},`, `{"id":7,"name":{"odd": true},"tags":"one","n":12345678901234567890,"note":"n"},`} {
		if !strings.Contains(w.get(), line) {
			t.Errorf("no %s in\n%s", line, w.get())
		}
	}
	if len(w.warnings) > 0 || len(w.kept()) > 0 {
		t.Errorf("warned %q", w.warnings)
	}
}

// TestBrokenFilesAreKept: what can be read is there, the rest is in a copy, and nothing is lost.
func TestBrokenFilesAreKept(t *testing.T) {
	t.Parallel()
	good := `{"records":[
    {"id":"1","name":"a"},
    {"id":"2","name":"b"}
  ],"last":2,"more":true}`
	old := time.Now().Add(-time.Hour)
	for name, c := range map[string]struct{ content, names string }{
		"half a record appended":  {good + `{"id":"3","name":"c`, "1a 2b"},
		"text appended":           {good + "\ngarbage", "1a 2b"},
		"cut within a record":     {good[:40], "1a"},
		"cut behind a record":     {good[:len(good)-22], "1a 2b"},
		"a broken record":         {strings.Replace(good, `"name":"a"`, `"name":"a`, 1), "2b"},
		"a record cut in two":     {strings.Replace(good, `"1","name":"a"}`, `"1","na`, 1), "2b"},
		"bytes in between":        {strings.Replace(good, `{"id":"2"`, "\x00\x00{\"id\":\"2\"", 1), "1a"},
		"no JSON":                 {"hello", ""},
		"a list":                  {`[{"id":"1","name":"a"}]`, ""},
		"another type of records": {`{"records":{"id":"1"}`, ""},
		"records by their ids":    {`{"records":{"1":{"id":"1"}},"last":1}`, ""},
		"records as text":         {`{"records":"precious","last":1}`, ""},
		"a name without end":      {`{"records`, ""},
		"brackets":                {`{"records":[}}}]]]`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, c.content)
			if err := os.Chtimes(w.file, old, old); err != nil {
				t.Fatal(err)
			}
			if got := w.names(); got != c.names {
				t.Errorf("read %q", got)
			}
			if len(w.warnings) != 1 || len(w.kept()) > 0 || w.get() != c.content {
				t.Errorf("reading warned %q, kept %q", w.warnings, w.kept())
			}
			w.warnings = nil
			if err := w.add("new"); err != nil {
				t.Fatal(err)
			}
			if got := strings.Fields(w.names()); len(got) != len(strings.Fields(c.names))+1 {
				t.Errorf("then %q", got)
			}
			kept := w.kept()
			if len(kept) != 1 || len(w.warnings) != 1 || !strings.Contains(w.warnings[0], kept[0]) {
				t.Fatalf("kept %q, warned %q", kept, w.warnings)
			}
			if b, err := os.ReadFile(kept[0]); err != nil || string(b) != c.content {
				t.Errorf("kept %q, %v", b, err)
			}
			w.warnings = nil
			if err := w.add("again"); err != nil || len(w.kept()) != 1 || len(w.warnings) != 0 {
				t.Errorf("then %v, kept %q, warned %q", err, w.kept(), w.warnings)
			}
		})
	}
}

// TestManyBrokenFiles: the same one is kept once, and there is an end to copies of different ones.
func TestManyBrokenFiles(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	for range 3 {
		w.put("broken")
		if err := w.add("x"); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(w.kept()); n != 1 {
		t.Errorf("%d copies of one", n)
	}
	for i := range maxKept {
		name := fmt.Sprintf("%s.bad-%d", w.file, i)
		if err := os.WriteFile(name, []byte(fmt.Sprint(i)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	w.put("broken in another way")
	err := w.add("x")
	if code(err) != tools.Conflict || w.get() != "broken in another way" {
		t.Errorf("%v, and the file is %q", err, w.get())
	}
}

// TestChangesOfOthersAreSeen: by another inode, and in place with the same size and time.
func TestChangesOfOthersAreSeen(t *testing.T) {
	t.Parallel()
	w := newWorld(t, `{"records":[{"id":"1","name":"a"}],"last":1}`)
	soon := time.Now().Add(time.Hour) // never settled
	if err := os.Chtimes(w.file, soon, soon); err != nil {
		t.Fatal(err)
	}
	if got := w.names(); got != "1a" {
		t.Errorf("read %q", got)
	}
	w.put(`{"records":[{"id":"1","name":"b"}],"last":1}`)
	if err := os.Chtimes(w.file, soon, soon); err != nil {
		t.Fatal(err)
	}
	if got := w.names(); got != "1b" {
		t.Errorf("a change in place was not seen: %q", got)
	}
	if err := New[document](w.file).Update(t.Context(), w.warn, func(d *document) (bool, error) {
		d.Records.Add(NewItem(record{ID: "5", Name: "c"}))
		return true, nil
	}); err != nil {
		t.Fatal(err)
	}
	if err := w.add("d"); err != nil {
		t.Fatal(err)
	}
	if got := w.names(); got != "1b 5c 6d" {
		t.Errorf("merged %q", got)
	}
	if err := os.Remove(w.file); err != nil {
		t.Fatal(err)
	}
	if got := w.names(); got != "" {
		t.Errorf("of no file %q", got)
	}
}

// TestChangeUnderAnUpdateIsMerged: another program writes after the file was read and before it is replaced.
func TestChangeUnderAnUpdateIsMerged(t *testing.T) {
	t.Parallel()
	w := newWorld(t, `{"records":[],"last":0}`)
	calls := 0
	err := w.store.Update(t.Context(), w.warn, func(d *document) (bool, error) {
		if calls++; calls == 1 {
			w.put(`{"records":[{"id":"1","name":"theirs"}],"last":1}`)
		}
		r := record{Name: "ours"}
		r.ID, d.Last = NextID(&d.Records, d.Last, func(r *record) string { return r.ID })
		d.Records.Add(NewItem(r))
		return true, nil
	})
	if got := w.names(); err != nil || calls != 2 || got != "1theirs 2ours" {
		t.Errorf("%v, %d calls, %q", err, calls, got)
	}
	calls = 0
	err = w.store.Update(t.Context(), w.warn, func(*document) (bool, error) {
		calls++
		w.put(fmt.Sprintf(`{"records":[],"last":%d}`, calls))
		return true, nil
	})
	if code(err) != tools.Conflict || calls != tries {
		t.Errorf("%v after %d calls", err, calls)
	}
}

// TestFileBeingWritten: the other servers truncate the file first; half of it is no broken file yet.
func TestFileBeingWritten(t *testing.T) {
	t.Parallel()
	whole := `{"records":[{"id":"1","name":"a"}],"last":1}`
	var got string
	var w *world
	for range 5 { // it is looked at again for 400 ms, which a busy machine may take to write it
		w = newWorld(t, whole[:20])
		time.AfterFunc(60*time.Millisecond, func() { os.WriteFile(w.file, []byte(whole), 0o644) })
		if got = w.names(); got == "1a" && len(w.warnings) == 0 {
			return
		}
	}
	t.Errorf("read %q, warned %q", got, w.warnings)
}

func TestFailedUpdateChangesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, `{"records":[{"id":"1","name":"a"}],"last":1}`)
	before, want := w.get(), errors.New("no")
	if got := w.names(); got != "1a" {
		t.Errorf("read %q", got)
	}
	for _, write := range []bool{true, false} {
		fail := want
		if !write {
			fail = nil
		}
		if err := w.store.Update(t.Context(), w.warn, func(d *document) (bool, error) {
			d.Records.Change(0, func(r *record) { r.Name = "b" })
			d.Records.Add(NewItem(record{ID: "2"}))
			return write, fail
		}); err != fail {
			t.Errorf("%v", err)
		}
	}
	if got := w.names(); got != "1a" || w.get() != before {
		t.Errorf("now %q, %s", got, w.get())
	}
}

// TestOddFilesAreLeftAlone: a folder, a file that is too large, links in a circle.
func TestOddFilesAreLeftAlone(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		make func(file string) error
		code tools.Code
	}{
		"a folder": {func(file string) error { return os.Mkdir(file, 0o700) }, tools.PermissionDenied},
		"too large": {func(file string) error {
			return errors.Join(os.WriteFile(file, nil, 0o600), os.Truncate(file, MaxBytes+1))
		}, tools.TooLarge},
		"links in a circle": {func(file string) error { return os.Symlink(filepath.Base(file), file) }, tools.PermissionDenied},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "x")
			if err := errors.Join(os.Remove(w.file), c.make(w.file)); err != nil {
				t.Skip("not here:", err)
			}
			before, err := os.Lstat(w.file)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := w.store.Read(t.Context(), w.warn); code(err) != c.code {
				t.Errorf("read: %v", err)
			}
			if err := w.add("x"); code(err) != c.code {
				t.Errorf("write: %v", err)
			}
			if after, err := os.Lstat(w.file); err != nil || !os.SameFile(before, after) {
				t.Errorf("it is another: %v", err)
			}
		})
	}
}

func TestLinkOfTheUserIsFollowed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, `{"records":[{"id":"1","name":"a"}],"last":1}`)
	real := filepath.Join(t.TempDir(), "real.json")
	if err := errors.Join(os.Rename(w.file, real), os.Symlink(real, w.file)); err != nil {
		t.Skip("no links here:", err)
	}
	if err := w.add("b"); err != nil {
		t.Fatal(err)
	}
	fi, err := os.Lstat(w.file)
	if err != nil || fi.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link was replaced: %v, %v", fi, err)
	}
	if b, err := os.ReadFile(real); err != nil || !strings.Contains(string(b), `"name":"b"`) {
		t.Errorf("%s %v", b, err)
	}
}

// TestTooMuchIsNotWritten: a document that could not be read again.
func TestTooMuchIsNotWritten(t *testing.T) {
	t.Parallel()
	w := newWorld(t, `{"records":[],"last":0}`)
	before := w.get()
	if err := w.add(strings.Repeat("x", MaxBytes)); code(err) != tools.TooLarge || w.get() != before {
		t.Errorf("%v", err)
	}
}

func TestWaitingEndsWithTheCall(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	if err := w.add("a"); err != nil {
		t.Fatal(err)
	}
	unlock, err := lock(t.Context(), w.file)
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
	defer cancel()
	if err := w.store.Update(ctx, w.warn, func(*document) (bool, error) { return true, nil }); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
	if got := w.names(); got != "1a" { // looking takes no lock
		t.Errorf("read %q", got)
	}
}

// TestLitterOfAKilledServer does not stand in the way.
func TestLitterOfAKilledServer(t *testing.T) {
	t.Parallel()
	w := newWorld(t, `{"records":[],"last":0}`)
	temp := filepath.Join(filepath.Dir(w.file), ".state.json.tmp")
	if err := os.WriteFile(temp, []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := w.add("a"); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(temp); err == nil {
		t.Error("it is still there")
	}
}

func TestInMemory(t *testing.T) {
	t.Parallel()
	w := &world{TB: t, store: New[document]("")}
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			if err := w.store.Update(t.Context(), func(string) {}, func(d *document) (bool, error) {
				d.Records.Add(NewItem(record{Name: "x"}))
				return true, nil
			}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if got := strings.Count(w.names(), "x"); got != 20 {
		t.Errorf("%d records", got)
	}
	if err := w.add("y"); err != nil || len(w.warnings) != 1 {
		t.Errorf("%v, warned %q", err, w.warnings)
	}
}

func TestScore(t *testing.T) {
	t.Parallel()
	field := func(s string) Field { return Field{Text: Fold(s), Weight: 1} }
	for _, c := range []struct {
		query, text string
		want        float64
	}{
		{"build", "build", 3}, {"build", "how to build it", 2}, {"build", "rebuilding", 1}, {"build", "rebuild, then build", 2}, {"build", "test", 0},
		{"how build", "how to build", 4}, {"how deploy", "how to build", 0},
		{"数据库", "连接数据库的方法", 1}, {"数据库", "数据库", 3}, {"CAFÉ", "cafe\u0301", 3}, {"ＡＢＣ", "abc", 3}, {"", "x", 0},
	} {
		if got := Score(Terms(c.query), true, field(c.text)); got != c.want {
			t.Errorf("%q in %q: %v, not %v", c.query, c.text, got, c.want)
		}
	}
	if got := Loose(Terms("数据库连接 foo-bar")); strings.Join(got, " ") != "数据 据库 库连 连接 foo bar" {
		t.Errorf("loose %q", got)
	}
}

func TestCut(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{"": "", "abc": "abc", "abcd": "ab…", "äöü": "äöü", "äöüß": "äö…"} {
		if got := Cut(in, 3); got != want {
			t.Errorf("%q: %q", in, got)
		}
	}
}

// FuzzWhole: whatever a file holds, reading it ends, and what comes of it is one valid object that reads the same.
func FuzzWhole(f *testing.F) {
	for _, seed := range []string{`{"records":[{"id":"1","name":"a"},{"id":"2"`, `{"a":1}x`, `{"records":[}`, "\ufeff{}", `{"a":[1,2,"x`, `{"a":"\"`, "{\"records\":[\n{\"id\":1,\n{\"id\":2}]}", `[`, `{"a":tru`, `{"a" 1}`, `{"a":,"b":2}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		object, fault := whole(text)
		if object == nil {
			if fault == "" {
				t.Error("nothing, and no fault")
			}
			return
		}
		var it Item[document]
		if err := it.UnmarshalJSON(object); err != nil {
			t.Fatalf("%q gave %q: %v", text, object, err)
		}
		again, fault := whole(it.with(func(*document) {}, false).appendFile(nil))
		if fault != "" {
			t.Fatalf("%q was written as %q: %s", text, again, fault)
		}
	})
}

func BenchmarkAppend10000(b *testing.B) {
	w := newWorld(b, "")
	if err := w.store.Update(b.Context(), w.warn, func(d *document) (bool, error) {
		for i := range 10_000 {
			d.Records.Add(NewItem(record{ID: fmt.Sprint(i), Name: strings.Repeat("x", 100)}))
		}
		return true, nil
	}); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if err := w.add("y"); err != nil {
			b.Fatal(err)
		}
	}
}

// TestRecordsWhereNoListIs: a record of records that has something else where its list belongs is kept too.
func TestRecordsWhereNoListIs(t *testing.T) {
	t.Parallel()
	type inner struct {
		ID   string       `json:"id"`
		List List[record] `json:"list"`
	}
	type outer struct {
		Records List[inner] `json:"records"`
	}
	const content = `{"records":[{"id":"1","list":[]},{"id":"2","list":{"a":"precious"}},{"id":"3","list":null},{"id":"4"}]}`
	file := filepath.Join(t.TempDir(), "state.json")
	if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	s, warned := New[outer](file), ""
	err := s.Update(context.Background(), func(text string) { warned = text }, func(d *outer) (bool, error) {
		d.Records.Change(1, func(i *inner) { i.ID = "two" })
		return true, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	kept, _ := filepath.Glob(file + ".bad-*")
	if len(kept) != 1 || !strings.Contains(warned, "its records") {
		t.Fatalf("kept %q, warned %q", kept, warned)
	}
	if b, err := os.ReadFile(kept[0]); err != nil || string(b) != content {
		t.Errorf("kept %q, %v", b, err)
	}
}

// TestOddLastIDs: whatever stands as the last id, the next one is a new positive number that others can count on.
func TestOddLastIDs(t *testing.T) {
	t.Parallel()
	for last, want := range map[string]string{
		"7": "8", `"7"`: "8", "7.0": "8", "7e0": "8", "-7": "2", "9223372036854775807": "2", "1e300": "2", "9007199254740993": "2", "9007199254740991": "2", `"x"`: "2", "null": "2", "[7]": "2", "7.5": "2",
	} {
		var it Item[document]
		if err := it.UnmarshalJSON([]byte(`{"records":[{"id":"1"},{"id":"9007199254740993"},{"id":"-3"},{"id":"x"}],"last":` + last + `}`)); err != nil {
			t.Fatal(err)
		}
		id, kept := NextID(&it.V.Records, it.V.Last, func(r *record) string { return r.ID })
		if id != want || fmt.Sprint(kept) != want {
			t.Errorf("after %s: %s, %d", last, id, kept)
		}
	}
}

// TestLinesForPeople: no text of a record makes a second line, or steers a terminal.
func TestLinesForPeople(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"a\nb\t c": "a b c", "\x1b[31mred\x07": "[31mred", "a\u202eb\u2066c": "abc", "\u2028x": "x", "שלום 👩\u200d💻 日本": "שלום 👩\u200d💻 日本",
	} {
		if got := Line(text); got != want {
			t.Errorf("%q gives %q", text, got)
		}
	}
	for text, want := range map[string]string{"2030-01-31T10:00:00Z": "2030-01-31", "2030-01-31": "2030-01-31", "明日の朝までに": "明日の朝までに", "a\nb": "a b", "": ""} {
		if got := Day(text); got != want {
			t.Errorf("%q gives the day %q", text, got)
		}
	}
}

// TestBrokenFileCostsLittle: text that opens again and again and never closes is given up on.
func TestBrokenFileCostsLittle(t *testing.T) {
	t.Parallel()
	for name, line := range map[string]string{"objects": "\n{\"id\":", "strings": "\n{\"id\":\"1\",\"v\":[x", "records": "\n{\"id\":\"1\",\"v\":x}"} {
		text := []byte(`{"records":[{"id":"0"},x` + strings.Repeat(line, 400_000))
		start := time.Now()
		object, fault := whole(text)
		if fault == "" || !strings.Contains(string(object), `"0"`) {
			t.Errorf("%s: %.60s, %q", name, object, fault)
		}
		if took := time.Since(start); took > 20*time.Second {
			t.Errorf("%s took %s", name, took)
		}
		t.Logf("%s: %s", name, time.Since(start))
	}
}
