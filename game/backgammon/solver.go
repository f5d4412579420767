package backgammon

import (
	"context"
	"fmt"

	"tengen/game"
	"tengen/internal/notation"
	"tengen/vfs"
)

// SolvedTo is the greatest change of a value, in points, in the last sweep of equities that are
// said to be exact.
const SolvedTo = 1e-6

// solved is a game with its equities.
type solved struct {
	equities *Equities
	fails    error
}

// NewSolver implements game.Solvable, for 1 and 2 checkers; the values of more are in a file, for
// OpenTable.
func (g *Game) NewSolver(int) (game.Solver, error) {
	switch {
	case g.checkers > MostSolved:
		return nil, fmt.Errorf("%s: only the game with up to %d checkers can be solved",
			g.Name(), MostSolved)
	case g.checkers > 2:
		return nil, fmt.Errorf("the exact values of %s are in a file, which `%s` writes: name it, as in solver:table=FILE",
			g.Name(), notation.Command("games", "solve", g.Name(), "--out", "FILE"))
	}
	g.once.Do(func() {
		var s solved
		s.equities, s.fails = Solve(context.Background(), g.checkers, SolvedTo, nil, nil)
		g.small = s
	})
	return &solver{g.small.equities}, g.small.fails
}

// OpenTable implements game.Tabled.
func (g *Game) OpenTable(path string) (game.Solvable, error) {
	data, err := vfs.ReadFile(vfs.OS{}, path)
	if err != nil {
		return nil, err
	}
	e, err := ParseEquities(data)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: %w", path, err)
	case e.n != g.checkers:
		return nil, fmt.Errorf("%s holds the values of %s, not of %s",
			path, New(e.n).Name(), g.Name())
	case e.Change > SolvedTo:
		return nil,
			fmt.Errorf(
				"%s is not complete: a value changed by %.1g in the last sweep; go on with `%s`",
				path, e.Change, notation.Command("games", "solve", g.Name(), "--out", path))
	}
	return solvable{e}, nil
}

// solvable makes solvers that share equities.
type solvable struct{ equities *Equities }

// NewSolver implements game.Solvable.
func (s solvable) NewSolver(int) (game.Solver, error) { return &solver{s.equities}, nil }

// EquitiesOf returns the equities of a solver of OpenTable or NewSolver.
func EquitiesOf(s game.Solver) *Equities { return s.(*solver).equities }

type solver struct{ equities *Equities }

// Solve implements game.Solver. The value of an action is that of the best turn that begins with
// it.
func (v *solver) Solve(x game.State, dst []game.Solved) []game.Solved {
	s := x.(*State)
	var list [maxActions]game.Action
	for _, a := range s.LegalActions(list[:0]) {
		points := v.equities.action(s, a)
		r := game.Solved{Action: a, Positions: 1}
		r.Value[s.mover] = float32((points + mostPoints) / (2 * mostPoints))
		r.Value[1-s.mover] = 1 - r.Value[s.mover]
		dst = append(dst, r)
	}
	return dst
}
