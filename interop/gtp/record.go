package gtp

import (
	"tengen/game"
	"tengen/game/goban"
	"tengen/interop/sgf"
)

// areas returns the points of Black and White, without komi.
func areas(e *Engine) (points [2]int) {
	var scores [2]float32
	e.State().(game.Scored).Scores(scores[:])
	for c := range points {
		points[c] = int(float64(scores[c]) - e.rules.Komi[c] + 0.5)
	}
	return points
}

// Record returns the record of the game so far.
func (e *Engine) Record() *sgf.Record {
	komi := e.rules.Komi[1] - e.rules.Komi[0]
	r := &sgf.Record{Rows: e.rules.Rows, Columns: e.rules.Columns, Komi: &komi, Result: "?"}
	if e.rules.Ko == goban.Positional {
		r.Rules = sgf.Chinese
	}
	if e.stones != nil {
		first := e.first
		r.First = &first
		for p, c := range e.stones {
			if c != game.Nobody {
				r.Setup[c] = append(r.Setup[c], p)
			}
		}
	}
	for _, m := range e.moves {
		p := int(m.action)
		if m.action == e.pass() {
			p = sgf.Pass
		}
		r.Moves = append(r.Moves, sgf.Move{Player: m.color, Point: p})
	}
	if e.State().CurrentPlayer() == game.Nobody {
		r.Result = sgf.ResultOf(e.margin())
	}
	return r
}
