package page

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Real pages: those that readability is tested with. What it calls the article is in our text, but for a few words.
func TestRealPages(t *testing.T) {
	t.Parallel()
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "codeberg.org/readeck/go-readability/v2").Output()
	pages, _ := filepath.Glob(filepath.Join(strings.TrimSpace(string(out)), "test-pages", "*", "source.html"))
	if err != nil || len(pages) < 50 {
		t.Skip("the test pages of go-readability are not here")
	}
	good, main := 0, 0
	for _, file := range pages {
		expected, err := os.ReadFile(filepath.Join(filepath.Dir(file), "expected.html"))
		if err != nil {
			continue
		}
		p := Render(load(t, file), site(t), Markdown)
		want, got := splitWords(flat(string(expected))), splitWords(p.Text)
		slices.Sort(want)
		slices.Sort(got)
		name := filepath.Base(filepath.Dir(file))
		if missing := difference(want, got); len(missing)*33 <= len(want) {
			good++
		} else {
			t.Logf("%s: %d of %d words are missing", name, len(missing), len(want))
		}
		if p.Main {
			main++
		}
		if len(p.Notes) > 0 {
			t.Errorf("%s: %q", name, p.Notes)
		}
	}
	if good < len(pages)*97/100 || main < len(pages)*85/100 {
		t.Errorf("of %d pages %d have their article, %d a main content", len(pages), good, main)
	}
}
