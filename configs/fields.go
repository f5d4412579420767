package configs

import (
	"reflect"
	"strings"
)

// field is one key and the way to its value in a Config.
type field struct {
	key   string // "search.simulations"
	index []int  // for reflect.Value.FieldByIndex
}

// fields are all keys, in the order of the struct.
var fields = collect(reflect.TypeFor[Config](), "", nil)

// byKey finds a field by its key.
var byKey = func() map[string]field {
	m := make(map[string]field, len(fields))
	for _, f := range fields {
		m[f.key] = f
	}
	return m
}()

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

// of is the field's value in c.
func (f field) of(c *Config) reflect.Value {
	return reflect.ValueOf(c).Elem().FieldByIndex(f.index)
}

// Keys lists every key with dots ("search.simulations"), in the order of the file.
func Keys() []string {
	keys := make([]string, len(fields))
	for i, f := range fields {
		keys[i] = f.key
	}
	return keys
}

// EnvironmentName is the environment variable that sets a key:
// TENGEN_SEARCH_SIMULATIONS for "search.simulations".
func EnvironmentName(key string) string {
	return "TENGEN_" + strings.ToUpper(strings.ReplaceAll(key, ".", "_"))
}

// children lists the last words of the keys and groups directly within a group ("" is the top).
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

// isGroup says whether key names a group of keys.
func isGroup(key string) bool {
	for _, f := range fields {
		if strings.HasPrefix(f.key, key+".") {
			return true
		}
	}
	return false
}
