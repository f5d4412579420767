package configs

import "fmt"

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
