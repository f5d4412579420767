package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"tengen/arena"
	"tengen/cmd/internal/cli"
	"tengen/game"
	"tengen/internal/notation"
	"tengen/player"
	"tengen/research"
	"tengen/research/ablation"
	"tengen/research/anchors"
)

func newSearchSweep() *cobra.Command {
	var f resultFlags
	var s ablation.Sweep
	c := &cobra.Command{
		Use:   "search-sweep [NETWORK]",
		Short: "Measure what options of a network's search are worth",
		Long: `Search-sweep plays matches of a network against itself at equal simulations. One player
has the search of the network's run, the other an arm: a value of c_puct, of the
first-play urgency, of the scaling of c_puct by the spread of utilities, or the choice of
the move by the lower confidence bound. The difference of each arm is printed in Elo with
a 95 % interval.

NETWORK is a network that comes with the program (go-5x5x3 by default), a run, a
checkpoint or a model file. --arm KEYS plays the arms that it names instead, by keys of az
(` + "`tengen players az`" + `); --base KEYS gives both players other keys than those of the run.

Games are played in rounds: all seatings of the two players with one opening. They are
kept in --dir: the same command plays only the missing ones, after an interruption or with
more --games. The results of the networks that come with the program are written to --out;
those of --arm only if --out is given.`,
		Example: `  tengen-lab reproduce search-sweep go-5x5x3
  tengen-lab reproduce search-sweep turtle --games 400 --simulations 50
  tengen-lab reproduce search-sweep tcg --arm c=1.2 --arm choice=lcb,lcb_z=3 --seed 2
  tengen-lab reproduce search-sweep runs/quick --base c=1 --arm fpu=zero`,
		Args: cli.Arguments("[NETWORK]"),
		RunE: func(c *cobra.Command, args []string) error {
			s.Network = append(args, ablation.Networks[0])[0]
			return runSweep(c, &s, &f)
		},
	}
	f.add(c, ablation.Layout, "search-options")
	f.addDevice(c)
	c.Flags().StringArrayVar(&s.Arms, "arm",
		nil, "keys of an arm; repeatable (default: the standard arms)")
	c.Flags().StringVar(&s.Base, "base", "", "keys of both players")
	c.Flags().IntVar(&s.Games, "games", 2000, "number of games per arm")
	c.Flags().IntVar(&s.Simulations, "simulations", 100, "simulations per move")
	c.Flags().Uint64Var(&s.Seed, "seed", 1, "random seed")
	c.Flags().StringVar(&s.Dir, "dir",
		filepath.Join("runs", "search-sweep"), "folder that keeps the games")
	return c
}

func runSweep(c *cobra.Command, s *ablation.Sweep, f *resultFlags) error {
	switch {
	case s.Games < 2:
		return cli.Usagef("--games %d: at least 2 are wanted", s.Games)
	case s.Simulations < 1:
		return cli.Usagef("--simulations %d: at least 1 is wanted", s.Simulations)
	}
	if _, err := player.GameOf("az:" + notation.Quote(s.Network)); err != nil {
		return cli.Usage(err)
	}
	var page *research.Page
	if slices.Contains(ablation.Networks, s.Network) &&
		(len(s.Arms) == 0 || c.Flags().Changed("out")) {
		var err error
		if page, err = research.ReadPage(f.out, f.layout); err != nil {
			return err
		}
	}
	var err error
	if s.Device, err = f.openDevice(c); err != nil {
		return err
	}
	defer f.closeDevice()
	defer cli.NoticeStop(c)()
	show := cli.Parts(c.ErrOrStderr())
	s.Damaged = cli.WarnDamaged(c)
	s.Progress = func(what string, finished, all int) { show(what, "games", finished, all) }
	began := time.Now()
	t, err := s.Run(c.Context(), research.Made{
		Command: cli.CommandLine(c), Machine: madeOn(f.backend), Seed: s.Seed,
	})
	if t == nil {
		return usage(c, err)
	}
	stopped := t.Interrupted != nil
	switch {
	case errors.Is(err, arena.ErrOtherMatch):
		return cli.Usagef("--dir: %w", err)
	case err != nil && !stopped:
		return cli.Advise(err)
	}
	switch {
	case page != nil && !stopped:
		page.Put(s.Network, t, time.Since(began))
		if err := page.Write(s.Network); err != nil {
			return err
		}
	case len(t.Arms) == 0 && c.Context().Err() != nil:
		return cli.Stopped("stopped before an arm had a result", err)
	}
	t.Seconds = time.Since(began).Seconds()
	text := t.Markdown("", "") + f.layout.Footer(&t.Made)
	if stopped {
		text = f.layout.Interrupted("", t, time.Since(began))
	}
	if f.json {
		err = errors.Join(err, cli.WriteJSON(c.OutOrStdout(), t))
	} else if _, failed := fmt.Fprint(c.OutOrStdout(), text); failed != nil {
		return failed
	}
	if stopped && c.Context().Err() != nil {
		return cli.Stopped(
			fmt.Sprintf("stopped; the games are in %s, and the same command plays the rest",
				s.Dir), err)
	}
	return cli.Advise(err)
}

func newRuler() *cobra.Command {
	var f resultFlags
	var dir string
	var seed uint64
	games := make([]int, len(anchors.Simulations))
	c := &cobra.Command{
		Use:   "ruler [GAME…]",
		Short: "Measure the UCT players that strengths are measured against",
		Long: `Ruler rates UCT players with 180, 1,000, 10,000 and 100,000 simulations a move, each
against the next in all seatings. Their ratings are a scale of strength that does not
move: ` + "`tengen eval NETWORK --ruler`" + ` and the evaluations of runs place networks on it.

GAME is one or several of go-5x5x3, go-5x5x2, tcg and turtle; all by default. --games
gives the number of games of each match, from the weakest player up; 0 ends the ruler
below that player, and so does a match whose games set no bound on the difference.

The games are kept in --dir: the same command plays only the missing ones, after an
interruption or with more --games.`,
		Example: `  tengen-lab reproduce ruler
  tengen-lab reproduce ruler turtle --games 2000,2000,1000,0`,
		RunE: func(c *cobra.Command, args []string) error {
			if len(games) != len(anchors.Simulations) {
				return cli.Usagef("--games: %d numbers; one for each of the %d players is wanted",
					len(games), len(anchors.Simulations))
			}
			for _, n := range games {
				if n < 0 {
					return cli.Usagef("--games %d: 0 or more is wanted", n)
				}
			}
			if games[0] == 0 {
				return cli.Usagef("--games %d: at least one game of the weakest player is wanted",
					games[0])
			}
			m := anchors.Measurement{
				Games: map[int]int{}, Seed: seed, Dir: dir, Damaged: cli.WarnDamaged(c),
			}
			for i, n := range anchors.Simulations {
				m.Games[n] = games[i]
			}
			for _, name := range args {
				if !slices.Contains(anchors.Layout.Parts, name) {
					return cli.Usagef("%q: no such ruler; there are %s%s", name,
						strings.Join(anchors.Layout.Parts, ", "),
						notation.DidYouMean(name, anchors.Layout.Parts))
				}
			}
			if len(args) == 0 {
				args = anchors.Layout.Parts
			}
			show := cli.Parts(c.ErrOrStderr())
			return f.run(c, seed, func(part string, made research.Made) (research.Part, error) {
				for _, g := range anchors.Games {
					if g.Name == part {
						m.Game = game.Must(game.New(g.Game))
					}
				}
				m.Progress = func(what string, finished, all int) {
					show(part+", "+what, "games", finished, all)
				}
				return partOf(m.Run(c.Context(), made))
			}, args...)
		},
	}
	f.add(c, anchors.Layout, "ruler")
	c.Flags().IntSliceVar(&games, "games",
		[]int{2000, 2000, 600, 120}, "number of games of each match")
	c.Flags().Uint64Var(&seed, "seed", 1, "random seed")
	c.Flags().StringVar(&dir, "dir", filepath.Join("runs", "ruler"), "folder that keeps the games")
	return c
}
