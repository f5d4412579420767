package configs

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"

	"tengen/internal/notation"
)

// MaxFile is the size, in bytes, of the largest file that is read as a configuration.
const MaxFile = 1 << 20

// readFile applies a YAML text to r. name is the file's path, for errors and sources.
func (r *Resolved) readFile(name string, text []byte) error {
	keys, err := notation.ParseYAML(name, text, "seed: 1")
	if err != nil {
		return err
	}
	l := loader{r: r, name: name, lines: map[string]int{}}
	return l.group("", keys)
}

// loader applies the keys of one file.
type loader struct {
	r      *Resolved
	name   string
	inFull bool           // keys may be written in full: search.simulations
	lines  map[string]int // the line of each key and group read so far
}

func (l *loader) errorAt(n ast.Node, form string, args ...any) error {
	return notation.ErrorAt(l.name, n, form, args...)
}

// group reads the keys of one group; prefix is "" at the top level, otherwise such as "search".
func (l *loader) group(prefix string, m ast.MapNode) error {
	for entries := m.MapRange(); entries.Next(); {
		node := entries.Key()
		word, ok := keyWord(node)
		if !ok {
			return l.errorAt(node, "a plain key is wanted, not %q", notation.OneLine(node.String()))
		}
		key := word
		if prefix != "" {
			key = prefix + "." + word
		}
		f, isKey := byKey[key]
		whole := l.inFull && prefix == ""
		if strings.Contains(word, ".") && !whole || !isKey && !isGroup(key) {
			if whole {
				return l.errorAt(node, "unknown key %q%s", word, nearestKey(word))
			}
			return l.errorAt(node, "unknown key %q%s", word, nearest(prefix, word))
		}
		if first, twice := l.lines[key]; twice {
			return l.errorAt(node, "%s is given twice, first on line %d", key, first)
		}
		l.lines[key] = notation.LineOf(node)

		var err error
		if isKey {
			err = l.scalar(f, node, entries.Value())
		} else {
			err = l.subgroup(key, node, entries.Value())
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (l *loader) subgroup(key string, at ast.Node, n ast.Node) error {
	switch body := n.(type) {
	case nil, *ast.NullNode:
		return nil
	case ast.MapNode:
		return l.group(key, body)
	}
	return l.errorAt(at, "%s is a group of keys (%s), not a value",
		key, strings.Join(children(key), ", "))
}

func (l *loader) scalar(f field, at, n ast.Node) error {
	source := Source{File: l.name, Line: notation.LineOf(at)}
	var v value
	switch body := n.(type) {
	case nil, *ast.NullNode:
		return l.errorAt(at, "%s has no value", f.key)
	case *ast.SequenceNode:
		v.isList = true
		var words []string
		for _, element := range body.Values {
			word, ok := scalarText(element)
			if !ok {
				return l.errorAt(element, "%s: an element of the list is not a plain value", f.key)
			}
			words = append(words, word.text)
		}
		v.text = "[" + strings.Join(words, ",") + "]"
	case *ast.AnchorNode, *ast.AliasNode, *ast.TagNode:
		return l.errorAt(at,
			"%s: anchors, aliases and tags are not supported; write the value itself", f.key)
	default:
		var ok bool
		if v, ok = scalarText(n); !ok {
			return l.errorAt(at, "%s is a key, not a group: a plain value is wanted", f.key)
		}
	}
	if err := f.set(&l.r.Config, v); err != nil {
		return source.explain(err.(*violation))
	}
	l.r.Sources[f.key] = source
	return nil
}

// keyWord returns the text of a key; it reports false for a merge key or a key that is not a
// scalar.
func keyWord(n ast.MapKeyNode) (string, bool) {
	if _, merge := n.(*ast.MergeKeyNode); merge {
		return "", false
	}
	v, ok := scalarText(n)
	return v.text, ok
}

// scalarText returns a scalar as written; it reports false if n is none.
func scalarText(n ast.Node) (value, bool) {
	switch s := n.(type) {
	case *ast.StringNode:
		quoted := s.Token.Type == token.SingleQuoteType || s.Token.Type == token.DoubleQuoteType
		return value{text: s.Value, quoted: quoted}, true
	case *ast.LiteralNode:
		return value{text: strings.TrimRight(s.Value.Value, "\n"), quoted: true}, true
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.InfinityNode, *ast.NanNode:
		return value{text: strings.TrimSpace(n.GetToken().Value)}, true
	}
	return value{}, false
}

// YAML returns every key with its value. Reading it gives an equal Config.
func (c *Config) YAML() ([]byte, error) { return c.write(nil) }

// YAML returns every key with its value and, with sources, a comment that gives the
// value's source.
func (r *Resolved) YAML(sources bool) ([]byte, error) {
	if !sources {
		return r.Config.YAML()
	}
	return r.Config.write(func(key string) string { return r.Sources[key].String() })
}

// write formats the keys, each followed by its comment unless comment is nil.
func (c *Config) write(comment func(key string) string) ([]byte, error) {
	type entry struct{ text, comment string }
	var entries []entry
	width, last := 0, ""
	for _, f := range fields {
		group, name := f.split()
		if group != last {
			entries = append(entries, entry{text: "\n" + group + ":"})
			last = group
		}
		if group != "" {
			name = "  " + name
		}
		v := f.of(c)
		text := format(v)
		if v.Kind() == reflect.String {
			var err error
			if text, err = quote(text); err != nil {
				return nil, fmt.Errorf("write %s: %w", f.key, err)
			}
		}
		e := entry{text: name + ": " + text}
		if comment != nil {
			e.comment = comment(f.key)
		}
		width = max(width, utf8.RuneCountInString(e.text))
		entries = append(entries, e)
	}
	var b bytes.Buffer
	for _, e := range entries {
		b.WriteString(e.text)
		if e.comment != "" {
			fmt.Fprintf(&b, "%*s  # %s", width-utf8.RuneCountInString(e.text), "", e.comment)
		}
		b.WriteByte('\n')
	}
	return b.Bytes(), nil
}

// bare matches texts that YAML reads unchanged without quotation marks.
var bare = regexp.MustCompile(`^[A-Za-z]([A-Za-z0-9_+./=,:\[\]-]*[A-Za-z0-9\]])?$`)

// quote returns text as a YAML scalar. JSON strings are valid double-quoted YAML.
func quote(text string) (string, error) {
	switch strings.ToLower(text) {
	case "true", "false", "null", "yes", "no", "on", "off", "y", "n", "inf", "nan":
	default:
		if bare.MatchString(text) {
			return text, nil
		}
	}
	b, err := json.Marshal(text)
	return string(b), err
}
