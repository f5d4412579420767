package configs

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"unicode/utf8"
)

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
