package git

import (
	"reflect"
	"testing"
)

// TestApplySaysWhatBecomesOfFiles: as diff says it, in both directions.
func TestApplySaysWhatBecomesOfFiles(t *testing.T) {
	t.Parallel()
	w := newRepo(t)
	w.commit("one", "a", "1\n2\n3\n4\n5\n", "gone file", "1\n", "x/r", "1\n2\n3\n4\n5\n6\n7\n", "plain", "1\n", "src", "a\nb\nc\nd\ne\n")
	w.git("mv", "a", "b")
	w.git("rm", "-q", "gone file")
	w.git("mv", "x/r", "x/ü s")
	w.commit("two", "x/ü s", "1\n2\n3\n4\n5\n6\n7\n8\n", "new ü", "n\n", "plain", "2\n", "copy", "a\nb\nc\nd\ne\nf\n", "src", "a\nb\nc\nd\ne\nE\n")
	for _, reverse := range []bool{false, true} {
		from, to := "HEAD~1", "HEAD"
		patch := w.git("-c", "core.quotePath=true", "diff", "-M", from, to)
		w.git("checkout", "-q", map[bool]string{false: "HEAD~1", true: "main"}[reverse])
		for _, dry := range []bool{true, false} {
			if reverse {
				from, to = "main", "main~1"
			} else {
				from, to = "main~1", "main"
			}
			want := map[string][4]any{}
			for _, f := range data[diffData](t, w.call("diff", args{"ref": from + ".." + to})).Files {
				want[f.Path] = [4]any{f.OldPath, f.Status, f.Additions, f.Deletions}
			}
			got := map[string][4]any{}
			for _, f := range data[diffData](t, w.call("apply", args{"patch": patch, "reverse": reverse, "check": dry})).Files {
				got[f.Path] = [4]any{f.OldPath, f.Status, f.Additions, f.Deletions}
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("reverse %v, dry %v:\n%v\nwant %v", reverse, dry, got, want)
			}
		}
		w.git("add", "-A")
		w.git("reset", "-q", "--hard", "main")
		w.git("checkout", "-q", "main")
	}
	w.git("reset", "-q", "--hard", "main~1")
	out := data[diffData](t, w.call("apply", args{"patch": "--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+n\n--- a/plain\n+++ /dev/null\n@@ -1 +0,0 @@\n-1\n"})).Files
	if len(out) != 2 || out[0].Status != added || out[1].Status != deleted || w.has("plain") {
		t.Errorf("%+v", out)
	}
}
