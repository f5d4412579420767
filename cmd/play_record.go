package cmd

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"tengen/arena"
	"tengen/checkpoints/pretrained"
	"tengen/cmd/internal/cli"
	"tengen/cmd/internal/position"
	"tengen/game"
	"tengen/internal/notation"
	"tengen/player"
	"tengen/vfs"
)

// replayGame shows the game that text names, as FILE or FILE:N, and what its players believed: by
// the networks of their own, or by that of network, if it is not "".
func replayGame(c *cobra.Command, text, network string) error {
	path, number, err := position.SplitNumber(text)
	if err != nil {
		return cli.Usagef("--replay %s: %w", text, err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return cli.Usagef("--replay %s: %w", text, err)
	}
	records, damaged, err := arena.ReadRecords(data)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	for _, err := range damaged {
		cli.Warn(c, "%s: %s", path, cli.OneLine(err))
	}
	r, err := position.Choose(records, number)
	if err != nil {
		return cli.Usagef("--replay %s: %w", text, err)
	}
	g, err := game.New(r.Game)
	if err != nil {
		return fmt.Errorf("%s: game %d: %w", path, r.Number, err)
	}
	if err := r.Replay(g, nil); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	seats := make([]position.Seat, g.Players())
	for i := range seats {
		if i < len(r.Players) {
			seats[i].Name = notation.Plain(r.Players[i])
		}
	}
	out := c.OutOrStdout()
	var lines <-chan string
	if in, ok := c.InOrStdin().(*os.File); ok && cli.IsTerminal(in) &&
		cli.IsTerminal(out) {
		lines = cli.ReadLines(in)
	}
	t := position.NewGame(g, seats, 0, out, cli.Colorful(out, os.Getenv))
	believed, err := beliefsOf(g, r.Players, network)
	if err != nil {
		return err
	}
	t.Believe(believed)
	fmt.Fprintf(out, "game %d of %s, %d actions\n", r.Number, g.Name(), len(r.Actions))
	return t.ShowRecord(c.Context(), r.Actions, lines)
}

// mostGuesses is the number of hidden facts without names of classes that are told before an
// action.
const mostGuesses = 3

// beliefsOf returns what tells, as lines, what the player to move in a true position believes; nil
// if no player has a belief.
func beliefsOf(g game.Game, players []string, network string) (func(s game.State) []string, error) {
	believers := make([]*player.Believer, g.Players())
	known := map[string]*player.Believer{}
	found := false
	for i := range believers {
		path := network
		if path == "" && i < len(players) {
			path = player.BeliefNetwork(players[i])
		}
		if path == "" {
			continue
		}
		if known[path] == nil {
			model, err := player.LoadModel(path)
			if err != nil {
				return nil, err
			}
			if model.Game != g.Name() {
				return nil, cli.Usagef("%s was trained on %s, not on %s",
					path, model.Game, g.Name())
			}
			b, err := player.NewBelief(g, path, model.Params, 1, nil)
			if err != nil {
				return nil, err
			}
			known[path] = b.NewBeliever(g)
		}
		believers[i], found = known[path], true
	}
	if !found {
		return nil, nil
	}
	return func(s game.State) []string {
		x := believers[s.CurrentPlayer()]
		if x == nil {
			return nil
		}
		return toldGuesses(x.Guesses(g, s))
	}, nil
}

// toldGuesses tells guesses: those whose classes have names, and of the others those that differ
// most from counting.
func toldGuesses(list []player.Guess) (lines []string) {
	slices.SortStableFunc(list, func(a, b player.Guess) int {
		named := func(g *player.Guess) bool { return g.Fact.ClassNames != nil }
		switch {
		case named(&a) != named(&b):
			if named(&a) {
				return -1
			}
			return 1
		case named(&a):
			return 0
		}
		return cmp.Compare(b.Gain(), a.Gain())
	})
	others := 0
	for i := range list {
		guess := &list[i]
		if guess.Fact.ClassNames == nil {
			if others++; others > mostGuesses {
				break
			}
		}
		line := "   believes of " + guess.Fact.Name + ":"
		for class, p := range guess.Believed {
			if guess.Prior[class] > 0 {
				line += fmt.Sprintf(" %s %.0f %% (%.0f)",
					guess.Fact.ClassName(class), 100*p, 100*guess.Prior[class])
			}
		}
		lines = append(lines, line+"; it is "+guess.Fact.ClassName(guess.True))
	}
	return lines
}

// recordToContinue reads the game that text names, as FILE or FILE:N.
func recordToContinue(c *cobra.Command, text string) (*arena.Record, error) {
	path, number, err := position.SplitNumber(text)
	if err != nil {
		return nil, cli.Usagef("--continue %s: %w", text, err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, cli.Usagef("--continue %s: %w", text, err)
	}
	records, damaged, err := arena.ReadRecords(data)
	if err != nil {
		return nil, cli.Usagef("--continue %s: %w", path, err)
	}
	for _, err := range damaged {
		cli.Warn(c, "%s: %s", path, cli.OneLine(err))
	}
	r, err := position.Choose(records, number)
	if err != nil {
		return nil, cli.Usagef("--continue %s: %w", text, err)
	}
	return r, nil
}

// saver returns a function that writes a game of g to a new file, in JSON (docs/formats/game.md).
func saver(g game.Game, players []named) func(path string, actions []game.Action) error {
	return func(path string, actions []game.Action) error {
		if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%s is there already: another name is wanted", path)
		}
		r := arena.Record{Game: g.Name(), Actions: actions}
		for _, p := range players {
			r.Players = append(r.Players, p.name)
		}
		return vfs.WriteFile(vfs.OS{}, path, func(w io.Writer) error { return r.Write(w, g) })
	}
}

// adviser returns the player whom hint asks: the one that is named, or else the network that comes
// with the program for g, or else UCT.
func adviser(g game.Game, name string) (player.Player, error) {
	if name == "" {
		name = "uct:simulations=1000"
		if n, ok := pretrained.For(g.Name()); ok {
			name = "az:" + n.Name
		}
		p, err := player.Parse(g, name)
		if err != nil {
			return nil, nil // a game that UCT does not play has no hints
		}
		return p, nil
	}
	text, itsGame, err := cli.AsPlayer(name, pathSimulations)
	if err != nil {
		return nil, cli.Usagef("--hints %s: %w", name, err)
	}
	p, err := anyKomi(g, text, itsGame)
	if err != nil {
		return nil, cli.Usagef("--hints %s: %w", name, err)
	}
	player.Alone(p)
	return p, nil
}
