package hooks

import (
	"fmt"
	"slices"
	"strings"
)

// Mode is what a rule says about a call. The zero value denies, and a smaller Mode is the stricter one.
type Mode uint8

// The modes, strictest first.
const (
	Deny   Mode = iota // refused, with the rule's reason
	Prompt             // the user is asked
	Allow              // runs
)

// ParseMode reads "deny", "prompt" or "allow".
func ParseMode(text string) (Mode, error) {
	for _, m := range [...]Mode{Deny, Prompt, Allow} {
		if text == m.String() {
			return m, nil
		}
	}
	return Deny, fmt.Errorf(`unknown mode %q: use "allow", "deny" or "prompt"`, text)
}

func (m Mode) String() string {
	switch m {
	case Allow:
		return "allow"
	case Prompt:
		return "prompt"
	}
	return "deny"
}

// Rule is one line of a permission list.
type Rule struct {
	Pattern string // see the package documentation
	Mode    Mode
	Reason  string // shown to whoever is refused or asked; may be empty
}

// Tier is the rules of one settings file or of one other origin. The first rule that matches decides within a tier; no
// rule allows.
type Tier struct {
	Name     string // "user", "project", …: named in verdicts and in the audit log
	Rules    []Rule
	Cautious bool // the preset "cautious" is asked after the rules
}

// CautiousName is the preset's name in settings and, as the matched rule, in verdicts.
const CautiousName = "cautious"

// Subject is the call to be judged, after aliases are resolved.
type Subject struct {
	Tool   string // the name as called
	Action string // local: the canonical action; forwarded: its `op`; "" when absent or no string
	Local  bool   // a local tool, not a forwarded call
	// ReadOnlyHint: forwarded: the cached list says readOnlyHint:true; local: the action only reads.
	ReadOnlyHint bool
	NeedsConfirm bool // an act that nothing brings back
	Opens        bool // starts something on the user's desktop
}

// String is the call as rules name it: "git.push", "billing.create_invoice", or the tool alone.
func (s Subject) String() string {
	if s.Action == "" {
		return s.Tool
	}
	return s.Tool + "." + s.Action
}

// Verdict is the outcome of an evaluation.
type Verdict struct {
	Mode   Mode
	Rule   string // the pattern that matched, or CautiousName; "" when none did
	Tier   string // the tier it stands in
	Reason string // why, in a sentence for the user; "" for an allowed call without one
}

// Policy is a compiled set of tiers, judged apart: the strictest verdict holds. It is immutable and safe for concurrent
// use. The zero value has no rule and allows.
type Policy struct {
	tiers    []tier
	warnings []string
}

type tier struct {
	name     string
	rules    []rule
	cautious bool
}

type rule struct {
	pattern
	mode   Mode
	reason string
}

// NewPolicy compiles the tiers; their order decides only which of two equally strict verdicts is named. An error names
// the pattern at fault, and no policy is returned then.
func NewPolicy(names Names, tiers ...Tier) (*Policy, error) {
	p := &Policy{}
	for _, t := range tiers {
		if len(t.Rules) == 0 && !t.Cautious {
			continue
		}
		c := tier{name: t.Name, cautious: t.Cautious}
		for _, r := range t.Rules {
			pat, warning, err := names.compile(r.Pattern)
			if err != nil {
				return nil, fmt.Errorf("compiling the %s rules: %w", t.Name, err)
			}
			if warning != "" {
				p.warnings = append(p.warnings, t.Name+" rules: "+warning)
			}
			if i := slices.IndexFunc(c.rules, func(before rule) bool { return before.mode != r.Mode && before.stands(&pat, before.mode != Allow) }); i >= 0 {
				p.warnings = append(p.warnings, fmt.Sprintf("%s rules: %q is never reached, since %q stands before it: the first rule that fits counts", t.Name, r.Pattern, c.rules[i].text))
			}
			c.rules = append(c.rules, rule{pat, r.Mode, r.Reason})
		}
		p.tiers = append(p.tiers, c)
	}
	return p, nil
}

// Warnings lists the rules that can match nothing or are never reached, in words for the user.
func (p *Policy) Warnings() []string { return p.warnings }

// Evaluate judges a call.
func (p *Policy) Evaluate(s Subject) Verdict {
	best := Verdict{Mode: Allow}
	if len(p.tiers) == 0 {
		return best
	}
	f := s.fold()
	for i := range p.tiers {
		v := p.tiers[i].evaluate(s, &f)
		if v.Mode < best.Mode || v.Mode == best.Mode && best.Rule == "" {
			best = v
		}
	}
	return best
}

func (t *tier) evaluate(s Subject, f *folded) Verdict {
	for i := range t.rules {
		r := &t.rules[i]
		if !r.covers(f, r.mode != Allow) {
			continue
		}
		v := Verdict{Mode: r.mode, Rule: r.text, Tier: t.name, Reason: r.reason}
		if v.Reason == "" && r.mode != Allow {
			v.Reason = fmt.Sprintf("the %s settings say %q: %q", t.name, r.text, r.mode)
		}
		return v
	}
	if t.cautious {
		if why := cautious(s); why != "" {
			return Verdict{Mode: Prompt, Rule: CautiousName, Tier: t.name, Reason: why}
		}
	}
	return Verdict{Mode: Allow}
}

// cautious says why the preset asks about a call, or "".
func cautious(s Subject) string {
	switch {
	case s.NeedsConfirm:
		return "nothing brings back what this does"
	case s.Opens:
		return "this opens something on the desktop"
	case s.Local && strings.EqualFold(s.Tool, "exec") && !s.ReadOnlyHint:
		return "this runs a command"
	case !s.Local && !s.ReadOnlyHint:
		return "this goes to the cloud and may change something there"
	}
	return ""
}
