package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"tengen/cmd"
	"tengen/configs"
	"tengen/research"
	"tengen/research/ablation"
	"tengen/research/anchors"
	"tengen/research/cards"
	"tengen/research/lab"
	"tengen/research/multigo"
	"tengen/research/truth"
	"tengen/research/turtlerace"
)

// TestPagesNameWhatExists checks every command, flag and configuration key that the module's pages
// name in code: none is one that the program does not have. The history of changes may name what is
// gone.
func TestPagesNameWhatExists(t *testing.T) {
	known := configs.Keys()
	commands, keys := 0, 0
	for name, text := range markdown(t, filepath.Join("..", "..")) {
		lines, spans := code(text)
		for _, line := range append(lines, spans...) {
			for _, words := range invocations(line) {
				commands++
				if problem := wrongCommand(words); problem != "" {
					t.Errorf("%s: %s: %s", name, strings.Join(words, " "), problem)
				}
			}
		}
		for _, span := range append(spans, settings(lines)...) {
			if key := keyOf(span); key != "" {
				keys++
				if !slices.Contains(known, key) {
					t.Errorf("%s: there is no key %s", name, key)
				}
			}
		}
	}
	if commands < 150 || keys < 150 {
		t.Errorf("only %d commands and %d keys found", commands, keys)
	}
}

// TestResultsAreOnTheirPages checks that each page of results in docs/results that a command makes
// is what the results beside it give.
func TestResultsAreOnTheirPages(t *testing.T) {
	layouts := map[string]*research.Layout{
		"connect-four": truth.Layout, "go": multigo.Layout, "representative-moves": cards.Layout,
		"ruler":          anchors.Layout,
		"search-options": ablation.Layout, "turtle-race": turtlerace.Layout,
	}
	folder := filepath.Join("..", "..", "docs", "results")
	for _, group := range []string{"learning", "hidden"} {
		labs, err := filepath.Glob(filepath.Join(folder, group, "*.md"))
		if err != nil || len(labs) == 0 {
			t.Fatalf("%v: no pages of labs in %s", err, group)
		}
		for _, name := range labs {
			layouts[filepath.Join(group,
				strings.TrimSuffix(filepath.Base(name), ".md"))] = lab.Layout
		}
	}
	for name, layout := range layouts {
		page, err := research.ReadPage(filepath.Join(folder, name+".md"), layout)
		if err != nil {
			t.Error(err)
			continue
		}
		text, err := os.ReadFile(filepath.Join(folder, name+".md"))
		if err != nil {
			t.Error(err)
		} else if got := page.Markdown(); got != string(text) {
			at, line := 0, 1
			for at < min(len(got), len(text)) && got[at] == text[at] {
				if got[at] == '\n' {
					line++
				}
				at++
			}
			t.Errorf("docs/results/%s.md differs from what the results in its folder give, from line %d on", name, line)
		}
	}
}

// TestREADMENamesAll checks that README.md names every command and every preset.
func TestREADMENamesAll(t *testing.T) {
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range configs.PresetNames() {
		if !strings.Contains(string(text), "`"+name+"`") {
			t.Errorf("no preset %s", name)
		}
	}
	for _, c := range program().Root().Commands() {
		row := "| `" + belongs(c) + " " + c.Name()
		named := strings.Contains(string(text), row+" ") || strings.Contains(string(text), row+"`")
		if !named && !c.Hidden &&
			!slices.Contains([]string{"completion", "help", "version"}, c.Name()) {
			t.Errorf("no command %s", c.Name())
		}
	}
}

func TestWrongCommandsAreFound(t *testing.T) {
	for line, want := range map[string]string{
		"tengen train quick --set seed=1 --dry-run":           "",
		"$ go run ./cmd/tengen eval runs/x --games 3  # nice": "",
		`tengen gtp x --against "gnugo --mode gtp" --games 2`: "",
		"tengen dance":                 "no such command",
		"tengen train --dance":         "no flag --dance",
		"x; tengen eval y --dance=3":   "no flag --dance",
		"tengen games dance --size 3":  "no flag --size",
		"tengen games solve g --out f": "",
		"tengen-lab reproduce dance":   "no such command",
		"tengen reproduce all":         "no such command",
	} {
		found := invocations(line)
		if len(found) != 1 {
			t.Errorf("%s: %d commands", line, len(found))
			continue
		}
		if got := wrongCommand(found[0]); got != want {
			t.Errorf("%s: %q, not %q", line, got, want)
		}
	}
	for span, want := range map[string]string{
		"search.simulations":     "search.simulations",
		"training.dance: 3":      "training.dance",
		"training.l2=1e-4":       "training.l2",
		"search.Group":           "",
		"replay.md":              "",
		"a search.simulations b": "",
	} {
		if got := keyOf(span); got != want {
			t.Errorf("%s: %q, not %q", span, got, want)
		}
	}
}

// markdown returns the pages below root by name, without the history of changes and what tests and
// tools write.
func markdown(t *testing.T, root string) map[string]string {
	t.Helper()
	pages := map[string]string{}
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		base := d.Name()
		if d.IsDir() && name != root &&
			(base[0] == '.' ||
				slices.Contains([]string{
					"runs", "dist", "shared", "testdata", "node_modules",
				}, base)) {
			return fs.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(base, ".md") || base == "CHANGELOG.md" {
			return nil
		}
		text, err := os.ReadFile(name)
		pages[filepath.ToSlash(name)] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return pages
}

var (
	fence     = regexp.MustCompile("(?ms)^ *```[^\n]*\n(.*?)^ *```")
	codeSpan  = regexp.MustCompile("`([^`\n]+)`")
	continued = regexp.MustCompile(`\\\n\s*`)
	called    = regexp.MustCompile(`(?:^|[;(|&$] *|[A-Z_]+=\S+ |timeout \d+ )(?:go run (?:-tags gpu )?\./cmd/|\./)?(tengen(?:-lab)?)\s+(.+)`)
	word      = regexp.MustCompile(`'[^']*'|"[^"]*"|\S+`)
	setting   = regexp.MustCompile(`--set '?([a-z_0-9.]+=)`)
	keyText   = regexp.MustCompile(`^([a-z0-9_]+)\.[a-z0-9_]+(?:[:=] ?\S*)?$`)
)

// code returns the lines of a page's code blocks, those that are continued joined, and its code in
// running text.
func code(text string) (lines, spans []string) {
	for _, m := range fence.FindAllStringSubmatch(text, -1) {
		lines = append(lines, strings.Split(continued.ReplaceAllString(m[1], ""), "\n")...)
	}
	text = continued.ReplaceAllString(fence.ReplaceAllString(text, ""), "")
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "    ") && strings.Contains(line, "tengen ") {
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	for _, m := range codeSpan.FindAllStringSubmatch(text, -1) {
		spans = append(spans, strings.ReplaceAll(m[1], `\|`, "|"))
	}
	return lines, spans
}

// invocations returns the words of each call of a program in a line of code, its name first, up to
// a comment or another program.
func invocations(line string) [][]string {
	m := called.FindStringSubmatch(line)
	if m == nil {
		return nil
	}
	words := []string{m[1]}
	for _, w := range word.FindAllString(m[2], -1) {
		if w[0] == '#' || slices.Contains([]string{"|", "&", "&&", ">", ";", "2>"}, w) {
			break
		}
		words = append(words, strings.Split(w, "|")[0]) // of alternatives the first
		if strings.HasSuffix(w, ";") {
			break
		}
	}
	if len(words) == 1 || !regexp.MustCompile(`^[a-z]+$`).MatchString(words[1]) {
		return nil
	}
	return [][]string{words}
}

// wrongCommand returns what is wrong with the words of a command, as far as its name and its flags
// tell.
func wrongCommand(words []string) string {
	if len(words) > 2 && words[2] == "1" { // the first line of a file's format, with its version
		return ""
	}
	root := cmd.Root()
	if words[0] == "tengen-lab" {
		root = program().Root()
	}
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	c, rest, err := root.Find(words[1:])
	// what they take is a command
	group := slices.Contains([]string{"bench", "completion", "reproduce"}, c.Name())
	if err != nil || c == root ||
		group && len(rest) > 0 && regexp.MustCompile(`^[a-z]`).MatchString(rest[0]) &&
			!strings.HasSuffix(rest[0], "…") {
		return "no such command"
	}
	c.InitDefaultHelpFlag()
	for _, w := range rest {
		w = strings.TrimRight(w, ",.;:)…")
		name, _, _ := strings.Cut(w, "=")
		var f *pflag.Flag
		switch {
		case strings.HasPrefix(name, "--") && len(name) > 2:
			f = c.Flag(name[2:])
		case len(name) == 2 && name[0] == '-' && name[1] >= 'a':
			f = c.Flags().ShorthandLookup(name[1:])
		default:
			continue
		}
		if f == nil {
			return "no flag " + name
		}
	}
	return ""
}

// settings returns the keys of --set in lines of code.
func settings(lines []string) []string {
	var keys []string
	for _, line := range lines {
		for _, m := range setting.FindAllStringSubmatch(line, -1) {
			keys = append(keys, m[1])
		}
	}
	return keys
}

// keyOf returns the configuration key that a piece of code names, or "".
func keyOf(span string) string {
	m := keyText.FindStringSubmatch(span)
	if m == nil {
		return ""
	}
	key := strings.TrimRight(strings.FieldsFunc(span, func(r rune) bool {
		return r == ':' || r == '='
	})[0], " ")
	if !slices.ContainsFunc(configs.Keys(), func(k string) bool {
		return strings.HasPrefix(k, m[1]+".")
	}) {
		return ""
	}
	if slices.Contains([]string{".md", ".go", ".json", ".jsonl", ".yaml", ".zip", ".txt", ".svg"},
		filepath.Ext(key)) {
		return ""
	}
	return key
}
