package git

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	gogit "github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"

	"github.com/hanzoai/hanzo-mcp/tools"
)

func (r *repo) goLog(ctx context.Context, in logIn, files []string) (*tools.Result, error) {
	switch {
	case len(files) > 0:
		return nil, unsupported("log with a path")
	case in.First || in.Plain || in.Merges:
		return nil, unsupported("log with first_parent, merges or no_merges")
	case in.All, in.Since != "", in.Until != "", in.Author != "", in.Grep != "", in.By != "", in.Text != "", in.Change != "":
		return nil, unsupported("log with all, since, until, author, committer, grep or pickaxe")
	case strings.Contains(in.Ref, "..") || strings.ContainsAny(in.Ref, " ^"):
		return nil, unsupported("log of a range")
	}
	e, err := r.embed()
	if err != nil {
		return nil, err
	}
	if err := firstError(e.fitForHistory(), e.fitForNames()); err != nil {
		return nil, err
	}
	finish := func(commits []commit, text string) (*tools.Result, error) {
		res := r.logResult(in, commits, text)
		d := res.Data.(logData)
		d.Backend = backendName
		res.Data = d
		return res, nil
	}
	unborn, err := e.noCommits()
	if err != nil {
		return nil, err
	}
	if unborn && (in.Ref == "" || in.Ref == "HEAD") {
		return finish(nil, "no commits yet on "+r.branchName()+"\n")
	}
	from, err := e.commitOf(in.Ref)
	if err != nil {
		return nil, err
	}
	refs, err := e.decorations()
	if err != nil {
		return nil, err
	}
	iter, err := e.git.Log(&gogit.LogOptions{From: from.Hash, Order: gogit.LogOrderCommitterTime})
	if err != nil {
		return nil, e.refuse("reading the history: " + err.Error())
	}
	defer iter.Close()
	var commits []commit
	for n := 0; n < in.Offset+in.Limit+1; n++ {
		c, err := iter.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, e.refuse("reading the history: " + err.Error())
		}
		if err := ctx.Err(); err != nil {
			return nil, timedOut(err)
		}
		if n < in.Offset {
			continue
		}
		one, err := e.commit(c, refs)
		if err != nil {
			return nil, err
		}
		commits = append(commits, one)
	}
	return finish(commits, "")
}

// commit makes our commit of go-git's.
func (e *embed) commit(c *object.Commit, refs map[plumbing.Hash][]string) (commit, error) {
	if c.Encoding != "" && !strings.EqualFold(string(c.Encoding), "utf-8") {
		return commit{}, e.refuse("commit " + c.Hash.String() + " is written in " + string(c.Encoding))
	}
	subject, body := splitMessage(c.Message)
	one := commit{Hash: c.Hash.String(), Short: c.Hash.String()[:7], Author: c.Author.Name, Email: c.Author.Email,
		Date: c.Author.When.Format("2006-01-02T15:04:05-07:00"), Subject: subject, Body: body, Parents: []string{}, Refs: refs[c.Hash]}
	one.limitRefs()
	for _, p := range c.ParentHashes {
		one.Parents = append(one.Parents, p.String())
	}
	return one, nil
}

// decorations are the names of each commit, as git log shows them.
func (e *embed) decorations() (map[plumbing.Hash][]string, error) {
	iter, err := e.git.References()
	if err != nil {
		return nil, e.refuse("reading the refs: " + err.Error())
	}
	refs := map[plumbing.Hash][]string{}
	branch, detached := e.head()
	if head, err := e.git.Head(); err == nil {
		current := head.Hash()
		if detached {
			refs[current] = append(refs[current], "HEAD")
		} else {
			refs[current] = append(refs[current], "HEAD -> "+branch)
		}
	}
	err = iter.ForEach(func(ref *plumbing.Reference) error {
		name := ref.Name()
		hash := ref.Hash()
		if ref.Type() == plumbing.SymbolicReference {
			to, err := e.git.Reference(name, true)
			if err != nil || name == plumbing.HEAD {
				return nil
			}
			hash = to.Hash()
		}
		if tag, err := e.git.TagObject(hash); err == nil {
			if c, err := tag.Commit(); err == nil {
				hash = c.Hash
			}
		}
		switch {
		case name.IsBranch():
			if name.Short() != branch || detached {
				refs[hash] = append(refs[hash], name.Short())
			}
		case name.IsTag():
			refs[hash] = append(refs[hash], "tag: "+name.Short())
		case name.IsRemote():
			refs[hash] = append(refs[hash], name.Short())
		case name.String() == "refs/stash":
			refs[hash] = append(refs[hash], "refs/stash")
		}
		return nil
	})
	return refs, err
}

func (r *repo) goShow(ctx context.Context, in showIn, files []string) (*tools.Result, error) {
	if in.Context != nil && *in.Context != 3 {
		return nil, unsupported("show with other than 3 context_lines")
	}
	if objectRef(in.Ref) {
		return nil, unsupported("show of a file or folder")
	}
	e, err := r.embed()
	if err != nil {
		return nil, err
	}
	if err := firstError(e.fitForHistory(), e.fitForNames()); err != nil {
		return nil, err
	}
	named := hashOf(in.Ref)
	for _, full := range plumbing.RefRevParseRules {
		if ref, err := e.git.Reference(plumbing.ReferenceName(fmt.Sprintf(full, in.Ref)), true); err == nil {
			named = ref.Hash()
			break
		}
	}
	if _, err := e.git.TagObject(named); err == nil {
		return nil, unsupported("show of an annotated tag")
	}
	if unborn, err := e.noCommits(); err != nil {
		return nil, err
	} else if unborn && strings.HasPrefix(in.Ref, "HEAD") {
		return nil, tools.Errorf(tools.NotFound, "there is no commit yet on %s; make one with git.commit", r.branchName())
	}
	c, err := e.commitOf(in.Ref)
	if err != nil {
		return nil, err
	}
	if c.NumParents() > 1 {
		return nil, unsupported("show of a merge")
	}
	refs, err := e.decorations()
	if err != nil {
		return nil, err
	}
	one, err := e.commit(c, refs)
	if err != nil {
		return nil, err
	}
	var parent *object.Commit
	if c.NumParents() == 1 {
		if parent, err = c.Parent(0); err != nil {
			return nil, e.refuse("reading the parent: " + err.Error())
		}
	}
	list, err := e.trees(ctx, parent, c)
	if err != nil {
		return nil, timedOut(err)
	}
	one.clean()
	res, err := e.deltaResult(list, files, in.page, one.header())
	if err != nil {
		return nil, timedOut(err)
	}
	one.Body = ""
	one.shorten()
	res.Truncated = res.Truncated || one.cut
	res.Data = showData{diffData: res.Data.(diffData), Commit: &one, Type: "commit"}
	return res, nil
}

func (r *repo) goBranch(ctx context.Context, in branchIn) (*tools.Result, error) {
	if in.Remotes || in.selection != (selection{}) {
		return nil, unsupported("branch with remotes, contains, merged, points_at or pattern")
	}
	e, err := r.embed()
	if err != nil {
		return nil, err
	}
	iter, err := e.git.References()
	if err != nil {
		return nil, e.refuse("reading the refs: " + err.Error())
	}
	d := branchData{place: e.place()}
	branch, detached := r.head()
	if d.Detached = detached; detached {
		head, _ := r.text(r.gitDir.Join("HEAD"), gitFileMax)
		d.Head = strings.TrimSpace(head)
	} else {
		name := shown(branch)
		d.Current = &name
	}
	var all []branchOne
	err = iter.ForEach(func(ref *plumbing.Reference) error {
		name := ref.Name()
		if ref.Type() != plumbing.HashReference || !name.IsBranch() && (!in.All || !name.IsRemote()) {
			return nil
		}
		c, err := e.git.CommitObject(ref.Hash())
		if err != nil {
			return e.refuse("reading " + name.String() + ": " + err.Error())
		}
		if sel := in.Name; sel != "" && name.Short() != sel {
			return nil
		}
		subject, _ := splitMessage(c.Message)
		one := branchOne{Name: shown(name.Short()), Hash: ref.Hash().String(), Remote: name.IsRemote(),
			Current: name.IsBranch() && !detached && name.Short() == branch, Date: c.Committer.When.Format("2006-01-02T15:04:05-07:00")}
		one.Subject, _ = valid(subject)
		if merge := e.settings.get("branch." + name.Short() + ".merge"); merge != "" && name.IsBranch() {
			one.Upstream = shown(strings.TrimPrefix(e.settings.get("branch."+name.Short()+".remote")+"/"+strings.TrimPrefix(merge, "refs/heads/"), "./"))
		}
		all = append(all, one)
		return nil
	})
	if err != nil {
		return nil, err
	}
	slices.SortFunc(all, func(a, b branchOne) int {
		if a.Remote != b.Remote {
			return map[bool]int{true: 1, false: -1}[a.Remote]
		}
		return strings.Compare(a.Name, b.Name)
	})
	var text strings.Builder
	d.Count = len(all)
	d.Branches = some(all[min(in.Offset, len(all)):])
	d.Branches = d.Branches[:min(len(d.Branches), limitOr(in.Limit, maxListed))]
	for _, one := range d.Branches {
		text.WriteString(map[bool]string{true: "* ", false: "  "}[one.Current] + map[bool]string{true: "remotes/"}[one.Remote] + one.Name + " " + one.Hash[:9] + " " + one.Subject + "\n")
	}
	if d.Count == 0 && d.Current != nil && in.Name == "" {
		text.WriteString("* " + *d.Current + " (no commits yet)\n")
	}
	return listed(text.String(), d, in.page, len(d.Branches), d.Count), nil
}
