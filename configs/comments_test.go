package configs

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"strings"
	"testing"
)

// The comments in config.go, which document the keys, begin with the field's name
// and give the limits and words of rules.go.
func TestCommentsGiveTheLimits(t *testing.T) {
	comments := fieldComments(t)
	for _, r := range rules {
		comment, ok := comments[r.key]
		if !ok {
			t.Errorf("%s has no comment", r.key)
			continue
		}
		var lo, hi string
		limits := ""
		switch {
		case scan(r.want, "a whole number from %s to %s", &lo, &hi),
			scan(r.want, "a number from %s to %s", &lo, &hi):
			limits = fmt.Sprintf(`\b%s( \([^)]*\))? to (%s|[A-Z]\w+)\b`,
				regexp.QuoteMeta(lo), regexp.QuoteMeta(hi))
		case scan(r.want, "a number above %s to %s", &lo, &hi):
			limits = fmt.Sprintf(`\babove %s, to %s\b`,
				regexp.QuoteMeta(strings.TrimSuffix(lo, ",")),
				regexp.QuoteMeta(strings.TrimSuffix(hi, ",")))
		case strings.HasPrefix(r.want, "one of "):
			for _, word := range strings.Split(strings.TrimPrefix(r.want, "one of "), ", ") {
				if !regexp.MustCompile(`(^|[ (])` + regexp.QuoteMeta(word) + `([ ,.;:)]|$)`).
					MatchString(comment) {
					t.Errorf("%s: the comment does not name %s: %s", r.key, word, comment)
				}
			}
		}
		if !regexp.MustCompile(limits).MatchString(comment) {
			t.Errorf("%s: the comment does not give %s: %s", r.key, r.want, comment)
		}
	}
}

func scan(text, form string, to ...any) bool {
	n, err := fmt.Sscanf(text, form, to...)
	return n == len(to) && err == nil
}

// fieldComments returns the comments of the fields in config.go by key.
func fieldComments(t *testing.T) map[string]string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "config.go", nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	structs := map[string]*ast.StructType{}
	ast.Inspect(file, func(n ast.Node) bool {
		if spec, ok := n.(*ast.TypeSpec); ok {
			structs[spec.Name.Name], _ = spec.Type.(*ast.StructType)
		}
		return true
	})
	comments := map[string]string{}
	var walk func(s *ast.StructType, prefix string)
	walk = func(s *ast.StructType, prefix string) {
		for _, f := range s.Fields.List {
			key := prefix + regexp.MustCompile(`"(.*)"`).FindStringSubmatch(f.Tag.Value)[1]
			if id, ok := f.Type.(*ast.Ident); ok && structs[id.Name] != nil {
				walk(structs[id.Name], key+".")
				continue
			}
			comments[key] = strings.Join(strings.Fields(f.Doc.Text()), " ")
			if name := f.Names[0].Name; !strings.HasPrefix(comments[key], name+" ") {
				t.Errorf("%s: the comment does not begin with %s: %s", key, name, comments[key])
			}
		}
	}
	walk(structs["Config"], "")
	return comments
}
