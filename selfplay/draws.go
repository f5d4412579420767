package selfplay

import (
	"fmt"
	"math/rand/v2"

	"tengen/internal/stream"
	"tengen/replay"
)

// seatDraw says who plays a seat of a game.
type seatDraw struct {
	uct           bool
	group, member int // of the population; group is -1 if UCT or the newest network plays
}

// drawSeat draws who plays the next seat of a game.
func (j *Job) drawSeat(rng *rand.Rand) seatDraw {
	// Draw even if the outcome is certain, so that later draws are the same.
	if rng.Float64() < j.Epsilon || j.Weights == nil {
		return seatDraw{uct: true, group: -1}
	}
	p := j.Population
	if p == nil || rng.Float64() >= p.Share {
		return seatDraw{group: -1}
	}
	d := seatDraw{group: rng.IntN(len(p.Groups))}
	d.member = rng.IntN(len(p.Groups[d.group]))
	return d
}

// seat returns what the record of a game says of a seat.
func (j *Job) seat(d seatDraw) replay.SeatRecord {
	switch {
	case d.uct:
		return replay.SeatRecord{Kind: replay.UCT}
	case d.group >= 0:
		return j.Population.Groups[d.group][d.member].Seat
	}
	return replay.SeatRecord{Kind: replay.Network, Step: j.Step}
}

// Check returns an error if a game that somebody else has played begins otherwise than the one that the job gives: who plays its seats,
// the position from which it starts (of a restart or an opening), and the utility below which players resign follow from its number
// and the settings. What comes after is not checked.
func (j *Job) Check(s *Settings, g *replay.Game) error {
	if want := j.resignBelow(s.Seed, g.Number, s.PlayedOut); g.Resign != want {
		return fmt.Errorf("game %d says that players resigned below a utility of %v, where %v was given", g.Number, g.Resign, want)
	}
	rng := stream.New(s.Seed, stream.SelfPlay, g.Number)
	for i, seat := range g.Seats {
		if want := j.seat(j.drawSeat(rng)); seat != want {
			return fmt.Errorf("game %d, seat %d: %v plays, where %v was drawn", g.Number, i, seat, want)
		}
	}
	from := j.drawStart(s.Openings(), rng)
	if g.Prefix != len(from) || len(g.Moves) < len(from) {
		return fmt.Errorf("game %d starts after %d actions, where %d were drawn", g.Number, g.Prefix, len(from))
	}
	for i, a := range from {
		if g.Moves[i].Action != a {
			return fmt.Errorf("game %d starts from another position than was drawn: at place %d", g.Number, i+1)
		}
	}
	return nil
}
