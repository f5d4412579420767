package cmd

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"tengen/arena"
	"tengen/cmd/internal/cli"
	"tengen/cmd/internal/terminal"
	"tengen/player"
)

// mostAnchor is the number of simulations of the strongest anchor in `tengen eval --ruler`.
const mostAnchor = 10_000

// evalAnchors places a player on the anchor ladder of its game, and prints the placement.
func evalAnchors(c *cobra.Command, f *matchFlags, p *pairing) error {
	l := arena.AnchorLadderOf(p.game)
	if l == nil {
		have := ""
		for i, x := range arena.AnchorLadders() {
			if i > 0 {
				have += ", "
			}
			have += x.Game
		}
		return cli.Usagef("--ruler: %s has no ruler; there are those of %s", p.game.Name(), have)
	}
	b, concurrent, err := f.open(c, p.trained)
	if err != nil {
		return err
	}
	defer b.Close()
	defer cli.NoticeStop(c)()
	m := arena.PlacementMatch{
		Game: p.game, Player: p.trained, Games: f.games, Most: mostAnchor, Seed: f.seed,
		Opening: f.opening,
		Workers: cli.Cores(), GamesPerWorker: concurrent,
	}
	if !c.Flags().Changed("opening") {
		m.Opening = arena.DefaultOpening(p.game, []player.Player{p.trained, player.Baseline})
	}
	show := terminal.Parts(c.ErrOrStderr())
	placed, err := l.Place(c.Context(), m, func(anchor string, played, all int) {
		show("against "+anchor, "games", played, all)
	})
	terminal.NewProgress(c.ErrOrStderr(), "", "").Close() // removes that of the last match
	if placed == nil {
		return cli.Advise(err)
	}
	cli.WarnFull(c, p.trained)
	switch {
	case f.json:
		if err := cli.WriteJSON(c.OutOrStdout(), placed); err != nil {
			return err
		}
	case placed.Rating != nil:
		if err := writePlacement(c.OutOrStdout(), placed); err != nil {
			return err
		}
	}
	return cli.Advise(err)
}

// writePlacement prints a placement as text.
func writePlacement(w io.Writer, p *arena.Placement) error {
	fmt.Fprintf(w, "%s on the ruler of %s\n\n", p.Player, p.Game)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "against\tElo\tfinished first\tgames\tdistinct")
	for _, m := range p.Meetings {
		fmt.Fprintf(t, "%s\t%+.0f\t%.1f %% (%s)\t%d\t%d\n", m.Player, m.Elo, 100*m.Ahead.Mean(),
			m.Ahead.Interval().Times(100).Text("%.1f"), m.Games, m.Distinct)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(w, "\n%+.0f Elo (%+.0f to %+.0f) over %s\n",
		p.Rating.Elo, p.Rating.Low, p.Rating.High, player.Baseline.Name())
	if p.Interrupted != nil {
		fmt.Fprintf(w, "%s\n", p.Interrupted.Note())
	}
	_, err := fmt.Fprintf(w, "seed %d, openings of %d decisions\n", p.Seed, p.Opening)
	return err
}
