// Package hooks is the room where a call is judged by what the user wrote down: permission rules (HIP-0301 §7) and
// hooks, the user's own programs that run before and after a tool (HIP-0301 §9).
//
// Deciding is pure: patterns, rules, tiers and the meaning of a hook's end are functions over values. Only runner.go and
// the process files start programs. The package knows no tool; the caller says which names are its own. It must never
// change a call, let an undecided or broken check pass, print to stdout, or hand a bearer to a hook.
//
// # Patterns
//
// A pattern is matched against `tool` and `tool.action` (of a forwarded call: its `op`). `*` stands for any text, dots
// included, `?` for one character, `\` takes the next character as it is; everything else is literal. So `fs` and
// `fs.*` cover every action of fs, `git.push` one, `*` every call. Deny rules, prompt rules and hooks are read widely:
// case is ignored, and a pattern on an action also covers a call whose action is absent or not a string. Allow rules are
// read narrowly: the names of forwarded tools count case, an absent action is allowed only by a pattern that covers all
// of them, and a pattern that begins with the name of a local tool never allows a forwarded call.
//
// # What a hook's end means
//
//	end of the hook                            before the tool (pre)                 after the tool (post)
//	exit 0                                     the call goes on                      nothing
//	exit 2                                     denied, stderr is the reason          warning with stderr
//	any other exit code                        denied and logged, code and stderr    warning
//	no such file, dangling link, a directory   denied and logged, with the cause     warning
//	no execute bit, no #! line, CRLF in it     denied and logged, with the cause     warning
//	program not in PATH (127, 126)             denied and logged, with the program   warning
//	killed by a signal                         denied and logged, with the signal    warning
//	over its time limit                        killed, denied and logged             killed, warning
//	the call is cancelled                      killed, denied                        killed, warning
//
// All matching pre-hooks run in order until one denies. A hook's standard output is discarded (a decision printed there
// is not read), its standard error is kept up to 64 KiB. What is left of its process group dies with it; a child that
// made a session of its own does not.
package hooks
