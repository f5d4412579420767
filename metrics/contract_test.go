package metrics

import (
	"flag"
	"fmt"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite docs/metrics.md")

// page is the documented contract; the text between the marks is generated.
const (
	page  = "../docs/metrics.md"
	begin = "<!-- generated: go test ./metrics -run TestPage -update -->\n"
	end   = "\n<!-- end of what is generated -->\n"
)

// The page lists the families of the registry.
func TestPage(t *testing.T) {
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok1 := strings.Cut(string(text), begin)
	got, after, ok2 := strings.Cut(rest, end)
	if !ok1 || !ok2 {
		t.Fatalf("%s lacks the marks around the contract", page)
	}
	if *update {
		if err := os.WriteFile(page, []byte(before+begin+markdown()+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if got != markdown() {
		t.Errorf("%s is out of date: go test ./metrics -run TestPage -update", page)
	}
}

// The page's text names only existing metrics.
func TestPageNamesExistingMetrics(t *testing.T) {
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	there := map[string]bool{}
	for _, f := range Contract() {
		there[f.Name] = true
	}
	for _, name := range regexp.MustCompile(`tengen_[a-z_]+[a-z]`).FindAllString(string(text), -1) {
		for _, suffix := range []string{"_bucket", "_sum", "_count"} {
			name = strings.TrimSuffix(name, suffix)
		}
		if !there[name] {
			t.Errorf("%s is not a metric", name)
		}
	}
}

func TestContract(t *testing.T) {
	m := known(nil)
	families, err := m.registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	types := map[string]string{}
	for _, f := range families {
		types[f.GetName()] = strings.ToLower(f.GetType().String())
	}
	seen := map[string]bool{}
	for _, f := range Contract() {
		if types[f.Name] != f.Type {
			t.Errorf("%s is a %q, in the contract a %s", f.Name, types[f.Name], f.Type)
		}
		if !slices.Contains(Sections(), f.Section) || !strings.HasSuffix(f.Help, ".") ||
			seen[f.Name] {
			t.Errorf("the entry of %s: %+v", f.Name, f)
		}
		if counts := f.Type == counter; counts != strings.HasSuffix(f.Name, "_total") {
			t.Errorf("%s is a %s", f.Name, f.Type)
		}
		for _, l := range f.Labels {
			if l.Values == "" || l.Name == "run" {
				t.Errorf("%s: label %+v", f.Name, l)
			}
		}
		seen[f.Name] = true
	}
}

// markdown returns the contract as it appears in docs/metrics.md: names with their labels, and
// the first clause of what they mean. Types other than counter and gauge are told.
func markdown() string {
	var b strings.Builder
	section := ""
	for _, f := range Contract() {
		if f.Section != section {
			section = f.Section
			fmt.Fprintf(&b, "\n### %s\n\n", section)
		}
		name := f.Name
		if len(f.Labels) > 0 {
			name += "{" + strings.Join(names(f.Labels), ",") + "}"
		}
		help := strings.TrimSuffix(f.Help, ".")
		for _, end := range []string{"; ", ". ", ": ", " ("} {
			help, _, _ = strings.Cut(help, end)
		}
		if f.Type != counter && f.Type != gauge {
			help += " (" + f.Type + ")"
		}
		fmt.Fprintf(&b, "- `%s`: %s\n", name, help)
	}
	return b.String()
}

// TestRunNotUTF8: the metrics of a run whose folder's name is not UTF-8 can be read.
func TestRunNotUTF8(t *testing.T) {
	m := New(&Options{Run: "caf\xe9"})
	w := httptest.NewRecorder()
	m.Handler().ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	if w.Code != 200 || !strings.Contains(w.Body.String(), `run="caf`+"\uFFFD"+`"`) {
		t.Errorf("%d: %.200s", w.Code, w.Body)
	}
}
