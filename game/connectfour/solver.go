package connectfour

import (
	"fmt"

	"tengen/game"
	"tengen/game/connectfour/solve"
)

// NewSolver implements game.Solvable, for two players.
func (g *Game) NewSolver(bytes int) (game.Solver, error) {
	if g.Seats != 2 {
		return nil, fmt.Errorf("%s: only the game for two players can be solved", g.Name())
	}
	s, err := solve.New(solve.Board{Rows: g.Rows, Columns: g.Columns, InRow: g.InRow}, bytes)
	if err != nil {
		return nil, err
	}
	return &solver{g, s}, nil
}

type solver struct {
	g     *Game
	solve *solve.Solver
}

// Solve implements game.Solver.
func (v *solver) Solve(x game.State, dst []game.Solved) []game.Solved {
	s := x.(*State)
	mover := s.mover
	p := solve.Position{Own: s.stones[mover], All: s.all}
	left := v.g.Cells - int(s.plies)
	height := v.g.Rows + 1
	drops := s.drops()
	for c := range v.g.Columns {
		cell := drops & ((1<<v.g.Rows - 1) << (c * height))
		if cell == 0 {
			continue
		}
		x := game.Solved{Action: game.Action(c), Value: [2]float32{0.5, 0.5}, Plies: left}
		before := v.solve.Nodes()
		if v.g.row(p.Own | cell) {
			x.Value[mover], x.Value[1-mover], x.Plies = 1, 0, 1
		} else if left > 1 {
			score := v.solve.Score(p.Play(cell)) // of the other player
			switch {
			case score > 0:
				x.Value[mover], x.Value[1-mover] = 0, 1
			case score < 0:
				x.Value[mover], x.Value[1-mover] = 1, 0
			}
			x.Plies = 1 + solve.Plies(score, left-1)
		}
		x.Positions = v.solve.Nodes() - before
		dst = append(dst, x)
	}
	return dst
}
