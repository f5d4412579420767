package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tengen/configs"
	"tengen/internal/notation"
)

// UsageError is an error in the arguments. Its exit status is 2.
type UsageError struct{ err error }

func (u *UsageError) Error() string { return u.err.Error() }
func (u *UsageError) Unwrap() error { return u.err }

// Usage marks err as an error in the arguments; nil stays nil.
func Usage(err error) error {
	if err == nil {
		return nil
	}
	return &UsageError{err}
}

func Usagef(form string, args ...any) error { return Usage(fmt.Errorf(form, args...)) }

// Warn writes one line on the standard error.
func Warn(c *cobra.Command, form string, args ...any) {
	fmt.Fprintf(c.ErrOrStderr(), c.Root().Name()+": "+form+"\n", args...)
}

// NameOf returns a command's name with those of its groups, without the program's; of the root it
// is that.
func NameOf(c *cobra.Command) string {
	if !c.HasParent() {
		return c.Name()
	}
	return strings.TrimPrefix(c.CommandPath(), c.Root().CommandPath()+" ")
}

// UnknownCommand returns the error for a word that is no command of c.
func UnknownCommand(c *cobra.Command, word string) error {
	var names []string
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() {
			names = append(names, sub.Name())
		}
	}
	return Usagef("%s has no command %q%s; there are %s",
		NameOf(c), word, notation.DidYouMean(word, names), strings.Join(names, ", "))
}

// FlagError returns the error for flags that can't be parsed. After a word that is no command of
// the program it is about the word.
func FlagError(c *cobra.Command, err error) error {
	if words := c.Flags().Args(); !c.HasParent() && len(words) > 0 {
		return UnknownCommand(c, words[0])
	}
	text := err.Error()
	var unknown *pflag.NotExistError
	var invalid *pflag.InvalidValueError
	switch {
	case errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() == "":
		var names []string
		c.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, "--"+f.Name) })
		if key := configs.Named(unknown.GetSpecifiedName()); key != "" &&
			c.Flags().Lookup("set") != nil {
			text += fmt.Sprintf(" (it is a key: --set %s=VALUE)", key)
		} else {
			text += notation.DidYouMean("--"+unknown.GetSpecifiedName(), names)
		}
	case errors.As(err, &invalid):
		text = fmt.Sprintf("--%s %s: %s is wanted",
			invalid.GetFlag().Name, invalid.GetValue(), wanted(invalid.GetFlag().Value.Type()))
	}
	return Usagef("%s: %s; see `%s --help`", NameOf(c), text, c.CommandPath())
}

// wanted describes the values of a flag of a type.
func wanted(flagType string) string {
	switch flagType {
	case "int":
		return "a whole number"
	case "uint64":
		return "a whole number from 0"
	case "float64":
		return "a number"
	case "bool":
		return "true or false"
	case "duration":
		return "a duration, such as 1s, 250ms or 2h,"
	}
	return "a " + flagType
}

// Arguments checks the number of arguments against their names. Names in brackets are optional;
// the last may end in … to stand for any number.
func Arguments(names ...string) cobra.PositionalArgs {
	least, most := 0, len(names)
	for _, n := range names {
		if !strings.HasPrefix(n, "[") {
			least++
		}
		if strings.HasSuffix(strings.TrimSuffix(n, "]"), "…") {
			most = -1
		}
	}
	return func(c *cobra.Command, args []string) error {
		if len(args) >= least && (most < 0 || len(args) <= most) {
			return nil
		}
		takes := "no arguments"
		if len(names) > 0 {
			takes = strings.Join(names, " ")
		}
		return Usagef("%s takes %s, and was given %s; see `%s --help`",
			NameOf(c), takes, Quoted(args), c.CommandPath())
	}
}

func Quoted(words []string) string {
	if len(words) == 0 {
		return "nothing"
	}
	list := make([]string, len(words))
	for i, w := range words {
		list[i] = fmt.Sprintf("%q", w)
	}
	return strings.Join(list, ", ")
}

// Group makes c a group of commands: without arguments it prints its help; for an unknown command
// it returns an error that suggests the nearest one.
func Group(c *cobra.Command) *cobra.Command {
	c.Args = cobra.ArbitraryArgs
	c.RunE = func(c *cobra.Command, args []string) error {
		if len(args) == 0 {
			return c.Help()
		}
		return UnknownCommand(c, args[0])
	}
	return c
}
