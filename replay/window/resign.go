package window

import (
	"math"

	"tengen/game"
	"tengen/replay/record"
)

// Resignation is what games that were played to their end tell of a threshold.
type Resignation struct {
	// Threshold is the utility below which a player has no hope, in [0, MaxResign]; 0: nobody
	// resigns.
	Threshold float32
	Games     int // that were played to their end and tell of thresholds
	Resigned  int // of these, games that would have ended by resignation
	False     int // of these, games in which one that would have resigned did not lose
}

// Rate returns the share of resignations that would have been wrong, 0 without any.
func (r Resignation) Rate() float64 { return float64(r.False) / float64(max(1, r.Resigned)) }

// resignSteps is the number of thresholds in a unit of utility that are tried.
const resignSteps = 1000

// CalibrateResign returns the greatest threshold, in steps of 1/1000 and at most most, at which no
// greater share than rate of the resignations in the window would have been wrong: somebody who
// would have resigned had more than utility 0 in the end. One wrong resignation is added to those
// counted, so that few games say little: at least 1/rate - 1 resignations without a wrong one are
// needed. AlphaGo Zero chooses its threshold so (Silver et al. 2017, Methods, "Self-play": below 5
// % of the games of which a tenth is played out).
//
// Only games with a seat of kind Network count in which nobody could resign (Game.Resign 0),
// held-out ones included. In the others it is not known how they would have ended. The result
// depends on the games of the window alone.
func (w *Window) CalibrateResign(rate, most float64) Resignation {
	if w.resigns == nil {
		w.resigns = &resigns{}
		var p record.Packed
		for i := range w.entries {
			w.open(i, &p)
			w.resigns.count(&p, 1)
		}
	}
	r := w.resigns
	n := int(math.Round(math.Min(most, record.MaxResign) * resignSteps))
	for k := n; k > 0; k-- {
		if float64(r.wrong[k]+1) <= rate*float64(r.resigned[k]+1) {
			return Resignation{threshold(k), r.games, r.resigned[k], r.wrong[k]}
		}
	}
	return Resignation{Games: r.games}
}

// resigns counts what the games of a window tell of each threshold.
type resigns struct {
	games           int
	resigned, wrong [record.MaxResign*resignSteps + 1]int // by threshold
}

// count adds a game times so often: 1 when it enters, -1 when it leaves.
func (r *resigns) count(g *record.Packed, times int) {
	if g.Resign > 0 {
		return
	}
	told := false
	upper := len(r.resigned) - 1 // thresholds above it end the game earlier
	g.Hopes(func(_ int, level float32, winner game.Player) bool {
		told = true
		lost := true
		for p := range game.Player(g.Players()) {
			lost = lost && (p == winner || g.Return(p) == 0)
		}
		for upper > 0 && level < threshold(upper) {
			r.resigned[upper] += times
			if !lost {
				r.wrong[upper] += times
			}
			upper--
		}
		return upper > 0
	})
	if told {
		r.games += times
	}
}

func threshold(k int) float32 { return float32(k) / resignSteps }
