package code

import (
	"strings"
	"testing"

	"github.com/hanzoai/hanzo-mcp/tools"
)

// Functions in objects that calls are given, and functions that calls are given, are symbols.
func TestFunctionsGivenToCalls(t *testing.T) {
	t.Parallel()
	needGrammars(t)
	b := project(t, map[string]string{
		"redux.ts":  "export const slice = createSlice({\n  name: 'todos',\n  reducers: {\n    add: (state, action) => {\n      state.push(action);\n    },\n    remove(state) {\n      state.splice(1);\n    },\n  },\n  extra: (b) => {\n    b.add(x, () => {});\n  },\n});\n\nexport default defineComponent({\n  data() {},\n  methods: { go: async () => 1 },\n});\n\nmodule.exports = { deep: { run() {} } };\n",
		"react.tsx": "export const Input = forwardRef<Props>(({ a }, ref) => {\n  const onChange = useCallback((e) => {\n    console.log(e);\n  }, []);\n  const other = React.useCallback(() => 1, []);\n  const value = useMemo(() => 1, []);\n  const got = useQuery({ queryFn: () => 1 });\n  return <input ref={ref} />;\n});\n",
		"router.js": "router.get('/b', async function getB(req, res) {\n  res.send('b');\n});\nnew Promise(function (a) {});\n",
	})
	for file, want := range map[string]string{
		"redux.ts":  "slice slice.reducers.add slice.reducers.remove slice.extra default default.data default.methods.go deep deep.run",
		"react.tsx": "Input Input.onChange Input.other", "router.js": "getB",
	} {
		if got := strings.Join(b.ok("symbols", "path", file).list("symbols", "name_path"), " "); got != want {
			t.Errorf("%s: %s, want %s", file, got, want)
		}
	}
	for query, line := range map[string]float64{"slice.reducers.add": 4, "slice.remove": 7, "slice.reducers.remove": 7, "redux.slice.remove": 7, "reducers.add": 4, "default.go": 18, "Input.onChange": 2, "getB": 1} {
		if out := b.ok("definition", "query", query); out.data["line"] != line {
			t.Errorf("%s: %s", query, out.raw)
		}
	}
	b.fails(tools.NotFound, "definition", "query", "other.remove")
	if out := b.ok("outline", "path", "react.tsx"); !strings.Contains(out.Text, "const onChange = useCallback((e)\n") || !strings.Contains(out.Text, "export const Input = forwardRef<Props>(({ a }, ref)\n") {
		t.Errorf("%s", out.Text)
	}
	b.ok("insert_after", "path", "redux.ts", "name_path", "slice.remove", "text", "clear(state) {},")
	b.ok("delete_symbol", "path", "redux.ts", "name_path", "slice.reducers.add")
	b.ok("replace_symbol", "path", "router.js", "name_path", "getB", "text", "async function getB(req) {}")
	b.fails(tools.Conflict, "delete_symbol", "path", "router.js", "name_path", "getB")
	b.ok("replace_symbol", "path", "react.tsx", "name_path", "Input.onChange", "text", "  const onChange = () => {};")
	if got := b.read("redux.ts"); !strings.Contains(got, "  reducers: {\n    remove(state) {\n      state.splice(1);\n    },\n    clear(state) {},\n  },\n") && !strings.Contains(got, "    },\n\n    clear(state) {},\n  },\n") {
		t.Errorf("%s", got)
	}
	if got := b.read("router.js"); !strings.HasPrefix(got, "router.get('/b', async function getB(req) {});\n") {
		t.Errorf("%s", got)
	}
	for _, file := range []string{"redux.ts", "react.tsx", "router.js"} {
		if out := b.ok("parse", "path", file); out.data["parse_error"] == true {
			t.Errorf("%s:\n%s", file, b.read(file))
		}
	}
}
