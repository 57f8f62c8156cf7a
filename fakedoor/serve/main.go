// Command serve runs a fake door by hand, to try hanzo-mcp without an account:
//
//	go run ./fakedoor/serve -port 8400 -token secret
//	HANZO_MCP_DOOR=http://127.0.0.1:8400/v1/mcp HANZO_API_KEY=secret hanzo-mcp call echo '{"a":1}'
//
// It prints its URL, then a line for each request, and ends on a signal.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"net"
	"os"
	"os/signal"
	"strconv"

	"github.com/hanzoai/hanzo-mcp/fakedoor"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "serve: error:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("serve", flag.ContinueOnError)
	port := flags.Int("port", 0, "port on 127.0.0.1; 0: a free one")
	token := flags.String("token", "", "bearer that tools/call needs; empty: none")
	delay := flags.Duration("delay", 0, "delay of each answer")
	stream := flags.String("stream", "", "answer as an event stream: plain, crlf, cr, lines, …")
	results := flags.String("results", "", "JSON file: an object of raw results by tool name")
	tools := flags.String("tools", "", "JSON file: an array of tools for the list")
	conformance := flags.Bool("conformance", false, "have the tools of the official conformance suite")
	if err := flags.Parse(args); err != nil {
		return err
	}
	script := fakedoor.Script{Token: *token, Delay: *delay, Stream: fakedoor.Stream(*stream)}
	if *conformance {
		script = fakedoor.Conformance()
	}
	var byName map[string]json.RawMessage
	var list []json.RawMessage
	if err := errors.Join(load(*results, &byName), load(*tools, &list)); err != nil {
		return err
	}
	if byName != nil {
		script.Results = map[string]string{}
	}
	for name, result := range byName {
		script.Results[name] = string(result)
	}
	for _, tool := range list {
		script.Tools = append(script.Tools, string(tool))
	}
	door := &fakedoor.Server{
		Addr:    net.JoinHostPort("127.0.0.1", strconv.Itoa(*port)),
		Observe: func(r *fakedoor.Request) { fmt.Println(r.RPC, r.Tool, r.ID) },
		Script:  script,
	}
	if err := door.Start(); err != nil {
		return err
	}
	defer door.Close()
	fmt.Println(door.URL())
	<-ctx.Done()
	return nil
}

// load reads a JSON file, nothing if path is empty.
func load(path string, into any) error {
	if path == "" {
		return nil
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, into); err != nil {
		return fmt.Errorf("parsing %s: %w", path, err)
	}
	return nil
}
