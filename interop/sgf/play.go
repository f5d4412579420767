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
// or not a game of Go. If the record has no komi it is that of like, or none.
func (r *Record) Game(like game.Game) (game.Game, error) {
	rules := goban.Rules{}
	if like != nil {
		rules, _ = goban.RulesOf(like)
	}
	if rules.Rows != r.Rows || rules.Columns != r.Columns {
		rules.MaxPlies = 0
	}
	komi := 0.0
	switch {
	case r.Komi != nil:
		komi = *r.Komi
	case rules.Players == 2:
		komi = rules.Komi[1] - rules.Komi[0]
	}
	rules.Rows, rules.Columns, rules.Players = r.Rows, r.Columns, 2
	rules.Pass, rules.Komi = goban.Free, []float64{0, komi}
	return goban.New(rules)
}

// Start returns the position before the first move.
func (r *Record) Start(g game.Game) (game.State, error) {
	rules, ok := goban.RulesOf(g)
	if !ok || rules.Players != 2 || rules.Rows != r.Rows || rules.Columns != r.Columns {
		return nil, fmt.Errorf("the record is of two-player Go on %d×%d points, not of %s",
			r.Rows, r.Columns, g.Name())
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

// Play returns the position after the first n moves and what is set up after them. If a colour
// moves twice in a row, or after two passes, the other's turn is skipped (goban.HandTo). An error
// names the first illegal move.
func (r *Record) Play(g game.Game, n int) (game.State, error) {
	end, _, _, err := r.play(g, n)
	return end, err
}

// Since returns the position that was set up last before move n+1, or the first one, and the moves
// from it up to move n.
func (r *Record) Since(g game.Game, n int) (start game.State, moves []Move, err error) {
	if len(r.Edits) == 0 || n < r.Edits[0].After {
		if start, err = r.Start(g); err != nil {
			return nil, nil, err
		}
		return start, r.Moves[:n], nil
	}
	_, start, first, err := r.play(g, n)
	if err != nil {
		return nil, nil, err
	}
	return start, r.Moves[first:n], nil
}

// play returns the position after the first n moves, the last one that was set up, and the number
// of moves before that.
func (r *Record) play(g game.Game, n int) (end, start game.State, first int, err error) {
	if start, err = r.Start(g); err != nil {
		return nil, nil, 0, err
	}
	if n < 0 || n > len(r.Moves) {
		return nil, nil, 0,
			fmt.Errorf("the position after %d moves: the record has %d", n, len(r.Moves))
	}
	replayer := game.NewReplayer(g)
	replayer.Start(start)
	s := replayer.State()
	edits := r.Edits
	for i := 0; ; i++ {
		if len(edits) > 0 && edits[0].After == i {
			changed, err := r.edit(g, replayer, edits[0])
			if err != nil {
				return nil, nil, 0, fmt.Errorf("after move %d: %w", i, err)
			}
			if changed {
				start, first = g.NewState(), i
				start.CopyFrom(s)
			}
			edits = edits[1:]
		}
		if i == n {
			return s, start, first, nil
		}
		m := r.Moves[i]
		if s.CurrentPlayer() != m.Player {
			if err := replayer.Edit(func(s game.State) error {
				return goban.HandTo(s, m.Player)
			}); err != nil {
				return nil, nil, 0, fmt.Errorf("move %d: %w", i+1, err)
			}
		}
		a := game.Action(m.Point)
		if m.Point == Pass {
			a = game.Action(r.Rows * r.Columns)
		}
		if replayer.Play(a) != nil {
			return nil, nil, 0,
				fmt.Errorf("move %d, %s %s, is illegal in %s",
					i+1, game.SeatName(g, m.Player), game.ActionName(g, s, a), g.Name())
		}
	}
}

// edit changes the position of a replayer. changed is false if the stones were so already.
func (r *Record) edit(g game.Game, replayer *game.Replayer, e Edit) (changed bool, err error) {
	mover := 1 - r.Moves[e.After-1].Player
	switch {
	case e.First != nil:
		mover = *e.First
	case e.After < len(r.Moves):
		mover = r.Moves[e.After].Player
	}
	stones := goban.Stones(replayer.State(), nil)
	set := func(points []int, c game.Player) {
		for _, p := range points {
			changed = changed || stones[p] != c
			stones[p] = c
		}
	}
	set(e.Stones[0], 0)
	set(e.Stones[1], 1)
	set(e.Empty, game.Nobody)
	if !changed {
		if replayer.State().CurrentPlayer() == mover {
			return false, nil
		}
		return false, replayer.Edit(func(s game.State) error { return goban.HandTo(s, mover) })
	}
	s, err := goban.SetUp(g, stones, mover)
	if err == nil {
		replayer.Start(s)
	}
	return true, err
}

// Margin returns Black's score minus White's, komi included, in a position of two-player Go as it
// stands, rounded to a thousandth, since scores are single precision.
func Margin(s game.State) float64 {
	var scores [2]float32
	s.(game.Scored).Scores(scores[:])
	return math.Round(1000*(float64(scores[0])-float64(scores[1]))) / 1000
}
