package cmd

import (
	"cmp"
	"fmt"

	"github.com/spf13/cobra"

	"tengen/cmd/internal/cli"
	"tengen/cmd/internal/terminal"
	"tengen/game"
	"tengen/game/goban"
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
			networks = append(networks, params.Spec.WithoutAuxiliary())
		}
	}
	if device == backend.Auto && len(networks) == 0 {
		return backend.NewCPU(), nil
	}
	return cli.OpenDevice(c, device, nil, networks...)
}

// playOn moves the evaluation of the players' networks to a backend.
func playOn(b backend.Backend, players ...player.Player) error {
	if b.Name() == backend.CPU {
		return nil // where they are
	}
	for _, p := range players {
		if err := player.On(p, b.Load); err != nil {
			return err
		}
	}
	return nil
}

// playOnWhileItLasts moves the evaluation of the players' networks to a backend. If its device
// fails, they are evaluated on the processor, and one line says so.
func playOnWhileItLasts(c *cobra.Command, b backend.Backend, players ...player.Player) error {
	if b.Name() == backend.CPU {
		return nil
	}
	f := backend.NewFallback(b, func(err error) {
		cli.Warn(c, "%s; networks are evaluated on the processor from here on",
			terminal.OneLine(err))
	})
	for _, p := range players {
		if err := player.On(p, f.Load); err != nil {
			return err
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
		return nil, 0, cli.Advise(err)
	}
	if n := b.Rows(); n > 0 {
		return b, n, nil
	}
	return b, gamesPerWorker, nil
}
