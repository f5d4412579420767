package goban

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"tengen/game"
	"tengen/internal/random"
)

// firstPly runs Playout from a copy of s and returns the first ply played.
func firstPly(s, scratch game.State, rng *rand.Rand) int {
	scratch.CopyFrom(s)
	before := pliesOf(s)
	switch s := scratch.(type) {
	case *small:
		g := *s.goGame
		g.MaxPlies = before + 1 // the playout ends after one ply
		s.goGame = &g
		s.Playout(rng)
	case *large:
		g := *s.goGame
		g.MaxPlies = before + 1
		s.goGame = &g
		s.Playout(rng)
	}
	after, color := board(scratch), before%rulesOfState(s).Players
	for p, c := range board(s) {
		if c < 0 && after[p] == color {
			return p
		}
	}
	return len(after) // a pass
}

func rulesOfState(s game.State) Rules {
	if s, ok := s.(*small); ok {
		return s.Rules
	}
	return s.(*large).Rules
}

// TestPlayoutsAreUniform compares the first plies of many playouts with the naive
// board's placements that fill no eye, by a chi-square test, at early and late
// positions of random games, for all eyes and kos.
func TestPlayoutsAreUniform(t *testing.T) {
	const perPoint = 60
	tested, forbidden := 0, 0
	for i, name := range []string{
		"go:size=5,players=3", "go:size=4,players=2,ko=situational,pass=free",
		"go:rows=3,columns=6,players=4,eye=chain",
		"go:size=3,players=3,ko=simple,eye=orthogonal", "go:rows=1,columns=9,players=2",
		"go:size=3,players=2", "go:rows=5,columns=13,players=3",
	} {
		g := game.Must(game.New(name))
		rng := random.New(3, random.Test, uint64(i))
		scratch := g.NewState()
		for range 25 {
			s, n := g.NewState(), newNaive(rulesOf(g))
			for target := rng.IntN(3 * len(n.board)); target > 0 && !n.over(); target-- {
				a := n.choose(rng)
				s.Apply(game.Action(a))
				n.apply(a)
			}
			if n.over() {
				continue
			}
			want := n.useful(n.placements())
			n2 := n.clone()
			n2.past, n2.trail = map[string]bool{}, nil
			forbidden += len(n2.useful(n2.placements())) - len(want)
			if len(want) == 0 {
				want = []int{n.pass()}
			}
			counts := make([]int, len(n.board)+1)
			for range perPoint * len(want) {
				counts[firstPly(s, scratch, rng)]++
			}
			chi := 0.0
			for _, p := range want {
				d := float64(counts[p]) - perPoint
				chi += d * d / perPoint
				counts[p] = 0
			}
			for p, k := range counts {
				if k > 0 {
					t.Fatalf("%s, ply %d: action %d was played, of %v\n%s",
						name, n.plies, p, want, s.(game.Drawn).Draw(false))
				}
			}
			// The cube root of chi-square over its degrees of freedom is nearly normal (Wilson and
			// Hilferty 1931); five standard deviations are allowed.
			if f := float64(len(want) - 1); f > 0 {
				z := (math.Cbrt(chi/f) - 1 + 2/(9*f)) / math.Sqrt(2/(9*f))
				if math.Abs(z) > 5 {
					t.Errorf("%s, ply %d: chi-square %.1f for %g degrees of freedom",
						name, n.plies, chi, f)
				}
			}
			tested++
		}
	}
	if tested < 100 || forbidden < 5 {
		t.Errorf("only %d positions, with %d placements forbidden by ko, were tested",
			tested, forbidden)
	}
}

// TestPlayoutLengthAndScores compares with the figures of another program, from some
// thousands of games: 73.4 plies, 9.25 / 8.24 / 7.51 points. (A million games here
// give 73.52, 9.12 / 8.35 / 7.53, each score ± 0.012.)
func TestPlayoutLengthAndScores(t *testing.T) {
	const games = 20_000
	g := game.Must(game.New("go:size=5,players=3"))
	s, empty := g.NewState(), g.NewState()
	rng := random.New(5, random.Test)
	var plies, plies2 float64
	var sum, sum2 [3]float64
	scores := make([]float32, 3)
	for range games {
		s.CopyFrom(empty)
		s.(game.Playouter).Playout(rng)
		s.(game.Scored).Scores(scores)
		n := float64(pliesOf(s))
		plies, plies2 = plies+n, plies2+n*n
		for c, x := range scores {
			sum[c] += float64(x)
			sum2[c] += float64(x) * float64(x)
		}
	}
	check := func(what string, sum, sum2, want, rounding float64) {
		mean := sum / games
		deviation := math.Sqrt((sum2/games - mean*mean) / games)
		t.Logf("%s: %.3f ± %.3f (one standard error), reference %g", what, mean, deviation, want)
		if math.Abs(mean-want) > 4*deviation+rounding {
			t.Errorf("%s: %.3f, want %g", what, mean, want)
		}
	}
	check("plies", plies, plies2, 73.4, 0.3)
	for c, want := range []float64{9.25, 8.24, 7.51} {
		check(colors[c].name, sum[c], sum2[c], want, 0.05)
	}
}

// TestPlayoutsAreGames follows playouts ply by ply on the naive board, and on a state
// that is changed by Apply only; both must agree.
func TestPlayoutsAreGames(t *testing.T) {
	for i, name := range []string{
		"go:size=5,players=3", "go:size=3,players=2,ko=situational",
		"go:size=4,players=4,ko=simple,eye=chain", "go:size=9,players=2",
		"go:rows=4,columns=17,players=3,eye=chain",
	} {
		g := game.Must(game.New(name))
		rng := random.New(9, random.Test, uint64(i))
		for range 6 {
			s, played := g.NewState(), g.NewState()
			for n := newNaive(rulesOf(g)); !n.over(); {
				a := firstPly(s, played, rng)
				if useful := n.useful(n.placements()); a == n.pass() && len(useful) > 0 ||
					a != n.pass() && !slices.Contains(useful, a) {
					t.Fatalf("%s, ply %d: %d is played of %v", name, n.plies, a, useful)
				}
				s.Apply(game.Action(a))
				n.apply(a)
				if s.Hash() != played.Hash() {
					t.Fatalf("%s, ply %d: the hash differs from that of the same actions applied",
						name, n.plies)
				}
				compare(t, s, n)
			}
		}
	}
}
