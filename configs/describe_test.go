package configs

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

var update = flag.Bool("update", false, "write meanings.txt anew")

var reflectConfig = reflect.TypeFor[Config]()

// plainMeanings are the comments of config.go as text for users: keys instead of Go's names.
func plainMeanings(t *testing.T) string {
	comments, groups := fieldComments(t), groupComments(t)
	names := map[string]string{} // Search.CPUCT, or CPUCT within search → the key
	for _, f := range fields {
		names[goName(t, f)] = f.key
	}
	name := regexp.MustCompile(`\b[A-Z][A-Za-z0-9]*(\.[A-Z][A-Za-z0-9]*)?\b`)
	said := func(group, text string) string {
		return name.ReplaceAllStringFunc(text, func(word string) string {
			if key, ok := names[word]; ok && strings.Contains(word, ".") {
				return key
			}
			if key, ok := names[group+"."+word]; ok && group != "" {
				_, own, _ := strings.Cut(key, ".")
				return own
			}
			if key, ok := names[word]; ok {
				return key
			}
			if key, ok := groups[word]; ok && key.key != "" && group != "" {
				return key.key
			}
			return word
		})
	}
	var b strings.Builder
	last := ""
	for _, f := range fields {
		full := goName(t, f)
		group, _, nested := strings.Cut(full, ".")
		if !nested {
			group = ""
		}
		if group != last && group != "" {
			g := groups[group]
			_, rest, _ := strings.Cut(said(group, g.text), " ") // the group's name
			rest, _ = strings.CutPrefix(rest, "is ")
			rest, _ = strings.CutPrefix(rest, "says ")
			fmt.Fprintf(&b, "%s: %s\n", g.key, capital(rest))
		}
		last = group
		text := comments[f.key]
		own, rest, _ := strings.Cut(text, " ")
		text = said(group, rest)
		switch {
		case strings.HasPrefix(text, "is "), strings.HasPrefix(text, "are "):
			_, text, _ = strings.Cut(text, " ")
		case strings.HasPrefix(text, "("), strings.HasPrefix(text, "of "),
			strings.HasPrefix(text, "and "), strings.HasPrefix(text, "times "):
			text = said(group, own) + " " + text
		}
		fmt.Fprintf(&b, "%s: %s\n", f.key, capital(text))
	}
	return b.String()
}

// capital returns text with a capital letter, unless it begins with a key, a value of one or a
// symbol.
func capital(text string) string {
	first, _, _ := strings.Cut(text, " ")
	first = strings.TrimRight(first, ",:")
	value := strings.Contains(first, "_") || utf8.RuneCountInString(first) == 1 && first != "A"
	for _, r := range rules {
		value = value ||
			slices.Contains(strings.Split(strings.TrimPrefix(r.want, "one of "), ", "), first)
	}
	for _, f := range fields {
		_, name := f.split()
		value = value || name == first && strings.HasPrefix(text, name+" (")
	}
	if value {
		return text
	}
	r := []rune(text)
	r[0] = unicode.ToUpper(r[0])
	return string(r)
}

// goName returns a key's name in Go: Search.CPUCT, or Seed.
func goName(t *testing.T, f field) string {
	t.Helper()
	typ, name := reflectConfig, ""
	for _, i := range f.index {
		x := typ.Field(i)
		name = strings.TrimPrefix(name+"."+x.Name, ".")
		typ = x.Type
	}
	return name
}

type groupComment struct{ key, text string }

// groupComments returns the comments of the groups' types by the groups' names in Go.
func groupComments(t *testing.T) map[string]groupComment {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "config.go", nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	list := map[string]groupComment{}
	for _, d := range file.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.TYPE {
			continue
		}
		name := g.Specs[0].(*ast.TypeSpec).Name.Name
		key := ""
		if f, ok := reflectConfig.FieldByName(name); ok {
			key = f.Tag.Get("json")
		}
		list[name] = groupComment{key, strings.Join(strings.Fields(g.Doc.Text()), " ")}
	}
	return list
}

// TestMeaningsStandAlone: `config --describe KEY` prints one meaning, so none may need the one
// before it, or a name of Go.
func TestMeaningsStandAlone(t *testing.T) {
	needs := regexp.MustCompile(`^(That|Those|These|Their|The same) |\b(that growth|that noise|that match|that factor|that parameter|such a position|each of them|between them|those players|afterwards|[Ss]ee Epsilon|[Ss]ee Window|Regularization)\b`)
	for key, meaning := range meanings() {
		if found := needs.FindString(meaning); found != "" {
			t.Errorf("%s says %q, which nobody understands who reads it alone: %s",
				key, found, meaning)
		}
	}
}

// TestMeanings: what users are told of keys is what config.go says.
func TestMeanings(t *testing.T) {
	want := plainMeanings(t)
	if *update {
		if err := os.WriteFile("meanings.txt", []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		meaningsText = want
	}
	if meaningsText != want {
		t.Error("meanings.txt is not what config.go says: go test ./configs -run TestMeanings -update writes it anew")
	}
}

// TestAdvice: each key has a unit and advice, and nothing else has.
func TestAdvice(t *testing.T) {
	for _, f := range fields {
		d := describe(f)
		if d.Meaning == "" || d.Limits == "" || d.When == "" {
			t.Errorf("%s: %+v; configs/advice.txt has a line for each key: KEY | UNIT | WHEN TO CHANGE IT | PUBLISHED", f.key, d)
		}
	}
	for key := range advices() {
		if _, ok := byKey[key]; !ok {
			t.Errorf("configs/advice.txt: there is no key %s", key)
		}
	}
	if n := strings.Count(adviceText, "\n"); n != len(fields) {
		t.Errorf("configs/advice.txt has %d lines, and there are %d keys", n, len(fields))
	}
}

func TestDescribe(t *testing.T) {
	list, err := Describe("search.simulations")
	if err != nil || len(list) != 1 || list[0].Default != "180" ||
		list[0].Limits != "a whole number from 0 to 10000000" ||
		list[0].Unit != "simulations a move" {
		t.Errorf("%+v, %v", list, err)
	}
	if list, err := Describe("replay"); err != nil || len(list) != 3 {
		t.Errorf("%d keys, %v", len(list), err)
	}
	if _, err := Describe("search.simulation"); err == nil ||
		!strings.Contains(err.Error(), `did you mean "search.simulations"`) &&
			!strings.Contains(err.Error(), "search.simulations") {
		t.Errorf("%v", err)
	}
}
