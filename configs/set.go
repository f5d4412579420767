package configs

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// value is a value as written, before it is parsed.
type value struct {
	text   string   // a scalar; for a list, the text for errors
	list   []string // the elements of a list
	isList bool
	quoted bool // in quotation marks, so a string
}

// taken returns a value from the environment or the command line. The elements of a
// list are separated by commas; brackets around them are optional.
func taken(f field, text string) value {
	v := value{text: text}
	if f.of(new(Config)).Kind() != reflect.Slice {
		return v
	}
	v.isList = true
	inner := strings.TrimSpace(text)
	if strings.HasPrefix(inner, "[") && strings.HasSuffix(inner, "]") {
		inner = inner[1 : len(inner)-1]
	}
	if strings.TrimSpace(inner) == "" {
		return v
	}
	for _, word := range strings.Split(inner, ",") {
		v.list = append(v.list, strings.TrimSpace(word))
	}
	return v
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
	if v.isList != (to.Kind() == reflect.Slice) || v.quoted && to.Kind() != reflect.String {
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
	case reflect.Slice:
		list := make([]int, len(v.list))
		for i, word := range v.list {
			n, err := strconv.Atoi(word)
			if err != nil {
				return wrong()
			}
			list[i] = n
		}
		if len(list) == 0 {
			list = nil
		}
		to.Set(reflect.ValueOf(list))
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
	case reflect.Slice:
		words := make([]string, v.Len())
		for i := range words {
			words[i] = strconv.FormatInt(v.Index(i).Int(), 10)
		}
		return "[" + strings.Join(words, ",") + "]"
	}
	return fmt.Sprint(v.Interface())
}
