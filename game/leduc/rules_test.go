package leduc

import (
	"math"
	"strings"
	"testing"

	"tengen/game"
	"tengen/game/gametest"
	"tengen/internal/random"
)

func TestConform(t *testing.T) {
	for _, name := range []string{"leduc"} {
		t.Run(name, func(t *testing.T) { gametest.Conform(t, game.Must(game.New(name))) })
	}
}

// played returns the state after cards and acts: J, Q and K are dealt; c is call, r raise, f fold.
func played(t *testing.T, line string) *State {
	t.Helper()
	s := New().NewState().(*State)
	for i, x := range line {
		a := Deal(strings.IndexRune(ranks, x))
		if k := strings.IndexRune("fcr", x); k >= 0 {
			a = game.Action(k)
			if s.CurrentPlayer() < 0 {
				t.Fatalf("%s: nobody is to move after %d plies", line, i)
			}
		} else if s.CurrentPlayer() != game.Chance {
			t.Fatalf("%s: chance is not to move after %d plies", line, i)
		}
		s.Apply(a)
	}
	return s
}

// What the first player wins.
func TestChips(t *testing.T) {
	for line, want := range map[string]float32{
		"JKrf":        1,
		"JKcrf":       -1,
		"JKrrf":       -3,
		"JKcrrf":      3,
		"JKccJcc":     1, // a pair
		"JKccKcc":     -1,
		"JKccQcc":     -1,
		"KQccJcc":     1,
		"QQccJcc":     0,
		"QQrcJrrc":    0,
		"KQrcJrf":     3,
		"KQrcJcrf":    -3,
		"KQrcJcrc":    7,
		"KQrrcJrrc":   13,
		"QKcrrcJcrrc": -13,
		"QKcrrcJcrrf": 9,
		"QKcrrcJcrf":  -5,
		"QKcrrcQrrf":  -9,
		"QKcrcQrrc":   11,
		"QJrcJcc":     -3,
		"KJrcKrc":     7,
		"JKcrcKcrrc":  -11,
		"KKccJrrf":    -5,
		"JQrrcKcc":    -5,
		"QJrrcKcc":    5,
		"QJccKrc":     5,
		"QJccKrrc":    9,
		"QJccKcrf":    -1,
		"JJccKcrf":    -1,
		"JJrrcKcrrf":  9,
		"JKrcJrrc":    11,
		"KJcrcQcrrf":  7,
	} {
		s := played(t, line)
		if s.CurrentPlayer() != game.Nobody {
			t.Errorf("%s: the game is not over", line)
			continue
		}
		chips, utilities := make([]float32, 2), make([]float32, 2)
		s.Scores(chips)
		s.Returns(utilities)
		perUtility, atZero := New().Chips()
		if chips[0] != want || chips[1] != -want ||
			math.Abs(float64(utilities[0])*perUtility+atZero-float64(want)) > 1e-5 {
			t.Errorf("%s: the chips are %v, the utilities %v; want %v chips",
				line, chips, utilities, want)
		}
	}
}

func TestLegalActions(t *testing.T) {
	for line, want := range map[string]string{
		"JK": "call raise", "JKc": "call raise", "JKr": "fold call raise", "JKrr": "fold call",
		"JKcrr": "fold call",
		"JKccQ": "call raise", "JKrrcQ": "call raise", "JKrrcQr": "fold call raise",
		"JKrrcQcrr": "fold call",
	} {
		var words []string
		for _, a := range played(t, line).LegalActions(nil) {
			words = append(words, names[a])
		}
		if got := strings.Join(words, " "); got != want {
			t.Errorf("%s: legal is %s; want %s", line, got, want)
		}
	}
}

// The other's card is drawn by the number of cards that are left.
func TestDeterminize(t *testing.T) {
	rng, d := random.New(1, random.Test, 71), New().NewState().(*State)
	for line, want := range map[string][3]float64{
		"JKccQ": {1. / 4, 1. / 4, 2. / 4}, // seat 0 holds J, Q is face up
		"JK":    {1. / 5, 2. / 5, 2. / 5},
		"JKccJ": {0, 0.5, 0.5}, // both J are seen
	} {
		s := played(t, line)
		var counts [3]float64
		const n = 10_000
		for range n {
			d.CopyFrom(s)
			d.Determinize(rng, 0)
			counts[d.cards[1]]++
		}
		for r, p := range want {
			if math.Abs(counts[r]-n*p) > 5*math.Sqrt(n*p*(1-p)) {
				t.Errorf("%s: rank %d is drawn %v times of %d; want a share of %v",
					line, r, counts[r], n, p)
			}
		}
	}
}

func TestDraw(t *testing.T) {
	s := played(t, "QKcrcJr")
	want := `  player 1   Q   paid 7   round 1: call, call   round 2: raise
* player 2  [ ]  paid 3   round 1: raise
  middle     J   pot 10
player 2: fold, call, raise
`
	if got := s.DrawFor(0, false); got != want {
		t.Errorf("drawn is\n%swant\n%s", got, want)
	}
}
