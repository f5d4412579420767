package archtest

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode"
)

// TestLinks follows every relative link of the module's Markdown files: the file exists, and so
// does the heading.
func TestLinks(t *testing.T) {
	files := pages(t, "../..")
	if files["README.md"] == "" || len(files) < 40 {
		t.Fatalf("only %d pages found", len(files))
	}
	broken := brokenLinks(files, func(name string) bool {
		_, err := os.Stat(filepath.Join("../..", filepath.FromSlash(name)))
		return err == nil
	})
	for _, line := range broken {
		t.Error(line)
	}
}

func TestBrokenLinksAreFound(t *testing.T) {
	files := map[string]string{
		"README.md": "[a](docs/a.md) [b](docs/b.md) [c](docs/a.md#two-words) [d](docs/a.md#third) ![e](docs/e.png)\n",
		"docs/a.md": "# A\n\n## Two `words`\n\n## Same\n\n## Same\n\n[x](#same-1) [y](#same-2) [z](../README.md) [w](https://example.org/no)\n\n" +
			"```\n# no heading\n[q](no.md)\n```\n\n    [r](no.md)\n\n`[s](no.md)` [u](#no-heading)\n",
	}
	want := []string{
		"README.md: docs/b.md does not exist",
		"README.md: docs/a.md has no heading #third",
		"README.md: docs/e.png does not exist",
		"docs/a.md: docs/a.md has no heading #same-2",
		"docs/a.md: docs/a.md has no heading #no-heading",
	}
	got := brokenLinks(files, func(name string) bool {
		return name == "README.md" || name == "docs/a.md"
	})
	seen := map[string]bool{}
	for _, line := range got {
		seen[line] = true
	}
	for _, line := range want {
		if !seen[line] {
			t.Errorf("not found: %s", line)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d lines, not %d: %q", len(got), len(want), got)
	}
}

// TestDesignNamesEveryPackage looks for each package in docs/design.md, by its path or the last
// part of it. Packages that serve tests alone and those below a folder internal may be left out.
func TestDesignNamesEveryPackage(t *testing.T) {
	text, err := os.ReadFile("../../docs/design.md")
	if err != nil {
		t.Fatal(err)
	}
	for name := range readModule(t) {
		if strings.HasSuffix(name, "test") || strings.Contains(name, "/internal/") ||
			name == "." {
			continue
		}
		if s := string(text); !strings.Contains(s, "`"+name+"`") &&
			!strings.Contains(s, "`"+path.Base(name)+"`") {
			t.Errorf("docs/design.md does not name package %s", name)
		}
	}
}

// pages returns the Markdown files below root by their slash-separated names. Runs and what tools
// write are left out.
func pages(t *testing.T, root string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		if d.IsDir() {
			switch base := d.Name(); {
			case rel == ".":
			case base[0] == '.', base == "node_modules", base == "testdata", rel == "runs",
				rel == "dist", rel == "shared":
				return fs.SkipDir
			}
			return nil
		}
		if strings.HasSuffix(rel, ".md") {
			text, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			files[rel] = string(text)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

var (
	fences   = regexp.MustCompile("(?ms)^[ ]*```.*?^[ ]*```[^`\n]*$")
	indented = regexp.MustCompile(`(?m)^(?:    |\t).*$`)
	spans    = regexp.MustCompile("`[^`\n]*`")
	link     = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading  = regexp.MustCompile(`(?m)^#{1,6} +(.*?)\s*$`)
)

// brokenLinks returns a line for each relative link whose file or heading is missing.
func brokenLinks(files map[string]string, exists func(name string) bool) []string {
	headings := map[string]map[string]bool{}
	for name, text := range files {
		headings[name] = anchors(fences.ReplaceAllString(text, ""))
	}
	var lines []string
	for name, text := range files {
		text = indented.ReplaceAllString(fences.ReplaceAllString(text, ""), "")
		for _, m := range link.FindAllStringSubmatch(spans.ReplaceAllString(text, ""), -1) {
			if strings.Contains(m[1], "://") || strings.HasPrefix(m[1], "mailto:") {
				continue
			}
			file, anchor, _ := strings.Cut(m[1], "#")
			target := name
			if file != "" {
				target = path.Join(path.Dir(name), file)
			}
			if !exists(target) {
				lines = append(lines, name+": "+target+" does not exist")
			} else if anchor != "" && headings[target] != nil && !headings[target][anchor] {
				lines = append(lines, name+": "+target+" has no heading #"+anchor)
			}
		}
	}
	return lines
}

// anchors returns the names by which GitHub links to a page's headings: lower case, spaces as
// hyphens, punctuation left out, and a number behind a repeated one.
func anchors(text string) map[string]bool {
	names := map[string]bool{}
	times := map[string]int{}
	for _, m := range heading.FindAllStringSubmatch(text, -1) {
		title := link.ReplaceAllString(m[1], "]")
		slug := strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsNumber(r):
				return unicode.ToLower(r)
			}
			return -1
		}, title)
		name := slug
		if n := times[slug]; n > 0 {
			name += "-" + strconv.Itoa(n)
		}
		times[slug]++
		names[name] = true
	}
	return names
}
