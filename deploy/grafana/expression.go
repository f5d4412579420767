package grafana

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"tengen/metrics"
)

var (
	// selector is a metric's name and its label matchers, or the bracket of its range.
	selector = regexp.MustCompile(`([a-zA-Z_:][a-zA-Z0-9_:]*)\s*(?:\{([^}]*)\}|\[)`)
	// bare is a name with one of our prefixes, whatever follows.
	bare    = regexp.MustCompile(`\b(?:tengen|process|go)_[a-z0-9_]+`)
	matcher = regexp.MustCompile(`([a-zA-Z_][a-zA-Z0-9_]*)\s*(?:=~|!~|!=|=)`)
	quoted  = regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)
)

// common are the labels that every series has.
var common = []string{"run", "instance", "job"}

// CheckExpression returns the metrics in an expression that families lack (except up, which
// Prometheus provides), and labels that the metrics do not have.
func CheckExpression(expr string, families []metrics.Family) []string {
	var problems []string
	find := func(name string) *metrics.Family {
		for i := range families {
			f := &families[i]
			if name == f.Name && f.Type != "histogram" ||
				len(f.Name) < len(name) &&
					slices.Contains(suffixes[f.Type], strings.TrimPrefix(name, f.Name)) {
				return f
			}
		}
		return nil
	}
	plain := quoted.ReplaceAllString(expr, `""`)
	for _, m := range selector.FindAllStringSubmatch(plain, -1) {
		name := m[1]
		f := find(name)
		if f == nil {
			if name != "up" {
				problems = append(problems, fmt.Sprintf("%s is not a metric", name))
			}
			continue
		}
		for _, l := range matcher.FindAllStringSubmatch(m[2], -1) {
			known := slices.Contains(common, l[1]) ||
				l[1] == "le" && strings.HasSuffix(name, "_bucket")
			if !known && !slices.ContainsFunc(f.Labels, func(x metrics.Label) bool {
				return x.Name == l[1]
			}) {
				problems = append(problems, fmt.Sprintf("%s has no label %s", name, l[1]))
			}
		}
	}
	for _, name := range bare.FindAllString(plain, -1) {
		if find(name) == nil {
			problems = append(problems, fmt.Sprintf("%s is not a metric", name))
		}
	}
	slices.Sort(problems)
	return slices.Compact(problems)
}

// suffixes are the suffixes of a family's series, by type.
var suffixes = map[string][]string{
	"histogram": {"_bucket", "_sum", "_count"},
	"summary":   {"_sum", "_count"},
}
