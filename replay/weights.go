package replay

import (
	"math"

	"tengen/internal/stream"
)

// weights gives the number of times that positions of a game are in the window.
type weights struct {
	rec         *Game
	share, mean float64
	seed        uint64
}

// weights returns those of a game. The weight of a position of the network's with a policy target
// is
//
//	1 - c + c·surprise ÷ mean surprise of such positions of the game
//
// with c = WindowConfig.Surprise, and 1 for all others, so that games keep their weight (Wu,
// KataGoMethods, "Policy Surprise Weighting", with c = ½). A position of weight w is in the window
// ⌊w⌋ times, and once more with probability w - ⌊w⌋, by a hash of the run's seed, the game's number
// and the ply: after resuming it is the same.
func (w *Window) weights(rec *Game) weights {
	x := weights{rec: rec, seed: w.config.Seed}
	if w.config.Surprise == 0 || w.Held(rec.Number) {
		return x // losses on held-out games are of every position alike
	}
	sum, n := 0.0, 0
	for ply := range rec.Moves {
		if x.weighted(ply) {
			sum += float64(rec.Moves[ply].Surprise)
			n++
		}
	}
	if sum > 0 {
		x.share, x.mean = w.config.Surprise, sum/float64(n)
	}
	return x
}

// weighted reports whether a ply has a surprise, if only of 0.
func (x *weights) weighted(ply int) bool {
	m := &x.rec.Moves[ply]
	return len(m.Visits) > 0 && x.rec.Seats[m.Mover].Kind == Network
}

// weight returns the weight of a ply.
func (x *weights) weight(ply int) float64 {
	if x.share == 0 || !x.weighted(ply) {
		return 1
	}
	return 1 - x.share + x.share*float64(x.rec.Moves[ply].Surprise)/x.mean
}

// copies returns the number of times that a ply is in the window.
func (x *weights) copies(ply int) int {
	if x.share == 0 {
		return 1
	}
	whole, rest := math.Modf(x.weight(ply))
	if hash, _ := stream.Seeds(x.seed, stream.Replay, x.rec.Number, 2, uint64(ply)); float64(hash>>11)*0x1p-53 < rest {
		whole++
	}
	return int(whole)
}
