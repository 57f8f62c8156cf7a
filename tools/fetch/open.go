package fetch

import (
	"context"
	"errors"
	"runtime"
	"time"

	"github.com/hanzoai/hanzo-mcp/sandbox/launch"
	"github.com/hanzoai/hanzo-mcp/tools"
	"github.com/hanzoai/hanzo-mcp/tools/fetch/guard"
)

type openIn struct {
	URL string `json:"url"`
}

type openData struct {
	URL    string `json:"url"`
	Opened bool   `json:"opened"`
	By     string `json:"by,omitempty"`
}

// openWait is how long the program that opens a URL is watched for a failure.
const openWait = 5 * time.Second

func (t *tool) open() tools.Action {
	return tools.Act(tools.Action{
		Name: "open", Aliases: []string{"browse"}, Effect: tools.Writes,
		Doc: "show url in the person's browser",
	}, func(ctx context.Context, c *tools.Call, in openIn) (*tools.Result, error) {
		u, err := address(in.URL)
		if err != nil {
			return nil, err
		}
		var refused *guard.Refused // the browser is the person's own: only what nobody should visit is kept from it
		if errors.As(t.guard.Literal(u.Hostname()), &refused) && (refused.Class == guard.LinkLocal || refused.Class == guard.Metadata) {
			return nil, refusal(refused, nil)
		}
		if t.cfg.Launcher == nil || t.cfg.Look == nil {
			return nil, tools.Errorf(tools.Unsupported, "no program can be started here; show the person the URL instead")
		}
		var env []string
		if t.cfg.Environ != nil {
			env = t.cfg.Environ()
		}
		names, args := openers(runtime.GOOS)
		if !desktop(runtime.GOOS, env) {
			return nil, tools.Errorf(tools.Unsupported, "there is no desktop here (neither DISPLAY nor WAYLAND_DISPLAY is set); show the person the URL instead")
		}
		for _, name := range names {
			program, err := t.cfg.Look(name)
			if err != nil {
				continue
			}
			return t.show(ctx, program, append(append([]string{name}, args...), u.String()), env)
		}
		return nil, tools.Errorf(tools.Unsupported, "no program to open a browser was found (%v); show the person the URL instead", names)
	})
}

// show runs the opener. It is the person's own program, on the person's own desktop, so nothing confines it; the URL
// is one argument, no shell sees it.
func (t *tool) show(ctx context.Context, program string, argv, env []string) (*tools.Result, error) {
	at := argv[len(argv)-1]
	p, err := t.cfg.Launcher.Start(ctx, launch.Cmd{Path: program, Args: argv, Dir: homeless(), Env: env, Policy: launch.Unconfined})
	if err != nil {
		return nil, err
	}
	wait := time.NewTimer(openWait)
	defer wait.Stop()
	select {
	case <-p.Done():
		if s := p.Wait(); !s.Success() {
			return nil, tools.Errorf(tools.ExitNonzero, "%s ended with exit code %d; show the person the URL instead", argv[0], s.Code)
		}
	case <-wait.C: // it stays with the browser that it started
	case <-ctx.Done():
		p.Kill(0)
		return nil, ctx.Err()
	}
	return &tools.Result{Data: openData{URL: tools.Cut(at, 500), Opened: true, By: argv[0]}}, nil
}

// openers are the programs that open a URL on a system, and their arguments before it.
func openers(goos string) (names, args []string) {
	switch goos {
	case "darwin":
		return []string{"open"}, nil
	case "windows":
		return []string{"rundll32"}, []string{"url.dll,FileProtocolHandler"}
	}
	return []string{"xdg-open", "wslview"}, nil
}

// desktop reports whether a person could see a browser.
func desktop(goos string, env []string) bool {
	switch goos {
	case "darwin", "windows":
		return true
	}
	return launch.Getenv(env, "DISPLAY") != "" || launch.Getenv(env, "WAYLAND_DISPLAY") != ""
}

// homeless is a folder that is always there.
func homeless() string {
	if runtime.GOOS == "windows" {
		return `C:\`
	}
	return "/"
}
