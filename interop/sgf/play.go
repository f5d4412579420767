package sgf

import (
	"fmt"
	"math"

	"tengen/game"
	"tengen/game/goban"
)

// Chinese is the value of RU for positional superko: area scoring, no suicide.
const Chinese = "Chinese"

// Game returns the game of the record: two players, free passes, area scoring, and the rules of
// like on ko, eyes, rewards and length, or the default rules (positional superko) if like is nil
// or not a game of Go.
func (r *Record) Game(like game.Game) (game.Game, error) {
	rules := goban.Rules{}
	if like != nil {
		rules, _ = goban.RulesOf(like)
	}
	if rules.Rows != r.Rows || rules.Columns != r.Columns {
		rules.MaxPlies = 0
	}
	rules.Rows, rules.Columns, rules.Players = r.Rows, r.Columns, 2
	rules.Pass, rules.Komi = goban.Free, []float64{0, r.Komi}
	return goban.New(rules)
}

// Start returns the position before the first move.
func (r *Record) Start(g game.Game) (game.State, error) {
	rules, ok := goban.RulesOf(g)
	if !ok || rules.Players != 2 || rules.Rows != r.Rows || rules.Columns != r.Columns {
		return nil, fmt.Errorf("the record is of two-player Go on %d×%d points, not of %s", r.Rows, r.Columns, g.Name())
	}
	stones := make([]game.Player, r.Rows*r.Columns)
	for p := range stones {
		stones[p] = game.Nobody
	}
	for c, points := range r.Setup {
		for _, p := range points {
			stones[p] = game.Player(c)
		}
	}
	if mover := r.CurrentPlayer(); mover != 0 || len(r.Setup[0])+len(r.Setup[1]) > 0 {
		return goban.SetUp(g, stones, mover)
	}
	return g.NewState(), nil
}

// Play returns the position after the first n moves. If a colour moves twice in a row, or after
// two passes, the other's turn is skipped (goban.HandTo). An error names the first illegal move.
func (r *Record) Play(g game.Game, n int) (game.State, error) {
	start, err := r.Start(g)
	if err != nil {
		return nil, err
	}
	if n < 0 || n > len(r.Moves) {
		return nil, fmt.Errorf("the position after %d moves: the record has %d", n, len(r.Moves))
	}
	replayer := game.NewReplayer(g)
	replayer.Start(start)
	s := replayer.State()
	for i, m := range r.Moves[:n] {
		if s.CurrentPlayer() != m.Player {
			if err := replayer.Edit(func(s game.State) error { return goban.HandTo(s, m.Player) }); err != nil {
				return nil, fmt.Errorf("move %d: %w", i+1, err)
			}
		}
		a := game.Action(m.Point)
		if m.Point == Pass {
			a = game.Action(r.Rows * r.Columns)
		}
		if replayer.Play(a) != nil {
			return nil, fmt.Errorf("move %d, %s %s, is illegal in %s", i+1, game.SeatName(g, m.Player), game.ActionName(g, s, a), g.Name())
		}
	}
	return s, nil
}

// Margin returns Black's score minus White's, komi included, in a position of two-player Go as it
// stands, rounded to a thousandth, since scores are single precision.
func Margin(s game.State) float64 {
	var scores [2]float32
	s.(game.Scored).Scores(scores[:])
	return math.Round(1000*(float64(scores[0])-float64(scores[1]))) / 1000
}
