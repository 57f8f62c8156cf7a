package fakedoor

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
)

const (
	subsystems = 110
	toolBytes  = 740
)

// DefaultMeta is the _meta of the list: what was withheld, who did not answer.
const DefaultMeta = `{"hanzo.ai/refused":{"count":41,"rule":"discloses a secret or mutates an identity"},"hanzo.ai/unavailable":[]}`

var defaultTools = sync.OnceValue(func() []string {
	tools := []string{`{"name":"describe","description":"The input schema of one operation.","inputSchema":{"type":"object","properties":{"op":{"type":"string"}},"required":["op"]},"annotations":{"readOnlyHint":true}}`}
	for n := range subsystems {
		tools = append(tools, subsystem(n))
	}
	return tools
})

// DefaultTools are the tools of a door whose script names none.
func DefaultTools() []string { return defaultTools() }

// subsystem is one tool of about 740 bytes; each fourth only reads.
func subsystem(n int) string {
	name := fmt.Sprintf("service_%03d", n)
	ops := []string{"list_items", "get_item", "search_items"}
	hint := `,"annotations":{"readOnlyHint":true}`
	if n%4 != 0 {
		ops, hint = append(ops, "create_item", "update_item", "delete_item"), ""
	}
	enum, _ := json.Marshal(ops)
	tool := fmt.Sprintf(`{"name":%q,"description":"%%s","inputSchema":{"type":"object","properties":{"op":{"type":"string","enum":%s},"input":{"type":"object","description":"What describe says of the op."}},"required":["op"]}%s}`,
		name, enum, hint)
	room := toolBytes - len(tool) + len("%s")
	return fmt.Sprintf(tool, strings.Repeat("What this subsystem does for its caller. ", room/41+1)[:room])
}

// texts are the results of fixed size, made once.
var texts = sync.OnceValue(func() map[string][]byte {
	made := map[string][]byte{}
	for name, size := range map[string]int{"fixed_1k": 1 << 10, "fixed_1m": 1 << 20, "fixed_8m": 8 << 20} {
		made[name] = text(strings.Repeat("0123456789abcde\n", size/16))
	}
	return made
})

func callResult(tool string, arguments []byte) []byte {
	switch tool {
	case "echo":
		return echo(arguments)
	case "describe":
		return []byte(`{"content":[{"type":"text","text":"{\"type\":\"object\"}"}],"structuredContent":{"inputSchema":{"type":"object"}}}`)
	case "fixed_1k", "fixed_1m", "fixed_8m":
		return texts()[tool]
	}
	return text("called " + tool)
}

func text(s string) []byte {
	quoted, _ := json.Marshal(s)
	return append(append([]byte(`{"content":[{"type":"text","text":`), quoted...), "}]}"...)
}
