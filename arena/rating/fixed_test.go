package rating

import (
	"math"
	"testing"

	"tengen/internal/random"
)

// TestFixed: a player of unknown strength meets two whose ratings are known. Its estimate is where
// the likelihood of a direct search is greatest, and known ratings stay what they are.
func TestFixed(t *testing.T) {
	games := append(pairs(2, 0, 80, 0, 20), pairs(2, 1, 30, 0, 70)...)
	r := fit(t, 3, games, Options{AnchorRating: 100, Fixed: map[int]float64{1: 500}})
	if r.Ratings[1] != (Rating{500, 500, 500, 100}) {
		t.Errorf("the known rating became %+v", r.Ratings[1])
	}
	best, at := math.Inf(-1), 0.0
	for elo := 0.0; elo < 1000; elo += 0.05 {
		odds := func(other float64) float64 { return 1 / (1 + math.Pow(10, (other-elo)/400)) }
		l := 80*math.Log(odds(100)) + 20*math.Log(1-odds(100)) + 30*math.Log(odds(500)) +
			70*math.Log(1-odds(500))
		if l > best {
			best, at = l, elo
		}
	}
	near(t, "rating", r.Ratings[2].Elo, at, 3) // the prior pulls a little
	if !(r.Ratings[2].Low < at && at < r.Ratings[2].High) || math.IsInf(r.Ratings[2].Low, 0) ||
		math.IsInf(r.Ratings[2].High, 0) {
		t.Errorf("the interval is %g to %g", r.Ratings[2].Low, r.Ratings[2].High)
	}
}

// TestFixedLinks: a player that met no anchor, but one with a known rating, is rated.
func TestFixedLinks(t *testing.T) {
	games := append(pairs(1, 2, 50, 0, 50), pairs(3, 4, 50, 0, 50)...)
	r := fit(t, 5, games, Options{Fixed: map[int]float64{1: 300}})
	if !r.Connected[2] || r.Connected[3] {
		t.Errorf("connected: %v", r.Connected)
	}
	near(t, "rating", r.Ratings[2].Elo, 300, 3)
}

// TestFixedNarrows: with the truth as known ratings the estimates stay where they are, and the
// interval of the rest becomes narrower.
func TestFixedNarrows(t *testing.T) {
	truth := truths[2].model()
	rng := random.New(1, random.Test, 11)
	var games []Game
	for range 2000 {
		games = append(games, truth.play(rng, rng.Perm(len(truth.elo))[:3]))
	}
	free := fit(t, 4, games, Options{Seats: true})
	known := fit(t, 4, games, Options{
		Seats: true, Fixed: map[int]float64{1: truth.elo[1], 2: truth.elo[2]},
	})
	width := func(r *Result) float64 { return r.Ratings[3].High - r.Ratings[3].Low }
	if !(width(known) < width(free)) {
		t.Errorf("widths: %g with known ratings, %g without", width(known), width(free))
	}
	near(t, "rating", known.Ratings[3].Elo, truth.elo[3], 30)
}

func TestFixedIsRefused(t *testing.T) {
	for _, fixed := range []map[int]float64{
		{0: 100}, {2: 100}, {-1: 0}, {1: math.NaN()}, {1: math.Inf(1)},
	} {
		if _, err := Fit(2, pairs(0, 1, 1, 0, 1), Options{Fixed: fixed}); err == nil {
			t.Errorf("%v was accepted", fixed)
		}
	}
}
