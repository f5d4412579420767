package cmd

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"

	"tengen/cmd/internal/cli"
	"tengen/game"
	"tengen/game/goban"
	"tengen/internal/notation"
	"tengen/nn"
	"tengen/nn/backend"
	"tengen/player"
)

// anyKomi parses a player of g like player.Parse. A network, whose game is itsGame, may have been
// trained with another komi, which networks do not see.
func anyKomi(g game.Game, text, itsGame string) (player.Player, error) {
	if itsGame == "" || itsGame == g.Name() {
		return player.Parse(g, text)
	}
	own, err := game.New(itsGame)
	if err != nil {
		return nil, fmt.Errorf("player %q: %w", text, err)
	}
	theirs, ok := goban.RulesOf(own)
	ours, ok2 := goban.RulesOf(g)
	if ok && ok2 && len(theirs.Komi) == len(ours.Komi) {
		theirs.Komi = ours.Komi
		if same, err := goban.New(theirs); err == nil && same.Name() == g.Name() {
			return player.Parse(own, text)
		}
	}
	return player.Parse(g, text)
}

// openFor opens the device that a --device names, on which the networks of players can be
// evaluated: see playOn. Where the device is left open and no player has a network, none is opened.
func openFor(c *cobra.Command, device string, players ...player.Player) (backend.Backend, error) {
	var networks []nn.Spec
	for _, p := range players {
		if params := player.Parameters(p); params != nil {
			networks = append(networks, params.Spec)
		}
	}
	if device == backend.Auto && len(networks) == 0 {
		return backend.NewCPU(), nil
	}
	b, err := cli.OpenDevice(c, device, nil, networks...)
	if err == nil && b.Name() != backend.CPU && slices.ContainsFunc(players, player.Believes) {
		cli.Warn(c, "beliefs are evaluated on the processor")
	}
	return b, err
}

// playOn moves the evaluation of the players' networks to a backend.
func playOn(b backend.Backend, players ...player.Player) error {
	if b.Name() == backend.CPU {
		return nil // where they are
	}
	for _, p := range players {
		if err := player.On(p, b.Load); err != nil {
			return cli.Advise(err)
		}
	}
	return nil
}

// playOnWhileItLasts moves the evaluation of the players' networks to a backend. If its device
// fails later, they are evaluated on the processor, and one line says so.
func playOnWhileItLasts(c *cobra.Command, b backend.Backend, players ...player.Player) error {
	if b.Name() == backend.CPU {
		return nil
	}
	f := backend.NewFallback(b, func(err error) {
		cli.Warn(c, "%s; networks are evaluated on the processor from here on",
			cli.OneLine(err))
	})
	for _, p := range players {
		if err := player.On(p, f.Load); err != nil {
			return cli.Advise(err)
		}
	}
	return nil
}

// gamesPerWorker is the number of concurrent games of a worker on the processor.
const gamesPerWorker = 32

// matchFlags are the flags that eval and arena share.
type matchFlags struct {
	game, device                string
	games, simulations, opening int
	seed                        uint64
	json                        bool
}

// add adds the flags. The help of --games and --opening differs.
func (f *matchFlags) add(c *cobra.Command, games, opening string) {
	c.Flags().StringVar(&f.game, "game", cli.DefaultGame, "the game, if no network determines it")
	c.Flags().IntVar(&f.games, "games", 500, games)
	c.Flags().IntVar(&f.simulations, "simulations",
		180, "a checkpoint's simulations, or iterations of ubfm, per move")
	c.Flags().IntVar(&f.opening, "opening", 0, opening)
	c.Flags().Uint64Var(&f.seed, "seed", 1, "random seed")
	c.Flags().BoolVar(&f.json, "json", false, "print JSON")
	cli.AddDevice(c.Flags(), &f.device)
}

// check checks the numbers, and makes game "" unless it was set.
func (f *matchFlags) check(c *cobra.Command) error {
	if !c.Flags().Changed("game") {
		f.game = ""
	}
	return cmp.Or(cli.CheckNumber("games", f.games, 1),
		cli.CheckNumber("simulations", f.simulations, 1),
		cli.CheckNumber("opening", f.opening, 0))
}

// open opens the device, which then evaluates the networks of the players, and returns the number
// of concurrent games of a worker that suits it.
func (f *matchFlags) open(
	c *cobra.Command, players ...player.Player,
) (b backend.Backend, concurrent int, err error) {
	if b, err = openFor(c, f.device, players...); err != nil {
		return nil, 0, err
	}
	if err := playOn(b, players...); err != nil {
		_ = b.Close() // the first error is the one to return
		return nil, 0, err
	}
	if n := b.Rows(); n > 0 {
		return b, n, nil
	}
	return b, gamesPerWorker, nil
}

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
