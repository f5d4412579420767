package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tengen/internal/notation"
)

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
