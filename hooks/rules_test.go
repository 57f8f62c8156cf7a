package hooks

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// testNames stands for the caller's knowledge of its tools.
func testNames() Names {
	aliases := map[string]string{"fs.delete": "rm", "fs.edit": "apply_patch"}
	known := map[string][]string{
		"fs":    {"read", "write", "rm", "mv", "apply_patch", "search_text"},
		"exec":  {"exec", "ps", "logs", "kill"},
		"git":   {"push", "pull", "cherry_pick", "status"},
		"fetch": {"fetch", "open"},
	}
	return Names{
		Local: []string{"fs", "exec", "git", "fetch"},
		Canonical: func(tool, action string) (string, bool) {
			if canonical, ok := aliases[tool+"."+action]; ok {
				return canonical, true
			}
			return action, slices.Contains(known[tool], action)
		},
	}
}

type policyVector struct {
	Name  string `json:"name"`
	Tiers []struct {
		Name     string `json:"name"`
		Cautious bool   `json:"cautious"`
		Rules    []struct{ Pattern, Mode, Reason string }
	} `json:"tiers"`
	Call struct {
		Tool         string `json:"tool"`
		Action       string `json:"action"`
		Local        bool   `json:"local"`
		ReadOnly     bool   `json:"read_only"`
		NeedsConfirm bool   `json:"needs_confirm"`
		Opens        bool   `json:"opens"`
	} `json:"call"`
	Want struct {
		Mode   string  `json:"mode"`
		Rule   string  `json:"rule"`
		Tier   string  `json:"tier"`
		Reason *string `json:"reason"`
	} `json:"want"`
}

func policyVectors(t testing.TB) []policyVector {
	t.Helper()
	text, err := os.ReadFile("testdata/permission-policy.json")
	if err != nil {
		t.Fatal(err)
	}
	var vectors []policyVector
	if err := json.Unmarshal(text, &vectors); err != nil {
		t.Fatal(err)
	}
	if len(vectors) < 40 {
		t.Fatalf("%d vectors, want at least 40", len(vectors))
	}
	return vectors
}

func (v policyVector) subject() Subject {
	return Subject{Tool: v.Call.Tool, Action: v.Call.Action, Local: v.Call.Local, ReadOnlyHint: v.Call.ReadOnly, NeedsConfirm: v.Call.NeedsConfirm, Opens: v.Call.Opens}
}

func TestPermissionPolicyVectors(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, v := range policyVectors(t) {
		if seen[v.Name] {
			t.Errorf("two vectors are called %q", v.Name)
		}
		seen[v.Name] = true
		t.Run(v.Name, func(t *testing.T) {
			t.Parallel()
			var tiers []Tier
			for _, vt := range v.Tiers {
				tier := Tier{Name: vt.Name, Cautious: vt.Cautious}
				for _, r := range vt.Rules {
					mode, err := ParseMode(r.Mode)
					if err != nil {
						t.Fatal(err)
					}
					tier.Rules = append(tier.Rules, Rule{r.Pattern, mode, r.Reason})
				}
				tiers = append(tiers, tier)
			}
			policy, err := NewPolicy(testNames(), tiers...)
			if err != nil {
				t.Fatal(err)
			}
			got := policy.Evaluate(v.subject())
			if got.Mode.String() != v.Want.Mode || got.Rule != v.Want.Rule || got.Tier != v.Want.Tier {
				t.Errorf("got %s by %q of %q, want %s by %q of %q", got.Mode, got.Rule, got.Tier, v.Want.Mode, v.Want.Rule, v.Want.Tier)
			}
			if v.Want.Reason != nil && got.Reason != *v.Want.Reason {
				t.Errorf("reason %q, want %q", got.Reason, *v.Want.Reason)
			}
			if got.Mode != Allow && got.Reason == "" {
				t.Error("a call is stopped without a reason")
			}
		})
	}
}

func TestZeroValuesAreSafe(t *testing.T) {
	t.Parallel()
	var mode Mode
	if mode != Deny {
		t.Errorf("the zero mode is %v, want deny", mode)
	}
	var policy Policy
	if got := policy.Evaluate(Subject{Tool: "fs", Local: true}); got.Mode != Allow {
		t.Errorf("no rule: %v, want allow", got.Mode)
	}
	policyWithZeroRule, err := NewPolicy(Names{}, Tier{Name: "user", Rules: []Rule{{Pattern: "*"}}})
	if err != nil {
		t.Fatal(err)
	}
	if got := policyWithZeroRule.Evaluate(Subject{Tool: "fs"}); got.Mode != Deny {
		t.Errorf("a rule without a mode: %v, want deny", got.Mode)
	}
}

func TestPatternsThatCannotBeMeantAreRefused(t *testing.T) {
	t.Parallel()
	for _, pattern := range []string{"", strings.Repeat("a", MaxPattern+1), "a\xff", `fs\`, `fs\\\`} {
		if _, err := NewPolicy(Names{}, Tier{Name: "user", Rules: []Rule{{Pattern: pattern}}}); err == nil {
			t.Errorf("the pattern %.20q was accepted", pattern)
		}
	}
	if err := CheckPattern(`a\\`); err != nil {
		t.Errorf("an escaped backslash: %v", err)
	}
}

func TestRuleOnAnActionThatTheToolDoesNotHaveIsTold(t *testing.T) {
	t.Parallel()
	policy, err := NewPolicy(testNames(), Tier{Name: "user", Rules: []Rule{
		{Pattern: "fs.delet"}, {Pattern: "fs.delete"}, {Pattern: "fs.*"}, {Pattern: "billing.anything"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	if got := policy.Warnings(); len(got) != 1 || !strings.Contains(got[0], `"fs.delet"`) {
		t.Errorf("warnings %q, want one on fs.delet", got)
	}
}

func TestLongNamesMatchInBoundedTime(t *testing.T) {
	t.Parallel()
	pattern := strings.Repeat("*a", MaxPattern/2)
	policy, err := NewPolicy(Names{}, Tier{Name: "user", Rules: []Rule{{Pattern: pattern}}})
	if err != nil {
		t.Fatal(err)
	}
	// 64 MiB by 512 would be tens of billions of steps; the length of the action ends it before.
	got := policy.Evaluate(Subject{Tool: "billing", Action: strings.Repeat("a", 64<<20) + "b"})
	if got.Mode != Deny {
		t.Errorf("an action too long to match: %v, want deny", got.Mode)
	}
}

// reference matches by the regexp engine, as a second opinion.
func reference(pattern, text string) bool {
	var b strings.Builder
	escaped := false
	for _, r := range pattern {
		switch {
		case escaped:
			b.WriteString(regexp.QuoteMeta(string(r)))
			escaped = false
		case r == '\\':
			escaped = true
		case r == '*':
			b.WriteString(`(?s:.*)`)
		case r == '?':
			b.WriteString(`(?s:.)`)
		default:
			b.WriteString(regexp.QuoteMeta(string(r)))
		}
	}
	return regexp.MustCompile(`\A` + b.String() + `\z`).MatchString(text)
}

func FuzzRules(f *testing.F) {
	for _, v := range policyVectors(f) {
		for _, tier := range v.Tiers {
			for _, r := range tier.Rules {
				f.Add(r.Pattern, v.Call.Tool, v.Call.Action[:min(len(v.Call.Action), 100)], v.Call.Local)
			}
		}
	}
	f.Add("*a*b*c?", "aXbXc", "cc", false)
	f.Add("fs.*", "fs.fs", "", true)
	f.Add("?", " ", "0", false)
	f.Fuzz(func(t *testing.T, pattern, tool, action string, local bool) {
		if len(tool)+len(action) > maxMatched {
			return
		}
		s := Subject{Tool: tool, Action: action, Local: local}
		verdict := func(tiers ...Tier) Verdict {
			policy, err := NewPolicy(testNames(), tiers...)
			if err != nil {
				t.Skip()
			}
			return policy.Evaluate(s)
		}
		deny, allow := Rule{Pattern: pattern, Mode: Deny}, Rule{Pattern: pattern, Mode: Allow}
		denied := verdict(Tier{Name: "a", Rules: []Rule{deny}})
		allowed := verdict(Tier{Name: "a", Rules: []Rule{allow, {Pattern: "*"}}})
		// Whatever an allow rule lets through, a deny rule of the same pattern stops.
		if allowed.Mode == Allow && denied.Mode != Deny {
			t.Errorf("%q allows %q but does not deny it", pattern, s)
		}
		// A further tier, or a further deny rule, never loosens.
		for _, tiers := range [][]Tier{
			{{Name: "a", Rules: []Rule{deny}}, {Name: "b", Rules: []Rule{{Pattern: "*", Mode: Allow}}}},
			{{Name: "a", Rules: []Rule{deny, {Pattern: "*", Mode: Allow}}}},
			{{Name: "b", Cautious: true}, {Name: "a", Rules: []Rule{deny}}},
		} {
			if got := verdict(tiers...); got.Mode > denied.Mode {
				t.Errorf("%v became %v by more rules", denied.Mode, got.Mode)
			}
		}
		g := parseGlob(pattern)
		if utf8.ValidString(tool) {
			if got, want := g.match(tool), reference(pattern, tool); got != want {
				t.Errorf("%q on %q: %v, the regexp says %v", pattern, tool, got, want)
			}
			if g.match(tool) && !g.extends(tool) {
				t.Errorf("%q matches %q but no text that begins so", pattern, tool)
			}
			if utf8.ValidString(action) && g.match(tool+action) && !g.extends(tool) {
				t.Errorf("%q matches %q but no text that begins with %q", pattern, tool+action, tool)
			}
		}
	})
}

func BenchmarkEvaluate20Rules(b *testing.B) {
	patterns := []string{
		"git.push", "git.reset", "fs.rm", "fs.mv", "exec", "billing.create_*", "billing.delete_*", "agents.*", "mcp__*", "fetch.open",
		"fetch.download", "code.rename", "code.grep_replace", "ui.install", "memory.clear", "plan.archive", "tasks.delete", "kms.*", "*.delete_*", "deploy*",
	}
	tier := Tier{Name: "user"}
	for _, p := range patterns {
		tier.Rules = append(tier.Rules, Rule{Pattern: p, Mode: Deny})
	}
	policy, err := NewPolicy(testNames(), tier)
	if err != nil {
		b.Fatal(err)
	}
	for name, s := range map[string]Subject{
		"local":     {Tool: "fs", Action: "read", Local: true},
		"forwarded": {Tool: "billing", Action: "list_invoices"},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if policy.Evaluate(s).Mode != Allow {
					b.Fatal("denied")
				}
			}
		})
	}
}

// Rules that guard nothing are told: patterns of other programs, and what stands behind a rule for everything.
func TestRulesThatGuardNothing(t *testing.T) {
	t.Parallel()
	policy, err := NewPolicy(Names{Local: []string{"fs", "exec"}}, Tier{Name: "user", Rules: []Rule{
		{Pattern: "exec|fs", Mode: Deny}, {Pattern: "Bash(rm:*)", Mode: Deny}, {Pattern: "exec", Mode: Deny}, {Pattern: "billing.*", Mode: Deny}, {Pattern: "*", Mode: Allow}, {Pattern: "fs", Mode: Deny},
	}})
	if err != nil {
		t.Fatal(err)
	}
	got := strings.Join(policy.Warnings(), "\n")
	if n := len(policy.Warnings()); n != 3 || !strings.Contains(got, `"exec|fs" has "|"`) || !strings.Contains(got, `"Bash(rm:*)" has "("`) || !strings.Contains(got, `"fs" is never reached`) {
		t.Errorf("%d warnings: %s", n, got)
	}
}

// A rule that another one in front leaves nothing is told of, and only such a one.
func TestRulesNeverReached(t *testing.T) {
	t.Parallel()
	for rules, want := range map[string]string{
		"fs.*+ fs.rm-": "fs.rm", "fs+ fs.rm-": "fs.rm", "fs+ fs.*-": "fs.*", "fs.*+ fs-": "fs", "exec+ exec.exec-": "exec.exec", "f*- fs+": "fs", "billing.*- billing.pay+": "billing.pay", "FS+ fs.rm-": "fs.rm",
		"fs.rm- fs+": "", "fs.rm- fs.*+": "", "fs.rm- *+": "", "fs.r*- fs+": "", "fs- fs.rm-": "", "exec- fs+": "", "billing.pay- billing+": "", "fs.rm- fs.write+": "", "mcp__hanzo__fs+ fs.rm-": "fs.rm",
	} {
		var list []Rule
		for word := range strings.FieldsSeq(rules) {
			list = append(list, Rule{Pattern: word[:len(word)-1], Mode: map[byte]Mode{'+': Allow, '-': Deny}[word[len(word)-1]]})
		}
		policy, err := NewPolicy(Names{Local: []string{"fs", "exec"}}, Tier{Name: "user", Rules: list})
		if err != nil {
			t.Fatal(err)
		}
		got := strings.Join(policy.Warnings(), "\n")
		if (want == "") != (got == "") || want != "" && !strings.Contains(got, `"`+want) {
			t.Errorf("%s: %q, want one of %q", rules, got, want)
		}
	}
}

// A tool may be written as clients show it.
func TestNamesAsClientsShowThem(t *testing.T) {
	t.Parallel()
	policy, err := NewPolicy(Names{Local: []string{"fs", "exec"}}, Tier{Name: "user", Rules: []Rule{{Pattern: "mcp__hanzo__exec", Mode: Deny}, {Pattern: "mcp__my_server__fs.rm", Mode: Deny}, {Pattern: "mcp__x__billing", Mode: Deny}}})
	if err != nil {
		t.Fatal(err)
	}
	for call, want := range map[[2]string]Mode{{"exec", "exec"}: Deny, {"fs", "rm"}: Deny, {"fs", "read"}: Allow, {"billing", ""}: Allow} {
		if v := policy.Evaluate(Subject{Tool: call[0], Action: call[1], Local: call[0] != "billing"}); v.Mode != want {
			t.Errorf("%v: %v, want %v", call, v.Mode, want)
		}
	}
}

// What is denied is denied in every spelling that the door may take for it; what is allowed is allowed as written.
func TestDeniedInAnySpelling(t *testing.T) {
	t.Parallel()
	policy, err := NewPolicy(Names{Local: []string{"fs"}}, Tier{Name: "user", Rules: []Rule{{Pattern: "billing.create_invoice", Mode: Deny}, {Pattern: "mail.send_all", Mode: Allow}, {Pattern: "mail", Mode: Prompt}, {Pattern: "sec*", Mode: Deny}}})
	if err != nil {
		t.Fatal(err)
	}
	for call, want := range map[[2]string]Mode{
		{"billing", "create-invoice"}: Deny, {"billing", " create_invoice "}: Deny, {"billing_", "createInvoice"}: Deny, {"bil-ling", "CREATE_INVOICE"}: Deny, {"billing", "create"}: Allow,
		{"mail", "send_all"}: Allow, {"mail", "send-all"}: Prompt, {"s-e-crets", ""}: Deny,
	} {
		if v := policy.Evaluate(Subject{Tool: call[0], Action: call[1]}); v.Mode != want {
			t.Errorf("%v: %v, want %v", call, v.Mode, want)
		}
	}
}
