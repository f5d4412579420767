package configs

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"tengen/game"
	"tengen/internal/notation"
)

// Options are the layers of a configuration.
type Options struct {
	Name string // a preset or a file's path; "" means DefaultPreset
	// if not nil, the file's text; Name is then used in errors and sources only
	Text        []byte
	Layers      []Layer  // keys of other files; a later layer overrides an earlier one
	Environment []string // NAME=value, as from os.Environ; only TENGEN_… is read
	Set         []string // key=value; a later one overrides an earlier one
	Base        *Config  // the values of keys that no layer sets; nil means Default
}

// Layer is a part of a YAML file with keys of the configuration: a mapping in which keys may be
// written in full, as in search.simulations, as well as in groups.
type Layer struct {
	File string // the file's path, for errors and sources
	Keys ast.MapNode
}

// Resolved is a configuration and the sources of its values.
type Resolved struct {
	Config Config
	Name   string // the preset or the file's path
	// by key; a key without one has its value from Options.Base or Default
	Sources map[string]Source
}

// Resolve merges the layers of a configuration and validates the result. An error
// is one line that says where the wrong value is and what would be right.
func Resolve(o Options) (*Resolved, error) {
	if o.Name == "" {
		o.Name = DefaultPreset
	}
	r := &Resolved{Config: Default(), Name: o.Name, Sources: map[string]Source{}}
	if o.Base != nil {
		r.Config = *o.Base
	}
	path, text := o.Name, o.Text
	if text == nil {
		var err error
		if path, text, err = open(o.Name); err != nil {
			return nil, err
		}
		if blank(text) {
			return nil, fmt.Errorf("%s: no key is set in it; lines such as %q are wanted",
				path, "seed: 1")
		}
	}
	if err := r.readFile(path, text); err != nil {
		return nil, err
	}
	for _, layer := range o.Layers {
		l := loader{r: r, name: layer.File, inFull: true, lines: map[string]int{}}
		if err := l.group("", layer.Keys); err != nil {
			return nil, err
		}
	}
	if err := r.readEnvironment(o.Environment); err != nil {
		return nil, err
	}
	if err := r.readSet(o.Set); err != nil {
		return nil, err
	}
	if err := r.Config.Validate(); err != nil {
		v := err.(*violation)
		return nil, r.Sources[v.key].explain(v)
	}
	return r, nil
}

// open returns the text of a preset or file, and its path for errors.
func open(name string) (path string, text []byte, err error) {
	if text, ok := preset(name); ok {
		return presetPath(name), text, nil
	}
	text, err = os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := game.New(name); err == nil {
			return "", nil,
				fmt.Errorf(
					"%s is a game, and a configuration is wanted: choose the game by --set game=%s",
					name, name)
		}
		return "", nil, fmt.Errorf("no file or preset is called %q%s; the presets are %s",
			name, nearestPreset(name), strings.Join(PresetNames(), ", "))
	}
	if err != nil {
		return "", nil, fmt.Errorf("configuration: %w", err)
	}
	return name, text, nil
}

// blank reports whether a YAML text has comments and marks of documents alone.
func blank(text []byte) bool {
	for line := range strings.Lines(strings.TrimPrefix(string(text), "\ufeff")) {
		if line = strings.TrimSpace(line); line != "" && line != "---" && line != "..." &&
			line[0] != '#' {
			return false
		}
	}
	return true
}

// nearestPreset suggests a preset for a name or for the path of a file.
func nearestPreset(name string) string {
	if near := notation.DidYouMean(name, PresetNames()); near != "" {
		return near
	}
	return notation.DidYouMean(strings.TrimSuffix(filepath.Base(name), ".yaml"), PresetNames())
}

// injected matches the variables that Kubernetes and Docker links set in a
// container for a service called tengen or tengen-something.
var injected = regexp.MustCompile(
	`^TENGEN(_\w+)?_(SERVICE_HOST|SERVICE_PORT\w*|PORT|PORT_\d+_(TCP|UDP|SCTP)\w*)$`)

// others are variables that do not set keys: they select how the program computes
// on this machine, not what: the path of kernels, and the compiler of a device's kernels.
var others = []string{"TENGEN_KERNELS", "TENGEN_NVRTC"}

func (r *Resolved) readEnvironment(environment []string) error {
	byName := make(map[string]field, len(fields))
	names := make([]string, 0, len(fields))
	for _, f := range fields {
		name := EnvironmentName(f.key)
		byName[name] = f
		names = append(names, name)
	}
	// Sorted, so that the first error does not depend on the shell.
	for _, entry := range slices.Sorted(slices.Values(environment)) {
		name, text, _ := strings.Cut(entry, "=")
		if !strings.HasPrefix(name, "TENGEN_") {
			continue
		}
		f, ok := byName[name]
		if !ok {
			if injected.MatchString(name) || slices.Contains(others, name) {
				continue
			}
			for key := range removed {
				n, isGroup := EnvironmentName(key), !strings.Contains(key, ".")
				if name == n || isGroup && strings.HasPrefix(name, n+"_") {
					return fmt.Errorf("environment: %s sets no key%s", name, whyRemoved(key))
				}
			}
			return fmt.Errorf("environment: %s sets no key%s; `%s` lists the keys",
				name, notation.DidYouMean(name, names), notation.Command("config"))
		}
		source := Source{Environment: name}
		if err := f.set(&r.Config, value{text: text}); err != nil {
			return source.explain(err.(*violation))
		}
		r.Sources[f.key] = source
	}
	return nil
}

func (r *Resolved) readSet(entries []string) error {
	for _, entry := range entries {
		key, text, ok := strings.Cut(entry, "=")
		key, text = strings.TrimSpace(key), strings.TrimSpace(text)
		if !ok {
			return fmt.Errorf("--set %s: key=value is wanted, such as search.simulations=90", entry)
		}
		f, ok := byKey[key]
		if !ok {
			if isGroup(key) {
				return fmt.Errorf("--set %s: %s is a group; set one of its keys, such as %s.%s",
					entry, key, key, children(key)[0])
			}
			return fmt.Errorf("--set %s: unknown key %q%s", entry, key, nearestKey(key))
		}
		source := Source{Set: true}
		if err := f.set(&r.Config, value{text: text}); err != nil {
			return source.explain(err.(*violation))
		}
		r.Sources[f.key] = source
	}
	return nil
}

// Source is where a value came from; the zero Source is a default.
type Source struct {
	File        string // a file's path, as given
	Line        int    // in File, from 1
	Environment string // a variable's name
	Set         bool   // --set
}

// String is "default", "configs/quick.yaml:12", "TENGEN_SEED" or "--set".
func (s Source) String() string {
	switch {
	case s.Set:
		return "--set"
	case s.Environment != "":
		return s.Environment
	case s.File != "":
		return fmt.Sprintf("%s:%d", s.File, s.Line)
	}
	return "default"
}

// explain returns v as an error that begins with the value's place.
func (s Source) explain(v *violation) error {
	switch {
	case s.Set:
		return fmt.Errorf("--set %w", v)
	case s.Environment != "":
		return fmt.Errorf("%s=%s: %s", s.Environment, v.value, v.problem)
	case s.File != "":
		return fmt.Errorf("%s:%d: %w", s.File, s.Line, v)
	}
	return v
}

// value is a value as written, before it is parsed.
type value struct {
	text   string // a scalar; of a list, which no key has, the text for errors
	isList bool
	quoted bool // in quotation marks, so a string
}

// SetKey sets a key to a value as --set has it. An error says what is wanted, as in "a number from
// 0 to 1 is wanted". Relations to other keys are not checked. It panics if there is no such key.
func (c *Config) SetKey(key, text string) error {
	f, ok := byKey[key]
	if !ok {
		panic("configs: there is no key " + key)
	}
	changed := *c
	err := f.set(&changed, value{text: text})
	if err == nil {
		err = ruleOf[key].check(&changed)
	}
	if err != nil {
		return errors.New(err.(*violation).problem)
	}
	*c = changed
	return nil
}

// set parses v by the type of the field and stores it in c. An error is a
// *violation. Validate checks the limits.
func (f field) set(c *Config, v value) error {
	to := f.of(c)
	wrong := func() error {
		for _, r := range rules {
			if r.key == f.key {
				return &violation{f.key, v.text, r.problem(v.text) + hint(f, v.text)}
			}
		}
		panic("configs: key without a rule: " + f.key)
	}
	if v.isList || v.quoted && to.Kind() != reflect.String {
		return wrong()
	}
	switch to.Kind() {
	case reflect.Int:
		n, err := strconv.Atoi(v.text)
		if err != nil {
			return wrong()
		}
		to.SetInt(int64(n))
	case reflect.Uint64:
		n, err := strconv.ParseUint(v.text, 10, 64)
		if err != nil {
			return wrong()
		}
		to.SetUint(n)
	case reflect.Float64:
		x, err := strconv.ParseFloat(v.text, 64)
		if err != nil {
			return wrong()
		}
		to.SetFloat(x)
	case reflect.Bool:
		if v.text != "true" && v.text != "false" {
			return wrong()
		}
		to.SetBool(v.text == "true")
	case reflect.String:
		to.SetString(v.text)
	default:
		panic(fmt.Sprintf("configs: key %s has a type that can't be read", f.key))
	}
	return nil
}

// format returns a value in the notation of the command line.
func format(v reflect.Value) string {
	switch v.Kind() {
	case reflect.Float64:
		return strconv.FormatFloat(v.Float(), 'g', -1, 64)
	}
	return fmt.Sprint(v.Interface())
}
