package cmd

import (
	"fmt"
	"io"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"

	"tengen/cmd/internal/cli"
	"tengen/internal/notation"
	"tengen/player"
)

func newPlayers() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "players [KIND]",
		Short: "List the kinds of players and their keys",
		Long: `Players lists the kinds of players with their keys and defaults, or those of one kind.

A player is written KIND:KEY=VALUE,KEY=VALUE. For kinds with a network, PATH comes first:
a run, a checkpoint, a model file, or the name of a network that comes with the program.
Of az:a,c=2 the path is a,c=2 if there is such a file or folder. If there is also one
called a, quotation marks say which is meant: 'az:"a,c=2"' or 'az:"a",c=2'.`,
		Example: `  tengen players
  tengen players az
  tengen players az --json`,
		Args: cli.Arguments("[KIND]"),
		RunE: func(c *cobra.Command, args []string) error {
			list := playerFamilies()
			if len(args) == 1 {
				if list = kindNamed(list, args[0]); list == nil {
					return cli.Usagef("no player is called %q%s; there are %s", args[0],
						notation.DidYouMean(args[0], kindNames()), strings.Join(kindNames(), ", "))
				}
			}
			if asJSON {
				return cli.WriteJSON(c.OutOrStdout(), list)
			}
			return writePlayers(c.OutOrStdout(), list)
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

// playerFamily is a kind of player with its keys.
type playerFamily struct {
	Name    string  `json:"name"`
	Network bool    `json:"network"` // a path comes before the keys
	Summary string  `json:"summary"`
	Params  []param `json:"parameters"`
}

func playerFamilies() []playerFamily {
	var list []playerFamily
	for _, k := range player.Kinds() {
		f := playerFamily{Name: k.Name, Network: k.Path, Summary: k.Summary, Params: []param{}}
		for _, p := range k.Params {
			f.Params = append(f.Params, param{p.Key, p.Default, p.Help})
		}
		list = append(list, f)
	}
	return list
}

func kindNamed(list []playerFamily, name string) []playerFamily {
	for _, f := range list {
		if f.Name == name {
			return []playerFamily{f}
		}
	}
	return nil
}

func kindNames() []string {
	var names []string
	for _, k := range player.Kinds() {
		names = append(names, k.Name)
	}
	return names
}

const (
	lineWidth = 79 // of what is printed
	keyWidth  = 24 // of the column of keys
)

func writePlayers(w io.Writer, list []playerFamily) error {
	for i, f := range list {
		if i > 0 {
			fmt.Fprintln(w)
		}
		name := f.Name
		if f.Network {
			name += ":PATH"
		}
		fmt.Fprintf(w, "%s: %s\n", name, f.Summary)
		for _, p := range f.Params {
			key := p.Key
			if p.Default != "" {
				key += "=" + p.Default
			}
			lines := wrap(p.Help, " ", lineWidth-keyWidth-2)
			fmt.Fprintf(w, "  %-*s%s\n", keyWidth, key+" ", lines[0])
			for _, line := range lines[1:] {
				fmt.Fprintf(w, "  %*s%s\n", keyWidth, "", line)
			}
		}
	}
	return nil
}

// wrap breaks text after separators into lines of at most n letters, where words allow it.
func wrap(text, separator string, n int) (lines []string) {
	line := ""
	for _, word := range strings.SplitAfter(text, separator) {
		if line != "" && ansi.StringWidth(line+strings.TrimSuffix(word, " ")) > n {
			lines = append(lines, strings.TrimSuffix(line, " "))
			line = ""
		}
		line += word
	}
	return append(lines, line)
}
