package truth

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"sync"
	"sync/atomic"

	"tengen/game"
	"tengen/internal/interval"
	"tengen/internal/random"
	"tengen/player"
	"tengen/search"
)

// Turns is a set of positions in which a turn begins.
type Turns struct {
	game      game.Game
	solvable  game.Solvable
	seed      uint64
	positions []game.State
}

// mostPlies is the number of plies after which a game is given up.
const mostPlies = 100_000

// NewTurns draws n positions. progress may be nil.
func NewTurns(
	ctx context.Context, g game.Game, solvable game.Solvable, n int, seed uint64,
	progress func(done, all int),
) (*Turns, error) {
	if g.Players() != 2 {
		return nil, fmt.Errorf("%s: only the values of games for two players are known", g.Name())
	}
	solver, err := solvable.NewSolver(64 << 20)
	if err != nil {
		return nil, err
	}
	set := &Turns{game: g, solvable: solvable, seed: seed}
	for i := uint64(0); len(set.positions) < n; i++ {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if s := drawTurn(g, solver, random.New(seed, random.Arena, i, 0)); s != nil {
			set.positions = append(set.positions, s)
			if progress != nil {
				progress(len(set.positions), n)
			}
		} else if i > uint64(1000+100*n) {
			return nil, fmt.Errorf("%s: hardly any turn begins with a choice", g.Name())
		}
	}
	return set, nil
}

// drawTurn plays a game and returns one of its turns that began with a choice, nil if there was
// none.
func drawTurn(g game.Game, solver game.Solver, rng *rand.Rand) game.State {
	s, drawn := g.NewState(), game.State(nil)
	var legal []game.Action
	var solved []game.Solved
	turns, blind := 0, false
	last := game.Nobody // who moved last; a turn begins after chance or another player
	for range mostPlies {
		mover := s.CurrentPlayer()
		switch {
		case mover == game.Nobody:
			return drawn
		case mover == game.Chance:
			s.Apply(s.(game.Chancer).Sample(rng))
		default:
			legal = s.LegalActions(legal[:0])
			if mover != last {
				blind = rng.IntN(4) == 0
				if len(legal) > 1 {
					if turns++; rng.IntN(turns) == 0 {
						if drawn == nil {
							drawn = g.NewState()
						}
						drawn.CopyFrom(s)
					}
				}
			}
			a := legal[rng.IntN(len(legal))]
			if !blind && len(legal) > 1 {
				solved = solver.Solve(s, solved[:0])
				a = game.BestSolved(solved, mover).Action
			}
			s.Apply(a)
		}
		last = mover
	}
	return drawn
}

// TurnLoss is what a player loses.
type TurnLoss struct {
	Player string `json:"player"`
	Turns  int    `json:"turns"`
	// loss of a turn, in points (game.Staked, game.Scaled), else in utility
	Mean            float64 `json:"mean"`
	interval.Bounds         // of the mean
	Deviation       float64 `json:"deviation"`
	Best            float64 `json:"best"`  // share of turns that lose less than 0.0001
	Worst           float64 `json:"worst"` // the greatest loss
	// ValueError is the root of the mean square of the error of the value that the player gives a
	// position before its turn, in points; nil if it gives none.
	ValueError *float64 `json:"value_error,omitempty"`
}

// Measure plays every position's turn with a player, on a number of goroutines. progress may be
// nil. The losses do not depend on workers.
func (set *Turns) Measure(
	ctx context.Context, p player.Player, workers int, progress func(done, all int),
) (*TurnLoss, error) {
	losses, errors := make([]float64, len(set.positions)), make([]float64, len(set.positions))
	var next, done atomic.Int64
	var mu sync.Mutex
	errs := make([]error, workers)
	var group sync.WaitGroup
	for w := range workers {
		group.Go(func() {
			solver, err := set.solvable.NewSolver(64 << 20)
			if err != nil {
				errs[w] = err
				return
			}
			var evaluators []search.Evaluator
			if e := p.NewEvaluator(set.game, concurrent); e != nil {
				defer search.Close(e)
				evaluators = append(evaluators, e)
			}
			var tasks []search.Task
			for range concurrent {
				tasks = append(tasks,
					&turn{set: set,
						ctx:    ctx,
						agent:  p.NewAgent(set.game),
						solver: solver, next: &next, state: set.game.NewState(), finished: func(
							i int, loss, valueError float64,
						) {
							losses[i], errors[i] = loss, valueError
							n := int(done.Add(1))
							if progress != nil {
								mu.Lock()
								progress(n, len(losses))
								mu.Unlock()
							}
						}})
			}
			errs[w] = search.Drive(ctx, tasks, evaluators)
		})
	}
	group.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	r := summary(p.Name(), losses, Points(set.game))
	r.ValueError = rootMeanSquare(errors, Points(set.game))
	return r, nil
}

// Points is the number of points of a utility of one.
func Points(g game.Game) float64 {
	if s, ok := g.(game.Staked); ok {
		perUtility, _ := s.Chips()
		return perUtility
	}
	return game.PointsPerUtility(g)
}

func summary(name string, losses []float64, points float64) *TurnLoss {
	r := &TurnLoss{Player: name, Turns: len(losses)}
	n := float64(len(losses))
	var sum, squares, best float64
	for _, x := range losses {
		x *= points
		sum += x
		squares += x * x
		r.Worst = max(r.Worst, x)
		if x < 1e-4 {
			best++
		}
	}
	r.Mean, r.Best = sum/n, best/n
	if n > 1 {
		r.Deviation = math.Sqrt(max(0, (squares-n*r.Mean*r.Mean)/(n-1)))
	}
	i := interval.Mean(len(losses), r.Mean, r.Deviation*r.Deviation*(n-1))
	if i.Known() {
		i.Low = max(0, i.Low)
	}
	r.Bounds = i.Bounds()
	return r
}

// rootMeanSquare returns that of the errors, times points; nil if one is not a number.
func rootMeanSquare(errors []float64, points float64) *float64 {
	sum := 0.0
	for _, x := range errors {
		sum += x * x / float64(len(errors))
	}
	if math.IsNaN(sum) {
		return nil
	}
	root := points * math.Sqrt(sum)
	return &root
}

// turn plays one position's turn after another.
type turn struct {
	set      *Turns
	ctx      context.Context
	agent    player.Agent
	solver   game.Solver
	next     *atomic.Int64
	finished func(i int, loss, valueError float64)

	state   game.State
	i       int
	playing bool
	mover   game.Player
	begun   bool // the turn's first decision has been made
	loss    float64
	err     float64 // of the value that the player gave its first decision; NaN: it gave none
	values  [game.MaxPlayers]float32
	legal   []game.Action
	solved  []game.Solved
}

// Advance implements search.Task.
func (d *turn) Advance(requests []search.Requests) int {
	var own search.Requests
	if len(requests) > 0 {
		own = requests[0]
	}
	for {
		if !d.playing {
			d.i = int(d.next.Add(1)) - 1
			if d.i >= len(d.set.positions) || d.ctx.Err() != nil {
				return search.Done
			}
			d.state.CopyFrom(d.set.positions[d.i])
			d.playing, d.begun, d.mover, d.loss, d.err = true, false, d.state.CurrentPlayer(),
				0, math.NaN()
			d.agent.Begin(random.New(d.set.seed, random.Arena, uint64(d.i), 1))
		}
		d.legal = d.state.LegalActions(d.legal[:0])
		a := d.legal[0]
		if len(d.legal) > 1 {
			var decided bool
			if a, decided = d.agent.Think(d.state, own); !decided {
				return 0
			}
			d.solved = d.solver.Solve(d.state, d.solved[:0])
			best := game.BestSolved(d.solved, d.mover).Value[d.mover]
			if s, ok := d.agent.(player.Searching); ok && !d.begun {
				s.Result().Value(d.values[:d.set.game.Players()])
				d.err = float64(d.values[d.mover] - best)
			}
			d.begun = true
			for k := range d.solved {
				if d.solved[k].Action == a {
					d.loss += float64(best - d.solved[k].Value[d.mover])
				}
			}
		}
		d.agent.Played(a)
		d.state.Apply(a)
		if d.state.CurrentPlayer() != d.mover {
			d.playing = false
			d.finished(d.i, d.loss, d.err)
		}
	}
}

// Deliver implements search.Task.
func (d *turn) Deliver(evaluations search.Evaluations) { d.agent.Deliver(evaluations) }
