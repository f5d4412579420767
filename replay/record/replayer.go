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
	path    []int32 // from a child of a tree's root to a state, indices
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

// SeekState replays a game of r.Game that has passed a Checker up to a state of one of its trees,
// and writes the state's value for each player to values.
func (r *Replayer) SeekState(p *Packed, tree, state int, values []float32) error {
	if tree < 0 || tree >= p.nTrees {
		return fmt.Errorf("game %d has %d trees, but the sample is of tree %d",
			p.Number, p.nTrees, tree)
	}
	t := p.tree(tree)
	if state < 0 || state >= t.n {
		return fmt.Errorf("game %d: a tree has %d states, but the sample is of state %d",
			p.Number, t.n, state)
	}
	r.Reset()
	for ply := range t.ply {
		r.Apply(p.Action(ply))
	}
	r.path = p.path(r.path[:0], &t, state)
	for _, i := range r.path {
		r.Apply(t.action(p, int(i)))
		if !p.flag(t.forced, int(i)-1) {
			continue
		}
		for r.State().CurrentPlayer() >= 0 && len(r.LegalActions()) == 1 {
			r.Apply(r.LegalActions()[0])
		}
	}
	at := t.values + 32*p.players*count(p.body, t.listed, state)
	for i := range values[:p.players] {
		values[i] = p.float(at + 32*i)
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

// Checker checks records against the rules of a game. It is used by one goroutine.
type Checker struct {
	replayer *Replayer
	initial  game.State
	trees    walker
}

// NewChecker returns a Checker for records of g.
func NewChecker(g game.Game) *Checker {
	return &Checker{replayer: NewReplayer(g), initial: g.NewState(), trees: walker{game: g}}
}

// Check returns an error if the record is inconsistent, or can't have come from the game: a move,
// an action that was visited, or a step of a tree is not legal, or what the rules alone say is not
// as Mark sets it.
func (c *Checker) Check(rec *Game) error {
	if err := rec.Check(); err != nil {
		return fmt.Errorf("game %d: %w", rec.Number, err)
	}
	if err := c.replay(rec, false); err != nil {
		return err
	}
	return c.replayer.Finish(rec)
}

// Mark sets what the rules alone say: Move.Choice and Tree.Forced. It returns an error if a move or
// a step of a tree is not legal.
func (c *Checker) Mark(rec *Game) error {
	for k := range rec.Trees {
		t := &rec.Trees[k]
		t.Forced = make([]bool, len(t.Depths))
	}
	return c.replay(rec, true)
}

// Initial returns the position before the first move, which must not be changed.
func (c *Checker) Initial() game.State { return c.initial }

// State returns the position after the moves of the last record that was checked.
func (c *Checker) State() game.State { return c.replayer.State() }

// replay replays a record. It sets what Mark does, or checks it.
func (c *Checker) replay(rec *Game, mark bool) error {
	r := c.replayer
	if err := r.Begin(rec); err != nil {
		return err
	}
	c.trees.start(rec, mark)
	for ply := range rec.Moves {
		if err := r.CheckMover(rec); err != nil {
			return err
		}
		m, legal := &rec.Moves[ply], r.LegalActions()
		if choice := len(legal) > 1; mark {
			m.Choice = choice
		} else if m.Choice != choice {
			return fmt.Errorf("game %d, ply %d: that there was a choice is %v; by the rules it is %v",
				rec.Number, ply, m.Choice, choice)
		}
		for _, v := range m.Visits {
			if _, ok := slices.BinarySearch(legal, v.Action); !ok {
				return fmt.Errorf("game %d, ply %d: the visited action %d is not legal",
					rec.Number, ply, v.Action)
			}
		}
		if err := c.trees.at(rec, ply, r.State(), legal); err != nil {
			return err
		}
		if err := r.Step(rec); err != nil {
			return err
		}
	}
	return nil
}
