// Package exec is the tool that runs commands.
//
// It turns the arguments of a call into a job of package job, waits as long as a call may, and shows the job to
// the model: output made readable, exit code, how to get the rest. The actions ps, kill, logs, wait and write
// reach every job of the server, downloads and network git included.
//
// It must never start a process but through the launcher (confinement, the children's environment), never wait
// for a person or for a process that only keeps the output open, and never judge a command by its text: what may
// run is decided in the gate. (HIP-0300 §2, exec.)
package exec

import (
	_ "embed"
	"sync"

	"github.com/hanzoai/hanzo-mcp/tools"
	"github.com/hanzoai/hanzo-mcp/tools/job"
)

// Config is what the tool needs.
type Config struct {
	Jobs *job.Manager                      // starts and keeps the processes; shared with the other tools
	Env  func() []string                   // the environment of children, bearers removed; nil is empty
	Look func(name string) (string, error) // finds programs on the cleaned PATH

	Shell string // the user's choice (HANZO_MCP_SHELL), a name or a path; "" is bash, else sh
	// Confined reports whether children are kept from writing outside the roots, so that a failure can be
	// explained by it; nil is no.
	Confined func() bool
	// Hidden lists the absolute paths that confined children do not see, so that what looks missing to them can be
	// explained by it; nil is none.
	Hidden func() []string
	// Planted lists protected paths that children have made where there were none, such as .mcp.json: programs of
	// the user run what stands in them. Each is told once. Nil is none.
	Planted func() []string
	// Weakened lists in what ways children are less confined than they could be. Each is told once. Nil is none.
	Weakened func() []string
}

//go:embed exec.md
var description string

type tool struct {
	Config
	planted sync.Mutex
	told    map[string]bool // planted paths that were told; guarded by planted
	once    map[string]bool // what else is told once; guarded by planted
}

// New makes the tool.
func New(cfg Config) *tools.Tool {
	t := &tool{Config: cfg}
	return &tools.Tool{
		Name: "exec", Title: "Run commands", Description: description, Rewrite: rewrite,
		Hints: tools.Hints{Destructive: true, OpenWorld: true},
		Params: append([]tools.Param{
			{Name: "command", Doc: "command line for the shell, or an array [program, arguments…] without one", Aliases: []string{"cmd", "argv", "script"}},
			{Name: "cwd", Type: "string", Doc: "folder to run in; default the first root", Path: tools.ReadPath,
				Aliases: []string{"path", "uri", "file_path", "file", "workdir", "work_dir", "working_dir", "working_directory", "dir", "directory", "folder",
					"chdir", "cd", "workdirectory", "work_directory", "location", "project", "project_dir", "project_path", "project_root", "root", "root_dir", "base_dir", "base_path", "current_dir", "current_directory", "cwd_path",
					"dir_path", "directory_path", "folder_path", "in_dir", "workspace"}},
			{Name: "env", Type: "object", Doc: "variables for this command only", Aliases: []string{"environment", "env_vars", "environment_variables", "envs", "vars", "variables"}},
			{Name: "timeout", Doc: "milliseconds, or \"30s\": exec: the command is ended then; with until, wait, write: stop waiting then (0: at once)", Aliases: []string{"time_limit", "max_timeout", "max_time", "time_out"}},
			{Name: "background", Type: "boolean", Doc: "answer at once and let it run; its input stays open for write", Aliases: []string{"run_in_background", "in_background", "is_background", "detach", "detached", "run_async", "async", "is_async"}},
			{Name: "proc_id", Type: "string", Doc: "which process; with exec: a name of your choice", Aliases: []string{"id", "process_id", "job_id", "session_id"}},
			{Name: "stdin", Type: "string", Doc: "text to read; without it the input is empty"},
			{Name: "shell", Type: "string", Doc: "another shell for this command"},
			{Name: "pty", Type: "boolean", Doc: "give it a terminal", Aliases: []string{"tty"}},
			{Name: "raw", Type: "boolean", Doc: "keep ANSI codes"},
			{Name: "max_chars", Type: "integer", Doc: "how much text at most, default 30000", Aliases: []string{"max_output"}},
			{Name: "filter", Type: "string", Doc: "ps: only those with this text in id, kind, status or command", Aliases: []string{"grep"}},
			{Name: "limit", Type: "integer", Doc: "ps: how many at most, default 50"},
			{Name: "signal", Doc: "kill: TERM (default), KILL, INT, HUP, QUIT, USR1, USR2"},
			{Name: "tail", Type: "integer", Doc: "logs: last lines, default 50", Aliases: []string{"lines", "n"}},
			{Name: "offset", Type: "integer", Doc: "logs: from this byte on (next_offset of the last answer)"},
			{Name: "since", Type: "boolean", Doc: "logs: what is new since the last read", Aliases: []string{"since_last"}},
			{Name: "stream", Type: "string", Doc: "logs: both (they share one pipe)", Enum: []string{"both", "stdout", "stderr"}, Hidden: true},
			{Name: "text", Type: "string", Doc: "write: what to type", Aliases: []string{"input", "data", "content"}},
			{Name: "newline", Type: "boolean", Doc: "write: end the text with a line break, default true"},
			{Name: "close_stdin", Type: "boolean", Doc: "write: end the input afterwards", Aliases: []string{"eof"}},
			{Name: "until", Type: "string", Doc: "regular expression to wait for in new output; with exec: runs in the background, answers then", Aliases: []string{"pattern", "ready_pattern", "wait_for", "wait_until", "wait_pattern"}},
			{Name: "args", Type: "array", Hidden: true, Doc: "exec: joined to command", Aliases: []string{"arguments"}},
			{Name: "timeout_ms", Hidden: true, Doc: "timeout", Aliases: []string{"timeout_milliseconds", "timeout_millis"}},
			{Name: "timeout_seconds", Hidden: true, Doc: "timeout", Aliases: []string{"timeout_secs", "timeout_sec", "timeout_s"}},
			{Name: "blocking", Type: "boolean", Hidden: true, Doc: "exec: the contrary of background"},
			{Name: "wait", Type: "boolean", Hidden: true, Doc: "exec: as blocking"},
			{Name: "yield_time_ms", Hidden: true, Doc: "exec: answer then and let it run; write, wait: timeout", Aliases: []string{"block_until_ms"}},
			{Name: "pid", Hidden: true, Doc: "proc_id"},
			{Name: "proc_ids", Type: "array", Hidden: true, Doc: "kill: several processes", Aliases: []string{"ids", "pids"}},
			{Name: "name", Hidden: true, Doc: "proc_id", Aliases: []string{"bash_id", "shell_id", "task_id"}},
			{Name: "confirm", Type: "boolean", Hidden: true, Doc: "exec: false is refused"},
		}, otherWords()...),
		Actions: []tools.Action{
			tools.Act(tools.Action{Name: "exec", Aliases: []string{"run", "start", "background", "bash", "shell", "sh", "execute", "command", "spawn", "start_process", "run_command", "execute_command", "shell_exec", "run_script", "run_background", "exec_background"}, Effect: tools.Destroys, OwnTime: true,
				Doc: "run a command"}, told(t, t.exec)),
			tools.Act(tools.Action{Name: "ps", Aliases: []string{"list", "status", "list_processes", "list_sessions", "jobs"}, Effect: tools.Reads, NoSlot: true,
				Doc: "list processes, running and ended"}, told(t, t.ps)),
			tools.Act(tools.Action{Name: "kill", Aliases: []string{"stop", "terminate", "force_terminate", "kill_process", "kill_shell", "kill_bash", "signal", "cancel"}, Effect: tools.Destroys, NoSlot: true,
				Doc: "end a process and all it started (KILL after 2 s; USR1 and USR2 are only sent); its output stays readable"}, told(t, t.kill)),
			tools.Act(tools.Action{Name: "logs", Aliases: []string{"log", "output", "read_output", "read_process_output", "read", "tail", "bash_output", "poll"}, Effect: tools.Reads, NoSlot: true,
				Doc: "output of a process: the last lines, from an offset, or what is new"}, told(t, t.logs)),
			tools.Act(tools.Action{Name: "wait", Effect: tools.Reads, NoSlot: true, OwnTime: true,
				Doc: "wait for the end of a process, or for a pattern in its new output"}, told(t, t.wait)),
			tools.Act(tools.Action{Name: "write", Aliases: []string{"input", "interact", "send", "interact_with_process", "send_input", "write_stdin"}, Effect: tools.Destroys, NoSlot: true, OwnTime: true, Also: commands,
				Doc: "type into a background process and give what it answers"}, told(t, t.write)),
		},
		Default: "exec",
	}
}
