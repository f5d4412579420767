package player

import (
	"math"
	"testing"

	"tengen/game"
	"tengen/game/turtle"
	"tengen/internal/random"
)

// dealt returns a position after the deal.
func dealt(g game.Game, seed uint64) game.State {
	s, rng := g.NewState(), random.New(seed, random.Test)
	for s.CurrentPlayer() == game.Chance {
		s.Apply(s.(game.Chancer).Sample(rng))
	}
	return s
}

// Over many games with one position, the other player's tile is uniform among all but the
// observer's own, whatever it is in truth. The observer's own hand is shown unchanged, and the
// copy stays the same until the next ply.
func TestObserverDrawsAnew(t *testing.T) {
	g := game.Must(game.New("turtle"))
	s := dealt(g, 1).(*turtle.State)
	before, own := s.Hash(), s.Owner(0)
	counts := map[turtle.Turtle]int{}
	v := NewObserver(g)
	const games = 4000
	same := 0
	for number := range uint64(games) {
		v.Begin(1, random.Arena, number, 0)
		seen := v.Observe(s, 3).(*turtle.State)
		if seen.InformationStateKey(0) != s.InformationStateKey(0) || seen.Owner(0) != own {
			t.Fatal("a seat does not see its own hand, or the table, as it is")
		}
		counts[seen.Owner(1)]++
		first := seen.Hash()
		if v.Observe(s, 3).Hash() != first {
			t.Fatal("asked twice for one ply, the observer draws twice")
		}
		if v.Observe(s, 4).Hash() == first {
			same++
		}
	}
	if s.Hash() != before {
		t.Error("the true state has changed")
	}
	if counts[own] > 0 || len(counts) != 4 {
		t.Errorf("the tiles drawn are %v; the seat's own is %v", counts, own)
	}
	const mean = games / 4.0
	for tile, n := range counts {
		if math.Abs(float64(n)-mean) > 5*math.Sqrt(mean*0.75) {
			t.Errorf("%v is drawn %d times of %d, where %g are expected", tile, n, games, mean)
		}
	}
	if same > games/20 {
		t.Errorf("%d of %d copies are those of the ply before", same, games)
	}
}

// Two states that the observer can't tell apart give equal copies.
func TestObserversOfOneInformationSetAreEqual(t *testing.T) {
	g := game.Must(game.New("turtle:players=3"))
	a, b := dealt(g, 2), dealt(g, 2)
	b.(game.ImperfectInformation).Determinize(random.New(3, random.Test), 1)
	if a.Hash() == b.Hash() {
		t.Fatal("the two states are one")
	}
	v, w := NewObserver(g), NewObserver(g)
	v.Begin(7, random.Arena, 8, 1)
	w.Begin(7, random.Arena, 8, 1)
	for ply := range 10 {
		if v.Observe(a, ply).Hash() != w.Observe(b, ply).Hash() {
			t.Fatalf("ply %d: the seat can tell two states apart", ply)
		}
	}
}

// In games without hidden information the state itself is shown.
func TestObserverOfOpenGames(t *testing.T) {
	for _, name := range []string{"tictactoe", "turtle:hands=open"} {
		g := game.Must(game.New(name))
		v := NewObserver(g)
		v.Begin(1, random.Arena, 2, 0)
		if s := dealt(g, 1); v.Hides() || v.Observe(s, 0) != s {
			t.Errorf("%s: the seat does not see the state itself", name)
		}
	}
}

func TestObserverAllocatesNothing(t *testing.T) {
	g := game.Must(game.New("turtle"))
	s, v, ply := dealt(g, 1), NewObserver(g), 0
	v.Begin(1, random.Arena, 2, 0)
	if n := testing.AllocsPerRun(100, func() { v.Observe(s, ply); ply++ }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}
