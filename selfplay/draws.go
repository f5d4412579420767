package selfplay

import (
	"fmt"
	"math/rand/v2"

	"tengen/internal/random"
	"tengen/replay/record"
)

// drawSeat draws who plays the next seat of a game.
func (j *Job) drawSeat(rng *rand.Rand) record.SeatRecord {
	// Draw even if the outcome is certain, so that later draws are the same.
	if rng.Float64() < j.Epsilon || j.Weights == nil {
		return record.SeatRecord{Kind: record.UCT}
	}
	return record.SeatRecord{Kind: record.Network, Step: j.Step}
}

// Check returns an error if a game that somebody else has played begins otherwise than the one that
// the job gives: who plays its seats, its opening, and the utility below which players resign
// follow from its number and the settings. What comes after is not checked.
func (j *Job) Check(s *Settings, g *record.Game) error {
	if want := j.resignBelow(s.Seed, g.Number, s.PlayedOut); g.Resign != want {
		return fmt.Errorf(
			"game %d says that players resigned below a utility of %v, where %v was given",
			g.Number, g.Resign, want)
	}
	rng := random.New(s.Seed, random.SelfPlay, g.Number)
	for i, seat := range g.Seats {
		if want := j.drawSeat(rng); seat != want {
			return fmt.Errorf("game %d, seat %d: %v plays, where %v was drawn",
				g.Number, i, seat, want)
		}
	}
	opening := s.Openings().draw(rng)
	if g.Prefix != len(opening) || len(g.Moves) < len(opening) {
		return fmt.Errorf("game %d has an opening of %d actions, where %d were drawn",
			g.Number, g.Prefix, len(opening))
	}
	for i, a := range opening {
		if g.Moves[i].Action != a {
			return fmt.Errorf("game %d has another opening than was drawn: at place %d",
				g.Number, i+1)
		}
	}
	return nil
}
