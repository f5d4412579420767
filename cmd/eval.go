package cmd

import (
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"tengen/arena"
	"tengen/cmd/internal/cli"
	"tengen/game"
	"tengen/player"
	"tengen/run"
)

func newEval() *cobra.Command {
	var f matchFlags
	var against string
	var onAnchors bool
	c := &cobra.Command{
		Use:   "eval CHECKPOINT|PLAYER",
		Short: "Measure a network, or another player, against UCT or any player in every seat",
		Long: `Eval plays the network in each seat in turn, with UCT (180 simulations, c 0.8) in all
other seats, as the multiplayer Go paper does. It prints points with 95 % intervals and
standard deviations, and those of UCT against itself.

If the game has scores in points, UCT plays on both scales: on points, as in the paper,
and on utilities in [0, 1] (unit), where it is stronger.

CHECKPOINT is the folder of a run, a folder of checkpoints, a checkpoint or a file
model.safetensors. It plays as az, with the search of the run's configuration, or as ubfm
if its network has no policy, as those of Descent. A PLAYER is written as in
` + "`tengen play`" + `; the game is that of its network, or --game.

Ctrl-C ends a match early: its games so far are printed, with their number.

--ruler rates it against UCT players of known strength instead, with up to 10,000
simulations, in all seatings (docs/results/ruler.md): it plays against one after another
until one is the stronger.

--against measures against another player or checkpoint in place of UCT. Deterministic
players repeat their games: --opening draws the first decisions of each game at random,
and the number of distinct games is printed. Players with a time limit (time=1s) play one
game at a time.`,
		Example: `  tengen eval runs/quick
  tengen eval runs/quick --games 100 --against points
  tengen eval go-5x5x3 --ruler --games 120
  tengen eval runs/quick/checkpoints/000020 --json
  tengen eval uct:simulations=360 --game go:size=5,players=3
  tengen eval runs/descent --against az:runs/quick,simulations=100 --opening 3
  tengen eval ubfm:runs/descent,time=1s --against runs/quick --games 20 --json`,
		Args: cli.Arguments("CHECKPOINT|PLAYER"),
		RunE: func(c *cobra.Command, args []string) error {
			if err := f.check(c); err != nil {
				return err
			}
			if onAnchors && c.Flags().Changed("against") {
				return cli.Usagef("--ruler and --against: one of them is wanted")
			}
			p, err := pair(args[0], against, f.game, f.simulations)
			if err != nil {
				return err
			}
			if onAnchors {
				return evalAnchors(c, &f, p)
			}
			players := []player.Player{p.trained}
			for _, o := range p.opponents {
				players = append(players, o.player)
			}
			b, concurrent, err := f.open(c, players...)
			if err != nil {
				return err
			}
			defer b.Close()
			cli.WarnPassedOver(c, p.trained)
			var reports []*arena.Report
			var interrupted error
			defer cli.NoticeStop(c)()
			for _, o := range p.opponents {
				cli.WarnPassedOver(c, o.player)
				progress := cli.NewProgress(c.ErrOrStderr(), "against "+o.name, "games")
				v := arena.Versus{
					Game: p.game, Player: p.trained, Baseline: o.player,
					Games: f.games, Opening: f.opening, Seed: f.seed, Workers: cli.Cores(),
					GamesPerWorker: concurrent,
				}
				began := time.Now()
				report, err := v.Play(c.Context(), progress.Set)
				progress.Close()
				if report == nil {
					return cli.Advise(err)
				}
				reports = append(reports, report)
				cli.WarnFull(c, p.trained)
				cli.WarnFull(c, o.player)
				if !f.json && report.Games > 0 {
					if err := report.WriteText(c.OutOrStdout()); err != nil {
						return err
					}
					fmt.Fprintf(c.OutOrStdout(), "seed %d, %v\n\n",
						f.seed, time.Since(began).Round(time.Second))
				}
				if interrupted = err; err != nil {
					break
				}
			}
			if f.json {
				if err := cli.WriteJSON(c.OutOrStdout(), reports); err != nil {
					return err
				}
			}
			return cli.Advise(interrupted)
		},
	}
	f.add(c, "number of games in each seat, and of the opponent against itself",
		"random decisions at the start of each game")
	c.Flags().BoolVar(&onAnchors, "ruler", false,
		"place it on the ruler of its game: --games against each UCT player, from the weakest up")
	c.Flags().StringVar(&against, "against", "points,unit",
		"opponent: a scale of UCT (points, unit), both, a player or a checkpoint")
	return c
}

// pairing is a player to measure and its opponents.
type pairing struct {
	game      game.Game
	trained   player.Player
	opponents []opponent
}

type opponent struct {
	name   string
	player player.Player
}

// pair parses the player and its opponents. gameName is "" if no game was given.
func pair(text, against, gameName string, simulations int) (*pairing, error) {
	trained, networkGame, err := cli.AsPlayer(text, simulations)
	if err != nil {
		return nil, cli.Usage(err)
	}
	scales := scalesOf(against)
	other := ""
	if scales == nil {
		var itsGame string
		if other, itsGame, err = cli.AsPlayer(against, simulations); err != nil {
			if _, missing := os.Stat(against); missing != nil &&
				!cli.IsPlayer(cli.KindOf(against)) {
				err = fmt.Errorf(
					"points, unit or points,unit, a player or a checkpoint is wanted%s",
					run.DidYouMean(against, player.Points, player.Unit))
			}
			return nil, cli.Usagef("--against %s: %w", against, err)
		}
		if networkGame == "" {
			networkGame = itsGame
		}
	}
	for _, name := range []string{networkGame, cli.DefaultGame} {
		if gameName == "" {
			gameName = name
		}
	}
	p := &pairing{}
	if p.game, err = cli.ParseGame(gameName); err != nil {
		return nil, err
	}
	if p.trained, err = player.Parse(p.game, trained); err != nil {
		return nil, cli.Usage(err)
	}
	if scales == nil {
		opposed, err := player.Parse(p.game, other)
		if err != nil {
			return nil, cli.Usagef("--against %w", err)
		}
		p.opponents = []opponent{{opposed.Name(), opposed}}
	}
	if game.PointsPerUtility(p.game) == 1 && len(scales) > 1 {
		scales = scales[1:]
	}
	for _, scale := range scales {
		p.opponents = append(p.opponents, opponent{
			fmt.Sprintf("UCT (%s)", scale),
			player.UCT{Simulations: 180, C: 0.8, Utility: scale},
		})
	}
	return p, nil
}

// scalesOf parses the scales of UCT in --against; it returns nil if another player is named.
func scalesOf(text string) []string {
	scales := strings.Split(text, ",")
	for _, s := range scales {
		if s != player.Points && s != player.Unit {
			return nil
		}
	}
	return scales
}

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
	show := cli.Parts(c.ErrOrStderr())
	placed, err := l.Place(c.Context(), m, func(anchor string, played, all int) {
		show("against "+anchor, "games", played, all)
	})
	cli.NewProgress(c.ErrOrStderr(), "", "").Close() // removes that of the last match
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
