package bench

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"tengen/cmd/internal/cli"
	"tengen/game"
	"tengen/internal/machine"
	"tengen/internal/notation"
	"tengen/internal/random"
	"tengen/mcts"
	"tengen/player"
	"tengen/search"
)

// benchedLeaves are the numbers of leaves that are measured.
var benchedLeaves = []int{1, 2, 4, 8, 16, 32, mcts.AutoBatchSize}

func newBenchLeaves() *cobra.Command {
	var flags benchFlags
	var limit time.Duration
	c := &cobra.Command{
		Use:   "leaves [NETWORK]",
		Short: "Measure a network's simulations in the time of a move, by evaluations awaited at once",
		Long: `Leaves measures how many simulations a network's search makes in the time of a move on
one core, if it awaits 1, 2, 4, … evaluations at once, and with leaves=auto. NETWORK is a
run, a checkpoint, a model file or a pretrained network (go-5x5x3 by default). It searches
the same positions of random games with each number in turn, each from a fresh tree;
--seconds is the duration for each number.`,
		Example: `  tengen bench leaves
  tengen bench leaves runs/turtle --time 5ms --seconds 10 --json`,
		Args: cli.Arguments("[NETWORK]"),
		RunE: func(c *cobra.Command, args []string) error {
			d, err := flags.duration()
			if err != nil {
				return err
			}
			if limit <= 0 || limit > time.Hour {
				return cli.Usagef("--time %v: a duration above 0, to 1h, is wanted", limit)
			}
			r, err := newLeavesBench(append(args, "go-5x5x3")[0], limit)
			if err != nil {
				return cli.Usage(err)
			}
			if err := r.measure(c.Context(), d, seed); err != nil {
				return err
			}
			warnBusy(c, r.busy)
			if flags.json {
				return cli.WriteJSON(c.OutOrStdout(), r)
			}
			return r.write(c)
		},
	}
	flags.add(c.Flags())
	c.Flags().DurationVar(&limit, "time", 10*time.Millisecond, "time of a move")
	return c
}

// leavesBench is the measurement of one network.
type leavesBench struct {
	Network string        `json:"network"`
	Game    string        `json:"game"`
	Seconds float64       `json:"seconds_a_move"`
	Moves   int           `json:"moves"` // searched with each number of leaves
	Leaves  []leavesSpeed `json:"leaves"`

	game   game.Game
	player *player.AlphaZero
	busy   tally
}

// leavesSpeed is the measurement of one number of leaves.
type leavesSpeed struct {
	Leaves      string  `json:"leaves"`
	Simulations float64 `json:"simulations_a_move"`
	Ratio       float64 `json:"ratio_to_1"`
	Rows        float64 `json:"rows_a_batch"`
	Longest     float64 `json:"longest_move_seconds"`
}

func newLeavesBench(path string, limit time.Duration) (*leavesBench, error) {
	model, err := player.LoadModel(path)
	if err != nil {
		return nil, err
	}
	g, err := game.New(model.Game)
	if err != nil {
		return nil, err
	}
	p, err := player.Parse(g, fmt.Sprintf("az:%s,time=%v", notation.Quote(path), limit))
	if err != nil {
		return nil, err
	}
	r := &leavesBench{
		Network: path, Game: g.Name(), Seconds: limit.Seconds(), game: g,
		player: p.(*player.AlphaZero),
	}
	return r, nil
}

// contestant searches with one number of leaves.
type contestant struct {
	agent       player.Agent
	evaluator   countingEvaluator
	simulations int
	longest     time.Duration
}

// countingEvaluator counts batches and their rows.
type countingEvaluator struct {
	search.Evaluator
	rows, batches int
}

func (e *countingEvaluator) Add(s game.State) {
	e.rows++
	e.Evaluator.Add(s)
}

func (e *countingEvaluator) Evaluate() (search.Evaluations, error) {
	e.batches++
	return e.Evaluator.Evaluate()
}

// measure searches positions until d has passed for each number of leaves.
func (r *leavesBench) measure(ctx context.Context, d time.Duration, seed uint64) error {
	var list []*contestant
	for _, n := range benchedLeaves {
		p := *r.player
		p.PUCT.BatchSize = n
		list = append(list, &contestant{
			agent:     p.NewAgent(r.game),
			evaluator: countingEvaluator{Evaluator: p.NewEvaluator(r.game, 1)},
		})
	}
	rng := random.New(seed, random.Arena)
	began, used := time.Now(), machine.CPUTime()
	for warm := true; warm || time.Since(began) < time.Duration(len(list))*d; warm = false {
		s := decision(r.game, rng)
		for _, x := range list {
			if err := ctx.Err(); err != nil {
				return err
			}
			x.agent.Begin(rng)
			if warm { // caches, and the first measurements of auto
				if err := x.search(s); err != nil {
					return err
				}
				x.agent.Begin(rng)
				x.simulations, x.evaluator.rows, x.evaluator.batches, x.longest = 0, 0, 0, 0
			}
			if err := x.search(s); err != nil {
				return err
			}
		}
		r.Moves++
	}
	r.busy.share = 1
	if used > 0 {
		r.busy.share = min(1, (machine.CPUTime()-used).Seconds()/time.Since(began).Seconds())
	}
	one := float64(list[0].simulations) / float64(r.Moves)
	for i, x := range list {
		name := strconv.Itoa(benchedLeaves[i])
		if benchedLeaves[i] == mcts.AutoBatchSize {
			name = "auto"
		}
		mean := float64(x.simulations) / float64(r.Moves)
		r.Leaves = append(r.Leaves,
			leavesSpeed{
				name, mean, mean / one,
				float64(x.evaluator.rows) / float64(max(1, x.evaluator.batches)),
				x.longest.Seconds(),
			})
	}
	return nil
}

// search searches s.
func (x *contestant) search(s game.State) error {
	began := time.Now()
	if _, err := player.Decide(x.agent, s, &x.evaluator); err != nil {
		return err
	}
	x.longest = max(x.longest, time.Since(began))
	x.simulations += x.agent.(player.Searching).Result().Stats().Simulations
	return nil
}

// decision returns a position of a random game in which a player has a choice.
func decision(g game.Game, rng *rand.Rand) game.State {
	var buf []game.Action
	for {
		s := g.NewState()
		for plies := rng.IntN(40); s.CurrentPlayer() != game.Nobody; plies-- {
			if s.CurrentPlayer() >= 0 && plies <= 0 && len(s.LegalActions(buf[:0])) > 1 {
				return s
			}
			buf = step(s, rng, buf)
		}
	}
}

// write writes a table.
func (r *leavesBench) write(c *cobra.Command) error {
	fmt.Fprintf(c.OutOrStdout(), "simulations of %s in %v a move, on one core, %d moves\n",
		r.Network, time.Duration(r.Seconds*float64(time.Second)), r.Moves)
	t := tabwriter.NewWriter(c.OutOrStdout(), 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "leaves\tsimulations\tratio\trows a batch\tlongest move\t")
	for _, x := range r.Leaves {
		fmt.Fprintf(t, "%s\t%.0f\t%.2f\t%.1f\t%.1f ms\t\n",
			x.Leaves, x.Simulations, x.Ratio, x.Rows, 1000*x.Longest)
	}
	return t.Flush()
}
