package cmd

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"tengen/arena"
	"tengen/cmd/internal/cli"
	"tengen/cmd/internal/terminal"
	"tengen/configs"
	"tengen/metrics"
	"tengen/nn/backend"
	"tengen/player"
	"tengen/run"
	"tengen/trainer"
)

// matches lets workers on other machines play games of a match, if flags say so. names are those of its players, as player.Parse reads them.
func (f *shareFlags) matches(c *cobra.Command, t *arena.Tournament, names []string, b backend.Backend) (*sharing, error) {
	if f.address == "" && f.external == "" {
		return nil, f.fit(c.Flags())
	}
	players := make([]arena.Contestant, len(names))
	for i, name := range names {
		var err error
		if players[i], err = contestant(t, i, name); err != nil {
			return nil, cli.Usagef("--share: %w", err)
		}
	}
	config := configs.Default()
	config.Game = t.Game.Name()
	plan, err := trainer.NewPlan(&config)
	if err != nil {
		return nil, fmt.Errorf("--share: %w", err)
	}
	plan.Use(b)
	dir, err := os.MkdirTemp("", "tengen-arena-")
	if err != nil {
		return nil, err
	}
	stderr := c.ErrOrStderr()
	s, err := share(c, f, run.Folder(dir), false, plan, cli.NewLog(stderr, terminal.IsTerminal(stderr)), metrics.New(nil))
	if err != nil {
		return nil, cleared(dir, err)
	}
	s.temporary = dir
	t.Helper = s.hub.Match(players)
	return s, nil
}

// cleared removes a temporary folder after an error.
func cleared(dir string, err error) error {
	_ = os.RemoveAll(dir) // the error is told
	return err
}

// contestant describes a player of a match to workers.
func contestant(t *arena.Tournament, i int, name string) (x arena.Contestant, err error) {
	p := t.Players[i]
	if player.IsTimed(p) {
		return x, fmt.Errorf("player %q: its moves are limited by time, and would be others on another machine", name)
	}
	of, err := player.GameOf(name)
	if err != nil {
		return x, err
	}
	if of != "" && of != t.Game.Name() {
		return x, fmt.Errorf("player %q: its network learned %s, and the match is of %s", name, of, t.Game.Name())
	}
	text, config, err := player.Elsewhere(name)
	if err != nil {
		return x, err
	}
	x = arena.Contestant{Player: text, Params: player.Parameters(p)}
	if config != nil {
		written, err := config.YAML()
		if err != nil {
			return x, err
		}
		x.Config = string(written)
	}
	return x, nil
}
