package configs

import (
	"fmt"
	"hash/fnv"
	"reflect"
	"strings"
)

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
