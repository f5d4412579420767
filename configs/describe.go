package configs

import (
	_ "embed"
	"fmt"
	"hash/fnv"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"

	"tengen/internal/notation"
)

// advice.txt has a line for each key: its unit (– for none), when to change it, and what published
// systems use.
//
//go:embed advice.txt
var adviceText string

// meanings.txt has a line for each key and group: the comments of config.go, with keys in place of
// Go's names. A test writes it.
//
//go:embed meanings.txt
var meaningsText string

// Description is what is known of a key.
type Description struct {
	Key         string        `json:"key"`
	Meaning     string        `json:"meaning"`
	Unit        string        `json:"unit,omitempty"`
	Limits      string        `json:"limits"` // "a whole number from 1 to 10"
	Default     string        `json:"default"`
	Presets     []PresetValue `json:"presets,omitempty"` // other values than the default, by name
	When        string        `json:"when"`              // to change it
	Published   string        `json:"published,omitempty"`
	Resume      string        `json:"resume"` // whether a run can be resumed with another value
	Environment string        `json:"environment"`
}

// PresetValue is the value of a key in presets.
type PresetValue struct {
	Value   string   `json:"value"`
	Presets []string `json:"presets"`
}

// advice is a line of advice.txt.
type advice struct{ unit, when, published string }

var advices = sync.OnceValue(func() map[string]advice {
	m := map[string]advice{}
	for line := range strings.Lines(adviceText) {
		words := strings.Split(strings.TrimSpace(line), " | ")
		for len(words) < 4 {
			words = append(words, "")
		}
		m[words[0]] = advice{strings.Trim(words[1], "–"), words[2], words[3]}
	}
	return m
})

var meanings = sync.OnceValue(func() map[string]string {
	m := map[string]string{}
	for line := range strings.Lines(meaningsText) {
		key, text, _ := strings.Cut(strings.TrimSpace(line), ": ")
		m[key] = text
	}
	return m
})

// presetConfigs are the configurations of the presets, by name.
var presetConfigs = sync.OnceValue(func() map[string]*Config {
	m := map[string]*Config{}
	for _, name := range PresetNames() {
		r, err := Resolve(Options{Name: name})
		if err != nil {
			panic(err) // a test resolves them all
		}
		m[name] = &r.Config
	}
	return m
})

// Describe returns the descriptions of a key or of a group's keys; of all keys for "". An unknown
// name is an error, which suggests the nearest one.
func Describe(name string) ([]Description, error) {
	var list []Description
	for _, f := range fields {
		if name == "" || f.key == name || strings.HasPrefix(f.key, name+".") {
			list = append(list, describe(f))
		}
	}
	if list == nil {
		names := Keys()
		for _, f := range fields {
			if group, _ := f.split(); group != "" && !slices.Contains(names, group) {
				names = append(names, group)
			}
		}
		near := nearestKey(name)
		if near == "" {
			near = notation.DidYouMean(name, names)
		}
		return nil, fmt.Errorf("there is no key or group %q%s; `%s` lists all",
			name, near, notation.Command("config"))
	}
	return list, nil
}

// firstSentence matches a sentence that another one follows.
var firstSentence = regexp.MustCompile(`^(.*?)\. \p{Lu}`)

// Summary returns the first sentence of a key's meaning, without the full stop.
func Summary(key string) string {
	text := meanings()[key]
	if m := firstSentence.FindStringSubmatch(text); m != nil {
		return m[1]
	}
	return strings.TrimSuffix(text, ".")
}

func describe(f field) Description {
	def := Default()
	a := advices()[f.key]
	d := Description{
		Key: f.key, Meaning: meanings()[f.key], Unit: a.unit, When: a.when, Published: a.published,
		Default: shown(format(f.of(&def))), Environment: EnvironmentName(f.key), Resume: "yes",
	}
	for _, r := range rules {
		if r.key == f.key {
			d.Limits = strings.TrimSuffix(r.want, ",")
		}
	}
	other := Change{Key: f.key, Old: format(f.of(&def)), New: "another"}
	switch r, why := other.OnResume(); r {
	case Impossible:
		d.Resume = "no: " + why
	case Unwise:
		d.Resume = "only if --set names it: " + why
	}
	for _, name := range PresetNames() {
		value := shown(format(f.of(presetConfigs()[name])))
		if value == d.Default {
			continue
		}
		i := slices.IndexFunc(d.Presets, func(p PresetValue) bool { return p.Value == value })
		if i < 0 {
			i = len(d.Presets)
			d.Presets = append(d.Presets, PresetValue{Value: value})
		}
		d.Presets[i].Presets = append(d.Presets[i].Presets, name)
	}
	return d
}

// shown returns a value, which may be empty, as it is written.
func shown(value string) string {
	if value == "" {
		return `""`
	}
	return value
}

// DescriptionIndent is the column at which the values of Description.Text begin.
const DescriptionIndent = 13

// Text returns the description as lines for a terminal, not yet wrapped.
func (d *Description) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", d.Key)
	line := func(name, text string) {
		if text != "" {
			fmt.Fprintf(&b, "  %-10s %s\n", name, text)
		}
	}
	line("meaning", d.Meaning)
	line("unit", d.Unit)
	line("limits", d.Limits)
	line("default", d.Default)
	for i, p := range d.Presets {
		name := ""
		if i == 0 {
			name = "presets"
		}
		fmt.Fprintf(&b, "  %-10s %s: %s\n", name, p.Value, strings.Join(p.Presets, ", "))
	}
	line("published", d.Published)
	line("change", d.When)
	line("resume", d.Resume)
	line("variable", d.Environment)
	return b.String()
}

// field is a key and the index of its value in a Config.
type field struct {
	key   string // "search.simulations"
	index []int  // for reflect.Value.FieldByIndex
}

// fields are all keys, in the order of Config's fields.
var fields = collect(reflect.TypeFor[Config](), "", nil)

// byKey maps keys to fields.
var byKey = func() map[string]field {
	m := make(map[string]field, len(fields))
	for _, f := range fields {
		m[f.key] = f
	}
	return m
}()

// collect returns the fields of struct type t, whose keys begin with prefix.
func collect(t reflect.Type, prefix string, index []int) []field {
	var list []field
	for i := range t.NumField() {
		f := t.Field(i)
		key := prefix + f.Tag.Get("json")
		path := append(index[:len(index):len(index)], i)
		if f.Type.Kind() == reflect.Struct {
			list = append(list, collect(f.Type, key+".", path)...)
			continue
		}
		list = append(list, field{key: key, index: path})
	}
	return list
}

// of returns the field's value in c; it can be set.
func (f field) of(c *Config) reflect.Value {
	return reflect.ValueOf(c).Elem().FieldByIndex(f.index)
}

// Keys returns every key, such as "search.simulations", in the order of Config's fields.
func Keys() []string {
	keys := make([]string, len(fields))
	for i, f := range fields {
		keys[i] = f.key
	}
	return keys
}

// Value returns the value of a key: an int, uint64, float64, bool, or a string or what is one by
// another name. It panics if there is no such key.
func (c *Config) Value(key string) any { return byKey[key].of(c).Interface() }

// Group returns a name for the runs that have the same configuration, but for the seed and for what
// does not change what is learned: a hash of the values.
func (c *Config) Group() string {
	h := fnv.New64a()
	for _, f := range fields {
		if group, _ := f.split(); f.key == "seed" || group == "metrics" || group == "selfplay" ||
			group == "checkpoints" {
			continue
		}
		fmt.Fprintf(h, "%s=%s\n", f.key, format(f.of(c)))
	}
	return fmt.Sprintf("%016x", h.Sum64())
}

// EnvironmentName returns the name of the environment variable that sets a key:
// TENGEN_SEARCH_SIMULATIONS for "search.simulations".
func EnvironmentName(key string) string {
	return "TENGEN_" + strings.ToUpper(strings.ReplaceAll(key, ".", "_"))
}

// children returns the names of the keys and groups directly within a group ("" is the top level).
func children(group string) []string {
	if group != "" {
		group += "."
	}
	var names []string
	for _, f := range fields {
		rest, ok := strings.CutPrefix(f.key, group)
		if !ok {
			continue
		}
		name, _, _ := strings.Cut(rest, ".")
		if len(names) == 0 || names[len(names)-1] != name {
			names = append(names, name)
		}
	}
	return names
}

// isGroup reports whether key names a group of keys.
func isGroup(key string) bool {
	for _, f := range fields {
		if strings.HasPrefix(f.key, key+".") {
			return true
		}
	}
	return false
}
