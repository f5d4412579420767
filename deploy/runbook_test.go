package deploy

import (
	"flag"
	"fmt"
	"html"
	"os"
	"regexp"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write generated files anew")

// runbook is the page that alerts lead to, served by Prometheus itself: the section on alerts of
// docs/operations.md.
func runbook(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../docs/operations.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "\n## Alerts\n")
	section, _, _ = strings.Cut(section, "\n## ")
	var b strings.Builder
	b.WriteString(`<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>Tengen: what to do about an alert</title>
<style>body{font:16px/1.6 system-ui,sans-serif;max-width:46em;margin:2em auto;padding:0 1em}code{background:#eee;padding:0 .25em;border-radius:3px}:target{background:#fbeedd}</style>
<h1>Tengen: what to do about an alert</h1>
`)
	link := regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)
	code := regexp.MustCompile("`([^`]*)`")
	emphasis := regexp.MustCompile(`\*([^*]+)\*`)
	for _, paragraph := range strings.Split(strings.TrimSpace(section), "\n\n") {
		if strings.HasPrefix(paragraph, "The alerts of ") {
			continue // about the files, which the reader does not see
		}
		if title, rest, ok := strings.Cut(paragraph, "\n"); ok && strings.HasPrefix(title, "### ") {
			title = title[len("### "):]
			fmt.Fprintf(&b, "<h2 id=\"%s\">%s</h2>\n",
				strings.ToLower(title), html.EscapeString(title))
			paragraph = rest
		}
		paragraph = html.EscapeString(strings.ReplaceAll(paragraph, "\n", " "))
		paragraph = code.ReplaceAllString(link.ReplaceAllString(paragraph, "$1"), "<code>$1</code>")
		fmt.Fprintf(&b, "<p>%s</p>\n", emphasis.ReplaceAllString(paragraph, "<em>$1</em>"))
	}
	b.WriteString("</html>\n")
	return b.String()
}

// TestRunbook: the page is what the docs say, and has a section for each alert.
func TestRunbook(t *testing.T) {
	const path = "prometheus/user/runbook.html"
	want := runbook(t)
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil || string(got) != want {
		t.Errorf("%s is not what docs/operations.md says; go test ./deploy -run Runbook -update writes it anew (%v)", path, err)
	}
	for _, a := range alerts(t) {
		if !strings.Contains(want, fmt.Sprintf(`<h2 id="%s">`, strings.ToLower(a.Alert))) {
			t.Errorf("%s has no section in docs/operations.md", a.Alert)
		}
	}
}
