package cmd

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"tengen/arena"
	"tengen/checkpoints/pretrained"
	"tengen/cmd/internal/cli"
	"tengen/cmd/internal/position"
	"tengen/cmd/internal/terminal"
	"tengen/game"
	"tengen/player"
	"tengen/vfs"
)

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
		cli.Warn(c, "%s: %s", path, terminal.OneLine(err))
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
