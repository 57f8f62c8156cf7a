package ui

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/aymanbagabas/go-udiff"

	"github.com/hanzoai/hanzo-mcp/sandbox"
	"github.com/hanzoai/hanzo-mcp/tools"
	"github.com/hanzoai/hanzo-mcp/tools/store"
)

type installIn struct {
	Component string `json:"component"`
	Framework string `json:"framework"`
	Path      string `json:"path"`
	Overwrite bool   `json:"overwrite"`
	DryRun    bool   `json:"dry_run"`
	MaxChars  int    `json:"max_chars"`
}

// change is one file of an installation.
type change struct {
	path   sandbox.Path
	fresh  string
	old    *string // nil when there was none
	folder []sandbox.Path
}

func (ch *change) same() bool { return ch.old != nil && *ch.old == ch.fresh }

func (t *tool) install(ctx context.Context, c *tools.Call, in installIn) (*tools.Result, error) {
	app, err := c.Roots.Resolve(cmp.Or(in.Path, "."))
	if err != nil {
		return nil, err
	}
	it, registry, err := t.find(ctx, c, in.Framework, in.Component)
	if err != nil {
		return nil, err
	}
	changes, err := plan(c, app, it)
	if err != nil {
		return nil, err
	}
	paths := make([]sandbox.Path, len(changes))
	for i, ch := range changes {
		paths[i] = ch.path
	}
	unlock, err := c.Roots.Lock(ctx, paths...)
	if err != nil {
		return nil, err
	}
	defer unlock()
	var conflicts []string
	for _, ch := range changes {
		if ch.old, err = current(c, ch.path); err != nil {
			return nil, err
		}
		if ch.old != nil && !ch.same() {
			conflicts = append(conflicts, ch.path.String())
		}
	}
	diff := diffOf(changes)
	text, over := tools.Head(diff, tools.Limit(in.MaxChars))
	res := &tools.Result{Text: text, Truncated: over}
	data := dataOf(it, registry, "")
	data.Files = statuses(changes)
	if len(conflicts) > 0 && !in.Overwrite {
		if in.DryRun {
			data.Text = fmt.Sprintf("dry run: %s already and would need overwrite:true", store.Count(len(conflicts), "file differs", "files differ"))
			res.Data = data
			return res, nil
		}
		return res, tools.Errorf(tools.Conflict, "%s already and nothing was written: %s; look at the diff, then give overwrite:true to replace them",
			store.Count(len(conflicts), "file differs", "files differ"), strings.Join(conflicts[:min(len(conflicts), 10)], ", ")).
			With(tools.Details{Param: "overwrite", Expected: "true"})
	}
	written := 0
	for _, ch := range changes {
		if !ch.same() {
			written++
		}
	}
	if in.DryRun {
		data.Text = fmt.Sprintf("dry run: %s of %s would be written", store.Count(written, "file", "files"), store.Quote(it.Name))
	} else {
		if err := apply(ctx, c, changes); err != nil {
			return nil, err
		}
		data.Text = fmt.Sprintf("installed %s: %s written", store.Quote(it.Name), store.Count(written, "file", "files"))
		if len(conflicts) == 0 {
			res.Text, res.Truncated = strings.Join(data.Files, "\n")+"\n", false
			data.Files = nil
		}
	}
	if len(it.Dependencies)+len(it.DevDependencies)+len(it.RegistryDependencies) > 0 {
		data.Text += "; it needs what data lists, which was not installed"
	}
	if more := it.beside(); len(more) > 0 {
		data.Text += fmt.Sprintf("; it also brings %s, which was not applied: get_metadata shows it", strings.Join(more, ", "))
	}
	res.Data = data
	return res, nil
}

// plan checks every file of an item and gives where it goes.
func plan(c *tools.Call, app sandbox.Path, it *Item) ([]*change, error) {
	if len(it.Files) == 0 {
		return nil, tools.Errorf(tools.InvalidParams, "%s has no files to install; get_metadata shows what it is", store.Quote(it.Name)).With(tools.Details{Param: "component"})
	}
	l := layoutOf(c, app)
	var list []*change
	for _, f := range it.Files {
		if f.Content == "" || !utf8.ValidString(f.Content) {
			return nil, tools.Errorf(tools.InvalidParams, "%s of the component has no text; nothing was written", store.Quote(f.Path))
		}
		place, err := l.place(f)
		if err != nil {
			return nil, err
		}
		p, err := c.Roots.Resolve(app.Join(place).String())
		if err != nil {
			return nil, err
		}
		if why, no := c.Roots.Protected(p); no {
			return nil, tools.Errorf(tools.PermissionDenied, "the component wants to write %s, which is refused: %s; nothing was written", sandbox.Printable(p.String()), why)
		}
		if slices.ContainsFunc(list, func(o *change) bool { return strings.EqualFold(o.path.Abs(), p.Abs()) }) {
			return nil, tools.Errorf(tools.InvalidParams, "two files of the component go to %s; nothing was written", sandbox.Printable(p.String()))
		}
		list = append(list, &change{path: p, fresh: l.imports(f.Content)})
	}
	return list, nil
}

// current gives the text of a file, nil when there is none.
func current(c *tools.Call, p sandbox.Path) (*string, error) {
	if _, err := c.Roots.Lstat(p); sandbox.KindOf(err) == sandbox.NotFound {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	f, err := c.Roots.OpenFile(p, os.O_RDONLY, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if f.Info.Size() > maxAnswer {
		return nil, tools.Errorf(tools.TooLarge, "%s is there already, with %d bytes; move it away first", sandbox.Printable(p.String()), f.Info.Size())
	}
	b, err := io.ReadAll(io.LimitReader(f, maxAnswer))
	if err != nil {
		return nil, err
	}
	text := string(b)
	return &text, nil
}

// diffOf gives what an installation changes, as a unified diff.
func diffOf(changes []*change) string {
	var b strings.Builder
	for _, ch := range changes {
		name, old := ch.path.String(), ""
		from := "/dev/null"
		if ch.old != nil {
			from, old = "a/"+name, *ch.old
		}
		if !ch.same() {
			b.WriteString(udiff.Unified(from, "b/"+name, old, ch.fresh))
		}
	}
	return b.String()
}

func statuses(changes []*change) (list []string) {
	for i, ch := range changes {
		if i == 50 {
			return append(list, fmt.Sprintf("… and %d more", len(changes)-i))
		}
		status := "new"
		switch {
		case ch.same():
			status = "unchanged"
		case ch.old != nil:
			status = "replaced"
		}
		list = append(list, status+" "+ch.path.String())
	}
	return list
}

var errChanged = errors.New("it was changed meanwhile")

// apply writes all files or none.
func apply(ctx context.Context, c *tools.Call, changes []*change) error {
	for i, ch := range changes {
		if ch.same() {
			continue
		}
		ch.folder = missingFolders(c, ch.path)
		o := sandbox.WriteOptions{Exclusive: ch.old == nil, Mkdirs: true}
		if ch.old != nil {
			o.Check = func(f *os.File) error {
				b, err := io.ReadAll(io.LimitReader(f, maxAnswer+1))
				if err == nil && string(b) != *ch.old {
					err = errChanged
				}
				return err
			}
		}
		_, err := c.Roots.WriteAtomic(ctx, ch.path, strings.NewReader(ch.fresh), o)
		if err == nil {
			continue
		}
		removeFolders(c, ch.folder)
		lost := undo(c, changes[:i])
		e := *tools.AsError(err)
		if errors.Is(err, errChanged) {
			e = tools.Error{Code: tools.Conflict, Message: fmt.Sprintf("%s was changed meanwhile", sandbox.Printable(ch.path.String()))}
		}
		e.Message += "; no file was changed"
		if len(lost) > 0 {
			e.Message = strings.TrimSuffix(e.Message, "; no file was changed") + "; these files were written already and could not be put back: " + strings.Join(lost, ", ")
		}
		return &e
	}
	return nil
}

// missingFolders are those that writing p will make, outer ones first.
func missingFolders(c *tools.Call, p sandbox.Path) (list []sandbox.Path) {
	for d := p.Dir(); ; d = d.Dir() {
		if _, err := c.Roots.Lstat(d); sandbox.KindOf(err) != sandbox.NotFound {
			slices.Reverse(list)
			return list
		}
		list = append(list, d)
	}
}

func removeFolders(c *tools.Call, list []sandbox.Path) {
	for _, d := range slices.Backward(list) {
		_ = c.Roots.Remove(d) // only when it is empty
	}
}

// undo puts back what the files held, and names those where that failed. It does not stop when the call is cancelled.
func undo(c *tools.Call, changes []*change) (lost []string) {
	for _, ch := range slices.Backward(changes) {
		var err error
		switch {
		case ch.same():
			continue
		case ch.old == nil:
			err = c.Roots.Remove(ch.path)
			removeFolders(c, ch.folder)
		default:
			_, err = c.Roots.WriteAtomic(context.Background(), ch.path, bytes.NewReader([]byte(*ch.old)), sandbox.WriteOptions{})
		}
		if err != nil {
			lost = append(lost, sandbox.Printable(ch.path.String()))
		}
	}
	return lost
}
