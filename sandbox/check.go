package sandbox

// What a change would refuse, asked without making it: for dry runs, and before work that would be in vain. That the
// system would deny it, or the disk is full, shows only in the change itself.

// CheckWrite tells what WriteAtomic would say of the place; mkdirs is that of its options.
func (r *Roots) CheckWrite(p Path, mkdirs bool) error {
	s, err := r.target("write", p, true)
	if err != nil {
		return err
	}
	defer s.close()
	if s.dir == nil && s.gap == NotFound && mkdirs {
		return nil
	}
	if err := s.folder("write"); err != nil {
		return err
	}
	w := atomicWrite{p: p, root: s.dir, base: s.base}
	err = w.lookAtOld()
	if w.from != nil {
		w.from.Close()
	}
	return r.fail("write", p, err)
}

// CheckMkdir tells what MkdirAll would refuse.
func (r *Roots) CheckMkdir(p Path) error {
	s, err := r.target("mkdir", p, true)
	if err != nil {
		return err
	}
	defer s.close()
	if s.gap == NotDir {
		return s.folder("mkdir")
	}
	return nil
}

// CheckRemove tells what Remove and RemoveAll would refuse.
func (r *Roots) CheckRemove(p Path) error {
	s, err := r.removable("remove", p, false)
	if err != nil {
		return err
	}
	defer s.close()
	_, err = s.dir.Lstat(s.base)
	return r.fail("remove", p, err)
}

// CheckRename tells what Rename would refuse, but for a name that is taken: a file there is to be replaced. With mkdirs the
// folder of to may be missing.
func (r *Roots) CheckRename(from, to Path, mkdirs bool) error {
	x, err := r.renaming(from, to, mkdirs)
	if err != nil {
		return err
	}
	defer x.close()
	if x.old == nil || x.same && (x.from.slash() == x.to.slash() || r.fold) {
		return nil
	}
	return x.replaces(to)
}

// CheckNew tells why nothing may be put at p under that very name, be it a link or what is renamed to it from another
// place; with mkdirs the folder of p may be missing.
func (r *Roots) CheckNew(p Path, link, mkdirs bool) error {
	s, err := r.removable("write", p, mkdirs)
	if err != nil {
		return err
	}
	defer s.close()
	if link {
		return r.checkLink(s)
	}
	return nil
}
