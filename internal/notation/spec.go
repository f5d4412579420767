package notation

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Spec is a parsed text whose keys have not been checked.
type Spec struct {
	Name   string
	Bare   string // the argument without a key, "" if there is none
	keys   []string
	args   map[string]string
	quoted map[string]bool // keys whose values were in quotation marks
}

// Arg returns the value of a key, "" if it is not given.
func (s *Spec) Arg(key string) string { return s.args[key] }

// String returns the text that Parse reads as s.
func (s *Spec) String() string {
	var parts []string
	if s.Bare != "" {
		parts = append(parts, Quote(s.Bare))
	}
	for _, k := range s.keys {
		value := s.args[k]
		if s.quoted[k] {
			value = Quote(value)
		}
		parts = append(parts, k+"="+value)
	}
	if len(parts) == 0 {
		return s.Name
	}
	return s.Name + ":" + strings.Join(parts, ",")
}

// Param is a key that a name accepts.
type Param struct {
	Key     string
	Default string // as written; "" means absent
	Help    string // one line
	Short   string // another name that is read for the key, and not shown; "" if there is none
}

// maxBytes is the length of a text. Errors quote it, some more than once.
const maxBytes = 16 << 10

// Parse parses a text such as "go:size=5,komi=[0,0,0]".
func Parse(text string) (*Spec, error) {
	if len(text) > maxBytes {
		return nil, fmt.Errorf("a name of %d bytes, such as %.20q…; at most %d are wanted",
			len(text), text, maxBytes)
	}
	name, rest, found := strings.Cut(text, ":")
	s := &Spec{Name: strings.TrimSpace(name), args: map[string]string{}}
	if s.Name == "" {
		return nil, fmt.Errorf("a name is missing; write it as name:key=value,key=value")
	}
	if !found {
		return s, nil
	}
	parts, err := split(rest)
	if err != nil {
		return nil, err
	}
	for i, p := range parts {
		switch {
		case !p.keyed && i == 0 && p.value != "":
			s.Bare = p.value
		case !p.keyed || p.key == "" || p.value == "":
			return nil, fmt.Errorf("%q is not key=value", p.text)
		default:
			if _, twice := s.args[p.key]; twice {
				return nil, fmt.Errorf("key %q is given twice", p.key)
			}
			s.keys = append(s.keys, p.key)
			s.args[p.key] = p.value
			if p.quoted {
				if s.quoted == nil {
					s.quoted = map[string]bool{}
				}
				s.quoted[p.key] = true
			}
		}
	}
	return s, nil
}

// Values are the arguments and defaults of a spec. Its methods parse them by type; Err
// returns the first error.
type Values struct {
	Bare  string
	args  map[string]string
	given map[string]bool
	err   error
}

// Values checks the keys against params and adds defaults.
func (s *Spec) Values(params []Param) (*Values, error) {
	known := make([]string, len(params))
	v := &Values{Bare: s.Bare, args: map[string]string{}, given: map[string]bool{}}
	for i, p := range params {
		known[i] = p.Key
		v.args[p.Key] = p.Default
	}
	for _, written := range s.keys {
		key := written
		if _, ok := v.args[key]; !ok {
			i := slices.IndexFunc(params, func(p Param) bool { return p.Short == key })
			if i < 0 {
				return nil, fmt.Errorf("%s has no key %q%s; its keys are %s",
					s.Name, key, DidYouMean(key, known), list(known))
			}
			if key = params[i].Key; s.args[key] != "" {
				return nil, fmt.Errorf("%s and %s are given, which are one key", key, written)
			}
		}
		v.args[key] = s.args[written]
		v.given[key] = true
	}
	return v, nil
}

func list(words []string) string {
	if len(words) == 0 {
		return "none"
	}
	return strings.Join(words, ", ")
}

// Given reports whether the text contains the key.
func (v *Values) Given(key string) bool { return v.given[key] }

// Err returns the first error of the other methods.
func (v *Values) Err() error { return v.err }

// Fail records an error about a key's value, unless there is one already.
func (v *Values) Fail(key, want string) {
	if v.err == nil {
		v.err = fmt.Errorf("%s=%s: %s", key, v.args[key], want)
	}
}

// String returns the value as written.
func (v *Values) String(key string) string { return v.args[key] }

// Int parses a whole number from lo to hi; on an error it returns lo.
func (v *Values) Int(key string, lo, hi int) int {
	n, err := strconv.Atoi(v.args[key])
	if err != nil || n < lo || n > hi {
		v.Fail(key, fmt.Sprintf("a whole number from %d to %d is wanted", lo, hi))
		return lo
	}
	return n
}

// Float parses a finite number from lo to hi; on an error it returns lo.
func (v *Values) Float(key string, lo, hi float64) float64 {
	x, err := strconv.ParseFloat(v.args[key], 64)
	if err != nil || math.IsInf(x, 0) || !(x >= lo && x <= hi) {
		v.Fail(key, fmt.Sprintf("a number from %g to %g is wanted", lo, hi))
		return lo
	}
	return x
}

// Bool parses true or false.
func (v *Values) Bool(key string) bool {
	b, err := strconv.ParseBool(v.args[key])
	if err != nil {
		v.Fail(key, "true or false is wanted")
	}
	return b
}

// Choice returns the value, which must be one of words; on an error it returns the first.
func (v *Values) Choice(key string, words ...string) string {
	for _, w := range words {
		if v.args[key] == w {
			return w
		}
	}
	v.Fail(key, "one of "+strings.Join(words, ", ")+" is wanted"+DidYouMean(v.args[key], words))
	return words[0]
}

// Floats parses a list of finite numbers in brackets; it returns nil for an absent value.
func (v *Values) Floats(key string) []float64 {
	text := v.args[key]
	if text == "" {
		return nil
	}
	inner, ok := strings.CutPrefix(text, "[")
	inner, ok2 := strings.CutSuffix(inner, "]")
	if !ok || !ok2 {
		v.Fail(key, "a list in brackets is wanted, such as [0,0.5]")
		return nil
	}
	xs := []float64{}
	if strings.TrimSpace(inner) == "" {
		return xs
	}
	for _, word := range strings.Split(inner, ",") {
		x, err := strconv.ParseFloat(strings.TrimSpace(word), 64)
		if err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
			v.Fail(key, fmt.Sprintf("%q is not a finite number", word))
			return nil
		}
		xs = append(xs, x)
	}
	return xs
}

// Format returns a list in the notation that Floats parses.
func Format(xs []float64) string {
	words := make([]string, len(xs))
	for i, x := range xs {
		words[i] = strconv.FormatFloat(x, 'g', -1, 64)
	}
	return "[" + strings.Join(words, ",") + "]"
}

// part is an argument of a text: a bare one, or a key with its value.
type part struct {
	text          string // as written
	key, value    string
	keyed, quoted bool
}

// split splits text at the commas outside brackets and quotation marks.
func split(text string) (parts []part, err error) {
	for rest := text; ; {
		p, n, err := first(rest)
		if err != nil {
			return nil, fmt.Errorf("%w in %q", err, text)
		}
		if parts = append(parts, p); n == len(rest) {
			return parts, nil
		}
		rest = rest[n+1:]
	}
}

// first returns the first part of text and where it ends: at a comma, or at the end.
func first(text string) (p part, end int, err error) {
	depth, begin := 0, 0 // begin is that of the value
	for end = 0; end < len(text); end++ {
		switch text[end] {
		case '[':
			depth++
		case ']':
			if depth--; depth < 0 {
				return p, 0, fmt.Errorf("unmatched closing bracket")
			}
		case '=':
			if !p.keyed {
				p.keyed, p.key, begin = true, strings.TrimSpace(text[:end]), end+1
			}
		case '"':
			if strings.TrimSpace(text[begin:end]) != "" {
				continue // in the middle of a word
			}
			quoted, err := strconv.QuotedPrefix(text[end:])
			if err != nil {
				return p, 0, fmt.Errorf("unmatched quotation mark")
			}
			if p.value, err = strconv.Unquote(quoted); err != nil {
				return p, 0, err
			}
			p.quoted = true
			end += len(quoted)
			end += len(text[end:]) - len(strings.TrimLeft(text[end:], " \t"))
			if end < len(text) && text[end] != ',' {
				return p, 0, fmt.Errorf("text after a quotation mark, where a comma is wanted,")
			}
			p.text = text[:end]
			return p, end, nil
		}
		if text[end] == ',' && depth == 0 {
			break
		}
	}
	if depth != 0 && end == len(text) {
		return p, 0, fmt.Errorf("unmatched opening bracket")
	}
	p.text, p.value = text[:end], strings.TrimSpace(text[begin:end])
	return p, end, nil
}

// Quote returns a word as Parse reads it as one value: as it is, or in quotation marks as those of
// Go if it has a character that the notation uses, or one that does not print.
func Quote(word string) string {
	plain := word != "" && word[0] != '"' && !strings.ContainsAny(word, ",;=[]") &&
		strings.TrimSpace(word) == word && utf8.ValidString(word)
	if plain && !strings.ContainsFunc(word, func(r rune) bool { return !strconv.IsPrint(r) }) {
		return word
	}
	return strconv.Quote(word)
}

// List splits a list of texts at the semicolons outside quotation marks.
func List(text string) (list []string) {
	begin, within := 0, false
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == '\\' && within:
			i++
		case text[i] == '"' && (within || i > 0 && strings.ContainsRune(":=", rune(text[i-1]))):
			within = !within
		case text[i] == ';' && !within:
			list = append(list, text[begin:i])
			begin = i + 1
		}
	}
	return append(list, text[begin:])
}
