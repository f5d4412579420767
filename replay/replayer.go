package replay

import (
	"fmt"
	"math"
	"slices"

	"tengen/game"
)

// replayer plays records again, checking every step. It allocates nothing
// once its buffers have grown.
type replayer struct {
	game     game.Game
	initial  game.State
	state    game.State
	legal    []game.Action // of state, while a player is to move
	outcomes []game.Outcome
	returns  [game.MaxPlayers]float32
}

func newReplayer(g game.Game) *replayer {
	return &replayer{game: g, initial: g.NewState(), state: g.NewState(), legal: make([]game.Action, 0, g.Actions()+1)}
}

// start sets up the initial position.
func (r *replayer) start(rec *Game) error {
	if rec.Name != r.game.Name() {
		return fmt.Errorf("game %d: a record of %q, not of %q", rec.Number, rec.Name, r.game.Name())
	}
	if len(rec.Seats) != r.game.Players() {
		return fmt.Errorf("game %d: %d seats, but %s has %d players", rec.Number, len(rec.Seats), rec.Name, r.game.Players())
	}
	r.state.CopyFrom(r.initial)
	return nil
}

// look checks the mover of a ply and lists the legal actions where it is a
// player. Afterwards step may play the ply.
func (r *replayer) look(rec *Game, ply int) error {
	m, mover := &rec.Moves[ply], r.state.CurrentPlayer()
	if mover != m.Mover {
		return fmt.Errorf("game %d, ply %d: the record says that %s moved, the rules say %s", rec.Number, ply, who(m.Mover), who(mover))
	}
	r.legal = r.legal[:0]
	if mover >= 0 {
		r.legal = r.state.LegalActions(r.legal)
	}
	return nil
}

// step plays a ply that look has looked at.
func (r *replayer) step(rec *Game, ply int) error {
	a := rec.Moves[ply].Action
	if !r.possible(a) {
		return fmt.Errorf("game %d, ply %d: action %d is not legal", rec.Number, ply, a)
	}
	r.state.Apply(a)
	return nil
}

func (r *replayer) possible(a game.Action) bool {
	if r.state.CurrentPlayer() != game.Chance {
		_, found := slices.BinarySearch(r.legal, a)
		return found
	}
	chance, ok := r.state.(game.Chancer)
	if !ok {
		return false
	}
	r.outcomes = chance.Outcomes(r.outcomes[:0])
	for _, o := range r.outcomes {
		if o.Action == a && o.Probability > 0 {
			return true
		}
	}
	return false
}

// finish checks the result after the last ply.
func (r *replayer) finish(rec *Game) error {
	if mover := r.state.CurrentPlayer(); mover != game.Nobody {
		return fmt.Errorf("game %d: the record ends after %d plies, where %s is to move", rec.Number, len(rec.Moves), who(mover))
	}
	returns := r.returns[:r.game.Players()]
	r.state.Returns(returns)
	for i, x := range returns {
		// Not to the bit: another processor may round a quotient differently.
		if len(rec.Returns) != len(returns) || math.Abs(float64(x-rec.Returns[i])) > 1e-5 {
			return fmt.Errorf("game %d: the recorded utilities are %v, the rules give %v", rec.Number, rec.Returns, returns)
		}
	}
	return nil
}

func who(p game.Player) string {
	switch p {
	case game.Nobody:
		return "nobody"
	case game.Chance:
		return "chance"
	}
	return fmt.Sprintf("player %d", p)
}
