package replay

import (
	"fmt"
	"math"

	"tengen/game"
)

// replayer replays records of one game. It checks what game.Replayer does not: the
// game's name, the seats, who moved, and the result.
type replayer struct {
	*game.Replayer
	game    game.Game
	returns [game.MaxPlayers]float32
}

func newReplayer(g game.Game) *replayer {
	return &replayer{Replayer: game.NewReplayer(g), game: g}
}

// start sets the initial position.
func (r *replayer) start(rec *Game) error {
	if rec.Name != r.game.Name() {
		return fmt.Errorf("game %d: a record of %q, want %q", rec.Number, rec.Name, r.game.Name())
	}
	if len(rec.Seats) != r.game.Players() {
		return fmt.Errorf("game %d: %d seats, but %s has %d players", rec.Number, len(rec.Seats), rec.Name, r.game.Players())
	}
	r.Reset()
	return nil
}

// checkMover checks whose turn it is at the current ply.
func (r *replayer) checkMover(rec *Game) error {
	if m, mover := rec.Moves[r.Ply()].Mover, r.State().CurrentPlayer(); mover != m {
		return fmt.Errorf("game %d, ply %d: the record says that %s moved, the rules say %s", rec.Number, r.Ply(), playerName(m), playerName(mover))
	}
	return nil
}

// step checks and applies the move at the current ply.
func (r *replayer) step(rec *Game) error {
	if err := r.checkMover(rec); err != nil {
		return err
	}
	if err := r.Play(rec.Moves[r.Ply()].Action); err != nil {
		return fmt.Errorf("game %d, ply %d: %w", rec.Number, r.Ply(), err)
	}
	return nil
}

// finish checks the result after the last ply. That of a game that ended by resignation is checked by Game.Check.
func (r *replayer) finish(rec *Game) error {
	mover := r.State().CurrentPlayer()
	switch {
	case rec.Resigned && mover == game.Nobody:
		return fmt.Errorf("game %d: the record says that the game ended by resignation, but it was over", rec.Number)
	case rec.Resigned:
		if err := CheckResignable(r.game); err != nil {
			return fmt.Errorf("game %d ended by resignation: %w", rec.Number, err)
		}
		return nil
	case mover != game.Nobody:
		return fmt.Errorf("game %d: the record ends after %d plies, but %s is to move", rec.Number, len(rec.Moves), playerName(mover))
	}
	returns := r.returns[:r.game.Players()]
	r.State().Returns(returns)
	for i, x := range returns {
		// Allow for rounding: another processor may round a quotient differently.
		if len(rec.Returns) != len(returns) || math.Abs(float64(x-rec.Returns[i])) > 1e-5 {
			return fmt.Errorf("game %d: the recorded utilities are %v, the rules give %v", rec.Number, rec.Returns, returns)
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
