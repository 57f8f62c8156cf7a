// Command hanzo-mcp is a local MCP server: tools that need this machine, behind rules, hooks and a sandbox,
// and every other call forwarded to the door of Hanzo Cloud.
//
// Its room is the wiring: run.go makes the parts and gives them to each other, flags.go reads the command line,
// stdio.go and http.go frame messages, dispatch.go answers them. It holds no tool, no rule and no knowledge of
// the cloud, and nothing but ui.go (by outlet.go) writes to stderr. stdout belongs to the protocol.
package main

import (
	"context"
	"io"
	"log"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"github.com/hanzoai/hanzo-mcp/sandbox/launch"
)

func main() {
	if launch.Main(os.Args) {
		return // this process is the launcher of another hanzo-mcp
	}
	// A broken stdout must end in an orderly shutdown, not in SIGPIPE. Ignoring the signal would be inherited by
	// every child; catching it is not.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	usualGC = debug.SetGCPercent(startGC)
	mendHome()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	log.SetOutput(io.Discard) // net/http would write pieces of answers to stderr, bearers in them
	code := run(ctx, os.Args[1:], patient{os.Stdin}, patient{os.Stdout}, patient{os.Stderr}, os.Getenv)
	stop()
	os.Exit(code)
}
