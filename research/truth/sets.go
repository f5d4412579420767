package truth

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"

	"tengen/game"
	"tengen/internal/random"
)

// Stage is a part of the game, by the number of plies played.
type Stage struct {
	Name        string
	Least, Most int
}

// Stages returns the stages of a game of at most so many plies. Of the 42 of Connect Four the early
// positions have 10 to 13 stones, the middle ones up to 27, and the late ones up to 38.
func Stages(plies int) []Stage {
	at := func(n int) int { return plies * n / 42 }
	return []Stage{
		{"early", at(10), at(14) - 1}, {"middle", at(14), at(28) - 1}, {"late", at(28), at(39) - 1},
	}
}

// Set is a set of positions of one stage.
type Set struct {
	Stage
	Positions []Position
}

// Position is a position with what each legal action is worth.
type Position struct {
	State  game.State
	Solved []game.Solved
	best   *game.Solved
}

// Open reports whether an action can throw the result away.
func (p *Position) Open() bool {
	mover := p.State.CurrentPlayer()
	for i := range p.Solved {
		if p.Solved[i].Value[mover] != p.best.Value[mover] {
			return true
		}
	}
	return false
}

// Kept reports whether action a keeps the result, and whether it keeps the number of plies to it
// too.
func (p *Position) Kept(a game.Action) (outcome, exact bool) {
	mover := p.State.CurrentPlayer()
	for i := range p.Solved {
		if x := &p.Solved[i]; x.Action == a {
			return x.Value[mover] == p.best.Value[mover], x.Compare(p.best, mover) == 0
		}
	}
	return false, false
}

// mostMisses is the number of draws without a new position after which there are no more.
const mostMisses = 20_000

// solverBytes is the size of the tables of a solver.
const solverBytes = 64 << 20

// NewSets draws n positions of each stage and solves them. All positions of a set are different,
// and more than one action is legal in them. progress may be nil.
func NewSets(
	ctx context.Context, g game.Game, n int, seed uint64, progress func(what string, done, all int),
) ([]Set, error) {
	solvable, ok := g.(game.Solvable)
	limited, ok2 := g.(game.Limited)
	if !ok || !ok2 {
		return nil, fmt.Errorf("%s has no solver", g.Name())
	}
	var sets []Set
	for k, stage := range Stages(limited.PlyLimit()) {
		set := Set{Stage: stage}
		seen := map[uint64]bool{}
		found := uint64(0) // the last draw that gave a new position
		for i := uint64(0); len(set.Positions) < n; i++ {
			if i-found > mostMisses {
				return nil, fmt.Errorf("%s: there are only %d different positions of %d to %d plies; --positions %d is too many", g.Name(), len(set.Positions), stage.Least, stage.Most, n)
			}
			if s := draw(g, stage, seed, uint64(k), i); s != nil && !seen[s.Hash()] {
				seen[s.Hash()], found = true, i
				set.Positions = append(set.Positions, Position{State: s})
			}
		}
		if err := solveAll(ctx, solvable, &set, progress); err != nil {
			return nil, err
		}
		sets = append(sets, set)
	}
	return sets, nil
}

// draw returns a position after random plies, nil if the game is over by then or one action is
// legal.
func draw(g game.Game, stage Stage, seed, k, i uint64) game.State {
	rng := random.New(seed, random.Arena, k, i)
	s := g.NewState()
	var legal []game.Action
	for range stage.Least + rng.IntN(stage.Most-stage.Least+1) {
		if s.CurrentPlayer() == game.Nobody {
			return nil
		}
		legal = s.LegalActions(legal[:0])
		s.Apply(legal[rng.IntN(len(legal))])
	}
	if s.CurrentPlayer() == game.Nobody || len(s.LegalActions(legal[:0])) < 2 {
		return nil
	}
	return s
}

// solveAll solves the positions of a set on all cores.
func solveAll(
	ctx context.Context, g game.Solvable, set *Set, progress func(what string, done, all int),
) error {
	workers := min(runtime.GOMAXPROCS(0), len(set.Positions))
	errs := make([]error, workers)
	var next, done atomic.Int64
	var mu sync.Mutex
	var group sync.WaitGroup
	for w := range workers {
		group.Go(func() {
			solver, err := g.NewSolver(solverBytes)
			if err != nil {
				errs[w] = err
				return
			}
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= len(set.Positions) {
					return
				}
				p := &set.Positions[i]
				p.Solved = solver.Solve(p.State, nil)
				p.best = game.BestSolved(p.Solved, p.State.CurrentPlayer())
				if n := int(done.Add(1)); progress != nil {
					mu.Lock()
					progress("solve "+set.Name+" positions", n, len(set.Positions))
					mu.Unlock()
				}
			}
		})
	}
	group.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return ctx.Err()
}
