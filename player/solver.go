package player

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"tengen/game"
	"tengen/internal/notation"
	"tengen/search"
)

// Solver plays perfectly, by the solver of its game (game.Solvable): for the best result, then to
// win as soon as it can, or to lose as late as it can.
type Solver struct {
	Table      int    // MiB
	RandomTies bool   // equal actions are drawn from, else the first is played
	File       string // of the game's exact values (game.Tabled), "" if the solver computes them
	solvable   game.Solvable
}

const solverTableMiB = 64

var solverParams = []notation.Param{
	{Key: "tt", Default: fmt.Sprint(solverTableMiB), Help: "MiB of transposition table"},
	{Key: "ties", Default: "random", Help: "among equal actions: random, or first"},
	{
		Key: tableKey, Help: "file of exact values, as `" + notation.Command("games",
			"solve") + "` writes it",
	},
}

func newSolver(g game.Game, v *notation.Values) (Player, error) {
	p := &Solver{
		Table: v.Int("tt", 1, 1<<16), RandomTies: v.Choice("ties", "random", "first") == "random",
	}
	if v.Err() != nil {
		return nil, v.Err()
	}
	if p.File = v.String("table"); p.File != "" {
		tabled, ok := g.(game.Tabled)
		if !ok {
			return nil,
				fmt.Errorf("%s has no file of exact values; backgammon:checkers=3 has one",
					g.Name())
		}
		var err error
		p.solvable, err = tabled.OpenTable(p.File)
		return p, err
	}
	var ok bool
	if p.solvable, ok = g.(game.Solvable); !ok {
		return nil, fmt.Errorf("%s has no solver; connect-four has one", g.Name())
	}
	_, err := p.solvable.NewSolver(1) // says why this game has none
	return p, err
}

// Name implements Player.
func (p *Solver) Name() string {
	var keys []string
	if p.Table != solverTableMiB {
		keys = append(keys, fmt.Sprintf("tt=%d", p.Table))
	}
	if !p.RandomTies {
		keys = append(keys, "ties=first")
	}
	if p.File != "" {
		keys = append(keys, tableKey+"="+notation.Quote(p.File))
	}
	if len(keys) == 0 {
		return "solver"
	}
	return "solver:" + strings.Join(keys, ",")
}

// Draws implements Drawing.
func (p *Solver) Draws() bool { return p.RandomTies }

// NewEvaluator returns nil: nothing is evaluated.
func (p *Solver) NewEvaluator(game.Game, int) search.Evaluator { return nil }

// NewAgent implements Player.
func (p *Solver) NewAgent(g game.Game) Agent {
	r := &solution{game: g, player: p, state: g.NewState(), next: g.NewState()}
	return &solverAgent{searched{g.Players(), r}, r}
}

type solverAgent struct {
	searched
	solution *solution
}

func (a *solverAgent) Begin(rng *rand.Rand) {
	a.solution.rng = rng
	a.solution.moves = a.solution.moves[:0]
}

func (a *solverAgent) Think(s game.State, _ search.Requests) (game.Action, bool) {
	return a.solution.solve(s), true
}

func (a *solverAgent) Deliver(search.Evaluations) {}
func (a *solverAgent) Played(game.Action)         {}

// solution is the search.Result of a position that was solved.
type solution struct {
	game   game.Game
	player *Solver
	solver game.Solver // nil until it is needed
	rng    *rand.Rand
	state  game.State // the position
	next   game.State // scratch
	moves  []game.Solved
	best   game.Solved
	line   []game.Solved // scratch
}

// solve solves s and chooses an action.
func (r *solution) solve(s game.State) game.Action {
	if r.solver == nil {
		r.solver, _ = r.player.solvable.NewSolver(r.player.Table << 20) // newSolver has made one
	}
	r.state.CopyFrom(s)
	r.moves = r.solver.Solve(s, r.moves[:0])
	mover := s.CurrentPlayer()
	r.best = *game.BestSolved(r.moves, mover)
	if r.player.RandomTies {
		equal := 0
		for i := range r.moves {
			if r.moves[i].Compare(&r.best, mover) == 0 {
				if equal++; r.rng.IntN(equal) == 0 {
					r.best = r.moves[i]
				}
			}
		}
	}
	return r.best.Action
}

// Value implements search.Result.
func (r *solution) Value(dst []float32) {
	if len(r.moves) == 0 {
		clear(dst[:r.game.Players()])
		return
	}
	copy(dst, r.best.Value[:])
}

// Children implements search.Result. Visits are the positions searched, and 1.
func (r *solution) Children(dst []search.Child) []search.Child {
	for _, m := range r.moves {
		c := search.Child{
			Action: m.Action, Visits: 1 + int(m.Positions), Exact: true, Plies: m.Plies,
		}
		copy(c.Value[:], m.Value[:])
		dst = append(dst, c)
	}
	return dst
}

// Best implements search.Result.
func (r *solution) Best() game.Action {
	if len(r.moves) == 0 {
		return game.NoAction
	}
	return r.best.Action
}

// PrincipalVariation implements search.Result: it goes on to the end of the game, or to the next
// outcome of chance.
func (r *solution) PrincipalVariation(dst []game.Action) []game.Action {
	if len(r.moves) == 0 {
		return dst
	}
	r.next.CopyFrom(r.state)
	for a := r.best.Action; ; {
		dst = append(dst, a)
		r.next.Apply(a)
		mover := r.next.CurrentPlayer()
		if mover < 0 {
			return dst
		}
		r.line = r.solver.Solve(r.next, r.line[:0])
		a = game.BestSolved(r.line, mover).Action
	}
}

// Stats implements search.Result.
func (r *solution) Stats() search.Stats {
	if len(r.moves) == 0 {
		return search.Stats{}
	}
	nodes := 0
	for _, c := range r.Children(nil) {
		nodes += c.Visits
	}
	return search.Stats{Nodes: nodes, Turns: r.best.Plies, Exact: true}
}

var _ search.Result = (*solution)(nil)
