package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tengen/internal/notation"
)

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
