package record

import (
	"fmt"
	"math"
	"slices"

	"tengen/game"
)

// Replayer replays records of one game. It checks what game.Replayer does not: the
// game's name, the seats, who moved, and the result.
type Replayer struct {
	*game.Replayer
	Game    game.Game
	returns [game.MaxPlayers]float32
	path    []int32 // from a tree's state to the child of the root, indices
}

// NewReplayer returns a Replayer of records of g.
func NewReplayer(g game.Game) *Replayer {
	return &Replayer{Replayer: game.NewReplayer(g), Game: g}
}

// Begin sets the initial position.
func (r *Replayer) Begin(rec *Game) error {
	if rec.Name != r.Game.Name() {
		return fmt.Errorf("game %d: a record of %q, want %q", rec.Number, rec.Name, r.Game.Name())
	}
	if len(rec.Seats) != r.Game.Players() {
		return fmt.Errorf("game %d: %d seats, but %s has %d players",
			rec.Number, len(rec.Seats), rec.Name, r.Game.Players())
	}
	r.Reset()
	return nil
}

// CheckMover checks whose turn it is at the current ply.
func (r *Replayer) CheckMover(rec *Game) error {
	if m, mover := rec.Moves[r.Ply()].Mover, r.State().CurrentPlayer(); mover != m {
		return fmt.Errorf("game %d, ply %d: the record says that %s moved, the rules say %s",
			rec.Number, r.Ply(), playerName(m), playerName(mover))
	}
	return nil
}

// Step checks and applies the move at the current ply.
func (r *Replayer) Step(rec *Game) error {
	if err := r.CheckMover(rec); err != nil {
		return err
	}
	if err := r.Play(rec.Moves[r.Ply()].Action); err != nil {
		return fmt.Errorf("game %d, ply %d: %w", rec.Number, r.Ply(), err)
	}
	return nil
}

// SeekState replays a record that has begun up to a state of one of its trees, which was indexed:
// its steps are legal.
func (r *Replayer) SeekState(rec *Game, t *IndexedTree, state int32) error {
	if state < 0 || int(state) >= len(t.links) {
		return fmt.Errorf("game %d: a tree has %d states, but the sample is of state %d",
			rec.Number, len(t.links), state)
	}
	r.path = r.path[:0]
	for i := state; i > 0; i, _ = t.link(i) {
		r.path = append(r.path, i)
	}
	ply := 0
	if t.From != nil {
		r.Start(t.From.State)
		ply = t.From.Ply
	}
	for ; ply < t.Ply; ply++ {
		r.Apply(rec.Moves[ply].Action)
	}
	for _, i := range slices.Backward(r.path) {
		r.Apply(t.Actions[i])
		_, forced := t.link(i)
		for _, a := range forced {
			r.Apply(game.Action(a))
		}
	}
	return nil
}

// Finish checks the result after the last ply. That of a game that ended by resignation is checked
// by Game.Check.
func (r *Replayer) Finish(rec *Game) error {
	mover := r.State().CurrentPlayer()
	switch {
	case rec.Resigned && mover == game.Nobody:
		return fmt.Errorf(
			"game %d: the record says that the game ended by resignation, but it was over",
			rec.Number)
	case rec.Resigned:
		if err := CheckResignable(r.Game); err != nil {
			return fmt.Errorf("game %d ended by resignation: %w", rec.Number, err)
		}
		return nil
	case mover != game.Nobody:
		return fmt.Errorf("game %d: the record ends after %d plies, but %s is to move",
			rec.Number, len(rec.Moves), playerName(mover))
	}
	returns := r.returns[:r.Game.Players()]
	r.State().Returns(returns)
	for i, x := range returns {
		// Allow for rounding: another processor may round a quotient differently.
		if len(rec.Returns) != len(returns) || math.Abs(float64(x-rec.Returns[i])) > 1e-5 {
			return fmt.Errorf("game %d: the recorded utilities are %v, the rules give %v",
				rec.Number, rec.Returns, returns)
		}
	}
	return nil
}

func playerName(p game.Player) string {
	switch p {
	case game.Nobody:
		return "nobody"
	case game.Chance:
		return "chance"
	}
	return fmt.Sprintf("player %d", p)
}

// Checker checks records against the rules of a game, more strictly than a Window: of every move
// also that what was visited was legal. It is used by one goroutine.
type Checker struct {
	replayer *Replayer
	trees    Indexer
	visited  []game.Action
}

// NewChecker returns a Checker for records of g.
func NewChecker(g game.Game) *Checker {
	return &Checker{replayer: NewReplayer(g), trees: Indexer{Game: g}}
}

// Check returns an error if the record is inconsistent, or can't have come from the game.
func (c *Checker) Check(rec *Game) error {
	if err := rec.Check(); err != nil {
		return fmt.Errorf("game %d: %w", rec.Number, err)
	}
	r := c.replayer
	if err := r.Begin(rec); err != nil {
		return err
	}
	trees := len(rec.Trees) > 0
	if trees {
		c.trees.Start(rec)
		defer c.trees.Release()
	}
	for ply := range rec.Moves {
		if err := r.CheckMover(rec); err != nil {
			return err
		}
		if err := c.checkVisits(&rec.Moves[ply]); err != nil {
			return fmt.Errorf("game %d, ply %d: %w", rec.Number, ply, err)
		}
		if trees {
			if err := c.trees.At(rec, ply, r.State(), r.LegalActions()); err != nil {
				return err
			}
		}
		if err := r.Step(rec); err != nil {
			return err
		}
	}
	return r.Finish(rec)
}

// checkVisits checks that visited actions are legal, and each is listed once.
func (c *Checker) checkVisits(m *Move) error {
	if len(m.Visits) == 0 {
		return nil
	}
	legal := c.replayer.LegalActions()
	c.visited = c.visited[:0]
	for _, v := range m.Visits {
		if _, ok := slices.BinarySearch(legal, v.Action); !ok {
			return fmt.Errorf("the visited action %d is not legal", v.Action)
		}
		c.visited = append(c.visited, v.Action)
	}
	slices.Sort(c.visited)
	for i := 1; i < len(c.visited); i++ {
		if c.visited[i] == c.visited[i-1] {
			return fmt.Errorf("the visited action %d is listed twice", c.visited[i])
		}
	}
	return nil
}
