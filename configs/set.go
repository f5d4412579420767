package configs

import (
	"errors"
	"fmt"
	"reflect"
	"strconv"
)

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
