package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tengen/configs"
	"tengen/internal/notation"
)

// UsageError is an error in the arguments. Its exit status is 2.
type UsageError struct{ err error }

func (u *UsageError) Error() string { return u.err.Error() }
func (u *UsageError) Unwrap() error { return u.err }

// Usage marks err as an error in the arguments; nil stays nil, and the error of a context that has
// ended what it is.
func Usage(err error) error {
	if err == nil || errors.Is(err, context.Canceled) {
		return err
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

// CheckWords returns an error for an argument or a flag's value that a shell has made of something
// else than was meant: an empty one, as of a variable that is not set, or ~, which shells replace
// only at the beginning of a word, outside quotation marks.
func CheckWords(c *cobra.Command, args []string) (err error) {
	for i, arg := range args {
		if err := checkWord(arg); err != nil {
			return Usagef("%s: argument %d: %w", NameOf(c), i+1, err)
		}
	}
	c.Flags().Visit(func(f *pflag.Flag) {
		if f.Value.Type() != "string" || err != nil {
			return
		}
		if wrong := checkWord(f.Value.String()); wrong != nil {
			err = Usagef("--%s: %w", f.Name, wrong)
		}
	})
	return err
}

func checkWord(word string) error {
	if word == "" {
		return fmt.Errorf("it is empty; a value is wanted (is a variable of the shell not set?)")
	}
	rest, ok := strings.CutPrefix(word, "~")
	if !ok || rest != "" && !os.IsPathSeparator(rest[0]) {
		return nil
	}
	if _, err := os.Lstat(word); err == nil {
		return nil // so it is called
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return nil
	}
	return fmt.Errorf(
		"%s: the shell has not replaced ~; write %s, or ./%s for what is called ~ here",
		notation.Plain(word), notation.Shell(filepath.Join(home, rest)), notation.Plain(word))
}

// CommandLine returns the command with the flags that were given, for records of what has made
// something.
func CommandLine(c *cobra.Command) string {
	words := []string{c.Root().Name()}
	if c.HasParent() {
		words = append(words, strings.Fields(NameOf(c))...)
	}
	words = append(words, c.Flags().Args()...)
	words = append(words, Given(c, "out", "json", "dir", "save")...)
	for i, w := range words {
		words[i] = notation.Shell(w)
	}
	return strings.Join(words, " ")
}

// Given returns the flags that were given, as words, without some of them.
func Given(c *cobra.Command, without ...string) (words []string) {
	c.Flags().Visit(func(f *pflag.Flag) {
		switch v, list := f.Value.(pflag.SliceValue); {
		case slices.Contains(without, f.Name):
		case list:
			for _, x := range v.GetSlice() {
				words = append(words, "--"+f.Name, x)
			}
		case f.Value.Type() == "bool" && f.Value.String() == "true":
			words = append(words, "--"+f.Name)
		case f.Value.Type() == "bool": // whose value is no word of its own
			words = append(words, "--"+f.Name+"="+f.Value.String())
		default:
			words = append(words, "--"+f.Name, f.Value.String())
		}
	})
	return words
}

// stoppedError says what a signal ended and how to continue.
type stoppedError struct {
	text string
	err  error // the context's
}

func (s *stoppedError) Error() string { return s.text }
func (s *stoppedError) Unwrap() error { return s.err }

// Stopped returns the error of a command that a signal ended: text says what was stopped and how to
// go on, err is the context's error.
func Stopped(text string, err error) error { return &stoppedError{text, err} }

// NoticeStop prints a line if a command does not end soon after its context has: the decisions in
// progress are awaited. The function that it returns is called when there is nothing more to await.
func NoticeStop(c *cobra.Command) (done func()) {
	ended, told := make(chan struct{}), make(chan struct{})
	stop := context.AfterFunc(c.Context(), func() {
		defer close(told)
		select {
		case <-ended:
		case <-time.After(time.Second):
			fmt.Fprintln(c.ErrOrStderr(), "stopping after the moves in progress; a second Ctrl-C ends at once, without a result")
		}
	})
	return sync.OnceFunc(func() {
		close(ended)
		if !stop() {
			<-told // the line does not come after those of the end
		}
	})
}
