package window

import (
	"math"
	"slices"
	"strings"
	"testing"

	"tengen/game"
	"tengen/replay/record"
	"tengen/replay/record/recordtest"
)

func newWindow(t testing.TB, config Config) *Window {
	t.Helper()
	w, err := New(recordtest.Pairs{}, config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Close)
	return w
}

// naiveSamples returns the samples of games, found by replaying each from the start.
func naiveSamples(games []*record.Game) []Sample {
	var list []Sample
	for _, g := range games {
		s := recordtest.Pairs{}.NewState()
		for ply, m := range g.Moves {
			if ply >= g.Prefix && s.CurrentPlayer() != game.Chance && len(s.LegalActions(nil)) > 1 {
				list = append(list, plySample(int(g.Number), ply))
			}
			s.Apply(m.Action)
		}
	}
	return list
}

// takeOver makes a record's first moves those of an earlier game.
func takeOver(g *record.Game, plies int) {
	g.Prefix = plies
	for i := range plies {
		m := &g.Moves[i]
		m.Visits, m.Policy, m.Value = nil, nil, nil
	}
}

func TestWindowAgainstNaive(t *testing.T) {
	games := recordtest.PlayMany(300, 1)
	for i, g := range games {
		if i%5 == 0 {
			takeOver(g, len(g.Moves)/2)
		}
	}
	for _, capacity := range []int{1, 2, 37, 1000} {
		w := newWindow(t, Config{Capacity: capacity, HeldOut: 0.2, Seed: 5})
		for i, g := range games {
			if err := w.Add(g); err != nil {
				t.Fatal(err)
			}
			if i%29 != 0 && i != len(games)-1 {
				continue
			}
			inside := games[max(0, i+1-capacity) : i+1]
			if w.Len() != len(inside) {
				t.Fatalf("%d games in the window, want %d", w.Len(), len(inside))
			}
			var parts [2][]*record.Game
			for k, g := range inside {
				if w.Game(k).Number != g.Number {
					t.Fatalf("game %d of the window is number %d, want %d",
						k, w.Game(k).Number, g.Number)
				}
				parts[index(w.Held(g.Number))] = append(parts[index(w.Held(g.Number))], g)
			}
			for k, part := range parts {
				want, got := naiveSamples(part), samplesOf(w, k == 1)
				if len(want) != len(got) || w.Positions(k == 1) != len(want) {
					t.Fatalf("%d samples, want %d", len(got), len(want))
				}
				for j := range want {
					if want[j] != got[j] {
						t.Fatalf("sample %d is game %d, ply %d; want game %d, ply %d",
							j, got[j].Game, got[j].Ply, want[j].Game, want[j].Ply)
					}
				}
			}
		}
	}
}

func TestHeldOutShare(t *testing.T) {
	const n = 200_000
	for _, share := range []float64{0, 0.02, 0.25, 0.9} {
		w := newWindow(t, Config{Capacity: 1, HeldOut: share, Seed: 11})
		other := newWindow(t, Config{Capacity: 1, HeldOut: share, Seed: 12})
		held, both := 0, 0
		for i := range uint64(n) {
			if w.Held(i) {
				held++
				if other.Held(i) {
					both++
				}
			}
		}
		// Five standard deviations of a binomial distribution.
		if d := math.Abs(float64(held) - n*share); d > 5*math.Sqrt(n*share*(1-share)) {
			t.Errorf("share %v: %d of %d games are held out", share, held, n)
		}
		if p := share * share; math.Abs(float64(both)-n*p) > 5*math.Sqrt(n*p*(1-p)) {
			t.Errorf("share %v: runs of two seeds hold out %d games in common, %v expected",
				share, both, n*p)
		}
	}
}

func TestWindowRefuses(t *testing.T) {
	for _, config := range []Config{
		{Capacity: 0}, {Capacity: 1, HeldOut: -0.1}, {Capacity: 1, HeldOut: 1},
		{Capacity: 1, HeldOut: math.NaN()},
	} {
		if _, err := New(recordtest.Pairs{}, config); err == nil {
			t.Errorf("%+v is accepted", config)
		}
	}
	w := newWindow(t, Config{Capacity: 3})
	if err := w.Add(recordtest.HandRecord()); err != nil {
		t.Fatal(err)
	}
	before := samplesOf(w, false)
	for _, c := range []struct {
		name, want string
		damage     func(g *record.Game)
	}{
		{"number", "game 300 follows game 300", func(g *record.Game) { g.Number = 300 }},
		{"another game", `a record of "go:size=5", want "pairs"`, func(g *record.Game) {
			g.Name = "go:size=5"
		}},
		{"seats", "3 seats, but pairs has 2 players", func(g *record.Game) {
			g.Seats = append(g.Seats, record.SeatRecord{Kind: record.UCT})
			g.Scores, g.Returns = make([]float32, 3), make([]float32, 3)
			for i := range g.Moves {
				g.Moves[i].Value = nil
			}
		}},
		{"taken cell", "game 301, ply 2: action 0 is not legal", func(g *record.Game) {
			g.Moves[2].Action = 0
		}},
		{"no such action", "game 301, ply 2: action 99 is not legal", func(g *record.Game) {
			g.Moves[2].Action = 99
		}},
		{"no such outcome", "game 301, ply 0: action 2 is not legal", func(g *record.Game) {
			g.Moves[0].Action = 2
		}},
		{"mover", "ply 1: the record says that player 0 moved, the rules say player 1",
			func(g *record.Game) { g.Moves[1].Mover = 0 }},
		{"not chance's turn", "ply 7: the record says that chance moved, the rules say player 1",
			func(g *record.Game) { g.Moves[7].Mover = game.Chance }},
		{"unfinished", "the record ends after 7 plies, but player 1 is to move",
			func(g *record.Game) { g.Moves = g.Moves[:7] }},
		{"too long", "ply 8: the record says that player 1 moved, the rules say nobody",
			func(g *record.Game) { g.Moves = append(g.Moves, g.Moves[7]) }},
		{"result", "the recorded utilities are [0.5 0.25], the rules give [0.5 0.5]",
			func(g *record.Game) { g.Returns[1] = 0.25 }},
		{"choice", "ply 6: that there was a choice is true; by the rules it is false",
			func(g *record.Game) { g.Moves[6].Choice = true }},
		{"illegal visit", "ply 3: the visited action 1 is not legal", func(g *record.Game) {
			g.Moves[3].Visits[0].Action = 1
		}},
		{"inconsistent", "1 scores for 2 players", func(g *record.Game) {
			g.Scores = g.Scores[:1]
		}},
	} {
		g := recordtest.HandRecord()
		g.Number = 301
		c.damage(g)
		if err := w.Add(g); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got error %v, want %q", c.name, err, c.want)
		}
	}
	if !slices.Equal(before, samplesOf(w, false)) || w.Len() != 1 {
		t.Errorf("the window has changed: %d samples of %d games", w.Positions(false), w.Len())
	}
}
