package code

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hanzoai/hanzo-mcp/tools"
	"github.com/hanzoai/hanzo-mcp/tools/code/syntax"
)

// Names that mean something of their own without being kept by a language: whoever gives them to a symbol changes what it does.

// shellBuiltins are commands that a shell has itself and scripts use.
var shellBuiltins = strings.Fields("alias bg bind break builtin cd command compgen complete continue declare dirs disown echo enable eval exec exit export fc fg getopts hash help history jobs kill let local logout mapfile popd printf pushd pwd read readarray readonly return set shift shopt source suspend test times trap type typeset ulimit umask unalias unset wait true false")

// warnMeaning warns of a new name, or of an old one, that is more than a name in the language of a target.
func (t *tool) warnMeaning(c *tools.Call, g *target, name string) {
	old := g.name
	switch lang := g.lang(); {
	case lang == "shellscript" && g.sym != nil && g.sym.Kind == syntax.Function && t.isCommand(name):
		c.Warn(fmt.Sprintf("%s is a command as well: where it is called the function is meant from now on, in the function itself too, which then calls itself without end (command %s calls the command)", name, name))
	case lang == "python" && g.isMember() && mangled(name) && !mangled(old):
		c.Warn(fmt.Sprintf("%s is a name of its class alone in Python, which puts the name of the class in front of it: subclasses and other code do not reach it any more", name))
	case lang == "go" && g.sym != nil && g.sym.Kind == syntax.Function && (starts(old) || starts(name)):
		if starts(old) {
			c.Warn(fmt.Sprintf("%s is what Go calls at the start: under another name nothing calls the function by itself", old))
		}
		if starts(name) {
			c.Warn(fmt.Sprintf("%s is what Go calls at the start: the function is called then, not only where it was", name))
		}
	}
}

// starts reports whether Go calls a function of a name by itself.
func starts(name string) bool { return name == "main" || name == "init" }

// mangled reports whether Python keeps a member of a name for its class.
func mangled(name string) bool {
	return strings.HasPrefix(name, "__") && !strings.HasSuffix(name, "__")
}

// isCommand reports whether a shell finds something by a name that is no function.
func (t *tool) isCommand(name string) bool {
	if slices.Contains(shellBuiltins, name) {
		return true
	}
	if t.cfg.Look == nil {
		return false
	}
	_, err := t.cfg.Look(name)
	return err == nil
}
