package board

import (
	"math/rand/v2"
	"slices"
	"testing"

	"tengen/game"
	"tengen/game/backgammon"
	"tengen/internal/random"
)

// tableThrough plays random games and calls visit with each position.
func tableThrough(g *backgammon.Game, games int, visit func(s *backgammon.State, rng *rand.Rand)) {
	for i := range games {
		rng := random.New(1, random.Test, 92, uint64(i))
		s := g.NewState().(*backgammon.State)
		for visit(s, rng); s.CurrentPlayer() != game.Nobody; visit(s, rng) {
			if s.CurrentPlayer() == game.Chance {
				s.Apply(s.Sample(rng))
				continue
			}
			legal := s.LegalActions(nil)
			s.Apply(legal[rng.IntN(len(legal))])
		}
	}
}

// Everything lies in the picture, keys and the names of spots' places are unique, each legal action
// has a spot, and up to five checkers of each point are drawn.
func TestBackgammon(t *testing.T) {
	for _, checkers := range []int{3, 15} {
		g := backgammon.New(checkers)
		d := For(g)
		l := d.Layout()
		tableThrough(g, 3, func(s *backgammon.State, _ *rand.Rand) {
			f := d.Draw(s, game.Nobody)
			discs, want := 0, 0
			for key, shape := range byKey(f) {
				if shape.X-shape.W/2 < 0 || shape.X+shape.W/2 > l.Width || shape.Y-shape.H/2 < 0 ||
					shape.Y+shape.H/2 > l.Height {
					t.Fatalf("%s leaves the picture: %+v", key, shape)
				}
				if shape.Kind == Disc {
					discs++
				}
			}
			for _, side := range s.View().Checkers {
				for _, n := range side {
					want += min(n, checkerMost)
				}
			}
			if discs != want {
				t.Fatalf("%d checkers are drawn; want %d", discs, want)
			}
			var legal, spots []game.Action
			if s.CurrentPlayer() >= 0 {
				legal = s.LegalActions(nil)
			}
			for _, x := range f.Spots {
				spots = append(spots, x.Action)
			}
			if !slices.Equal(legal, spots) {
				t.Fatalf("%v are offered; want %v", spots, legal)
			}
			if len(legal) > moveRow*moveRows {
				t.Fatalf("%d moves have no room", len(legal))
			}
		})
	}
}

// By hand: what is said and told, and where checkers stand.
func TestBackgammonInWords(t *testing.T) {
	g := backgammon.New(3)
	s, err := g.ParsePosition("turn 4 | Black to play 6-5 | White 24 1*2 | Black bar 19 3")
	if err != nil {
		t.Fatal(err)
	}
	f := For(g).Draw(s, game.Nobody)
	shapes := byKey(f)
	if got := shapes["said"].Text; got != "Black has rolled 6-5: 2 moves to play" {
		t.Errorf("it is said that %q", got)
	}
	for key, want := range map[string][2]float64{
		"0/24/0": {13, 1.12}, "0/1/1": {13, 9.44}, "1/25/0": {7, 10.28}, "1/19/0": {8, 10.28},
		"1/3/0": {11, 1.12},
	} {
		if x := shapes[key]; x.X != want[0] || x.Y != want[1] {
			t.Errorf("checker %s is at %v, %v; want %v", key, x.X, x.Y, want)
		}
	}
	var names, told []string
	for _, x := range f.Spots {
		names = append(names, x.Name)
		told = append(told, For(g).(Teller).Tell(s, x.Action, game.Nobody))
	}
	if want := []string{
		"Enter from the bar on point 19", "Enter from the bar on point 20",
	}; !slices.Equal(names, want) {
		t.Errorf("the spots are %q; want %q", names, want)
	}
	if want := []string{"Black plays bar/19", "Black plays bar/20"}; !slices.Equal(told, want) {
		t.Errorf("told is %q; want %q", told, want)
	}
}
