// Package sandbox decides which files the tools may reach, and reaches them.
//
// [Roots] is an ordered set of directory trees, each held open as an [os.Root].
// A tool gives the name it was called with to [Roots.Resolve] and works on the
// [Path] it gets back; every operation goes through os.Root, so a name, a link
// or a directory swapped in the middle of a call cannot lead out of the trees.
// On top of that, writes never touch what the user's own programs run or obey
// (settings, hooks, the configuration of git and of editors): see [Roots.Protected].
//
// The package must never decide by comparing text and open by name afterwards,
// never replace a missing root by another folder, and never follow a link to a
// place outside the trees. It does not confine processes; a child that may
// rename files inside a root can outrun the protected names, not the trees.
//
// It implements the file half of HIP-0301 §10 (Sandbox).
package sandbox
