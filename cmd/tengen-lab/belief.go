package main

import (
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"tengen/cmd/internal/cli"
	"tengen/game"
	"tengen/player"
	"tengen/research/truth"
	"tengen/search/belief"
)

func newBelief() *cobra.Command {
	var names []string
	var games, simulations int
	var seed uint64
	var asJSON bool
	c := &cobra.Command{
		Use:   "belief NETWORK",
		Short: "Measure how well a network knows what is hidden, against counting",
		Long: `Belief plays games, and at every decision compares what the network believes of the
hidden facts about the others (in the Great Turtle Race their turtles and cards) with the truth.
The log loss is the mean of -log of the probability of what is true, in nats, over all
facts of a kind together; counting alone (the prior) is measured beside it. The reduction
is by how much the belief's loss is smaller, with a 95 % interval over games.

It prints the losses by thirds of a game and by the number of decisions before, and the
reliability curve: of what is believed with a probability of about 30 %, 30 % should be
true.

NETWORK is a run, a checkpoint or a pretrained network with a belief head
(training.belief_weight). It plays all seats itself, unless --player names others, whose
play may be told less from: they take the seats in turn. Ctrl-C ends it early: the games
so far are measured.`,
		Example: `  tengen-lab belief runs/turtle
  tengen-lab belief runs/turtle --games 500 --json
  tengen-lab belief runs/turtle --player alphabeta:strategy=hybrid --player uct`,
		Args: cli.Arguments("NETWORK"),
		RunE: func(c *cobra.Command, args []string) error {
			for _, check := range []error{
				cli.CheckNumber("games", games, 1), cli.CheckNumber("simulations", simulations, 1),
			} {
				if check != nil {
					return check
				}
			}
			model, err := player.LoadModel(args[0])
			if err != nil {
				return err
			}
			g, err := game.New(model.Game)
			if err != nil {
				return err
			}
			o := truth.BeliefOptions{Game: g, Games: games, Seed: seed, Workers: cli.Cores()}
			if o.Belief, err = player.NewBelief(g, args[0], model.Params, belief.DefaultWorlds,
				nil); err != nil {
				return err
			}
			if len(names) == 0 {
				name, _, err := player.OfCheckpoint(args[0], simulations)
				if err != nil {
					return err
				}
				names = []string{name}
			}
			for _, name := range names {
				p, err := player.Parse(g, name)
				if err != nil {
					return cli.Usage(err)
				}
				cli.WarnPassedOver(c, p)
				o.Players = append(o.Players, p)
			}
			began := time.Now()
			progress := cli.NewProgress(c.ErrOrStderr(), "belief", "games")
			o.Progress = progress.Set
			defer cli.NoticeStop(c)()
			r, interrupted := truth.MeasureBelief(c.Context(), o)
			progress.Close()
			switch {
			case r == nil || r.Games == 0 && interrupted != nil:
				return cli.Advise(interrupted)
			case asJSON:
				err = cli.WriteJSON(c.OutOrStdout(), r)
			default:
				err = writeBelief(c.OutOrStdout(), r, time.Since(began))
			}
			if err != nil {
				return err
			}
			return cli.Advise(interrupted)
		},
	}
	c.Flags().StringArrayVar(&names, "player",
		nil, "who plays, once for each player; default: the network")
	c.Flags().IntVar(&games, "games", 100, "number of games")
	c.Flags().IntVar(&simulations, "simulations", 32, "simulations a move of the network")
	c.Flags().Uint64Var(&seed, "seed", 1, "random seed of the games")
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

// writeBelief prints a report as tables.
func writeBelief(w io.Writer, r *truth.BeliefReport, took time.Duration) error {
	fmt.Fprintf(w, "%s: what %s believes in %d games, %d decisions\n",
		r.Game, r.Network, r.Games, r.Decisions)
	for _, name := range r.Players {
		fmt.Fprintf(w, "played by %s\n", name)
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	row := func(name string, m truth.Measured) {
		if m.Positions == 0 {
			return
		}
		fmt.Fprintf(t, "%s\t%d\t%.4f\t%.4f\t%.1f %%\t(%s)\t\n", name, m.Positions, m.Loss, m.Prior,
			100*m.Reduction, m.Interval().Times(100).Text("%.1f"))
	}
	for i := range r.Kinds {
		k := &r.Kinds[i]
		fmt.Fprintf(t, "\n%s, log loss\tpositions\tbelief\tcounting\treduction\t95 %%\t\n", k.Kind)
		row("all", k.Measured)
		for j, name := range []string{"first third", "second third", "last third"} {
			row(name, k.Parts[j].Measured)
		}
		for _, p := range k.Decisions {
			row(fmt.Sprintf("decisions %.0f to %.0f", p.From+1, p.To), p.Measured)
		}
		fmt.Fprintf(t, "\n%s, reliability\tprobabilities\tbelieved\ttrue\t\n", k.Kind)
		for _, b := range k.Reliability {
			if b.N > 0 {
				fmt.Fprintf(t, "\t%d\t%.3f\t%.3f\t\n", b.N, b.Believed, b.True)
			}
		}
		fmt.Fprintf(t, "calibration error\t\t%.4f\t\t\n", k.Error)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "\nseed %d, %v\n", r.Seed, took.Round(time.Second))
	return err
}
