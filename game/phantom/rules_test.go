package phantom

import (
	"math"
	"slices"
	"testing"

	"tengen/game"
	"tengen/game/gametest"
	"tengen/internal/random"
)

func TestConform(t *testing.T) {
	for _, name := range []string{
		"phantom", "phantom:rows=2,columns=3", "phantom:rows=2,columns=2,in_row=2",
		"phantom:rows=1,columns=3",
	} {
		t.Run(name, func(t *testing.T) { gametest.Conform(t, game.Must(game.New(name))) })
	}
}

// after returns the state after cells have been named.
func after(g *Game, cells ...game.Action) *State {
	s := g.NewState().(*State)
	for _, a := range cells {
		s.Apply(a)
	}
	return s
}

// A failed move tells the player alone that the cell is taken, and the player moves again.
func TestFailedMove(t *testing.T) {
	g := New(3, 3, 3)
	s := after(g, 4, 4)
	if s.CurrentPlayer() != 1 || s.stones != [2]cellSet{1 << 4, 0} {
		t.Fatalf("after a failed move player %d is to move, and the stones are %v",
			s.CurrentPlayer(), s.stones)
	}
	if got, want := s.LegalActions(nil), []game.Action{
		0, 1, 2, 3, 5, 6, 7, 8,
	}; !slices.Equal(got, want) {
		t.Errorf("legal is %v; want %v", got, want)
	}
	other := after(g, 4)
	if s.InformationStateKey(0) != other.InformationStateKey(0) ||
		s.InformationStateKey(1) == other.InformationStateKey(1) {
		t.Error("a failed move is seen by the other player, or not by its own")
	}
	s.Apply(0)
	if got := s.LegalActions(nil); s.CurrentPlayer() != 0 || len(got) != 8 ||
		!slices.Contains(got, 0) {
		t.Errorf("player %d may play %v; want that X does not know of the stone on a3",
			s.CurrentPlayer(), got)
	}
	if got, want := s.DrawFor(0, false),
		" 3 . . .\n 2 . X .\n 1 . . .\n   a b c\nX is to move\n"; got != want {
		t.Errorf("X sees\n%swant\n%s", got, want)
	}
	if got, want := s.DrawFor(1, false),
		" 3 O . .\n 2 . X .\n 1 . . .\n   a b c\nX is to move\n"; got != want {
		t.Errorf("O sees\n%swant\n%s", got, want)
	}
}

func TestResults(t *testing.T) {
	g := New(3, 3, 3)
	for _, c := range []struct {
		cells []game.Action
		want  []float32
	}{
		{[]game.Action{0, 3, 1, 4, 2}, []float32{1, 0}},
		{[]game.Action{0, 0, 3, 1, 1, 4, 8, 5}, []float32{0, 1}},
		{[]game.Action{0, 1, 2, 4, 3, 5, 7, 6, 8}, []float32{0.5, 0.5}},
	} {
		s := after(g, c.cells...)
		got := make([]float32, 2)
		s.Returns(got)
		if s.CurrentPlayer() != game.Nobody || !slices.Equal(got, c.want) {
			t.Errorf("after %v the utilities are %v, the mover is %d; want %v and the end",
				c.cells, got, s.CurrentPlayer(), c.want)
		}
	}
}

// Every determinization is a position that play reaches by what the players are said to have done.
func TestDeterminizationsAreReachable(t *testing.T) {
	for _, g := range []*Game{New(3, 3, 3), New(3, 3, 2), New(2, 3, 3), New(1, 3, 2)} {
		for i := range uint64(300) {
			rng := random.New(1, random.Test, 72, i)
			s, d := g.NewState().(*State), g.NewState().(*State)
			for s.CurrentPlayer() != game.Nobody {
				for seat := range game.Player(players) {
					d.CopyFrom(s)
					d.Determinize(rng, seat)
					if again := replayed(g, d); *again != *d {
						t.Fatalf("%s: %+v is drawn for %+v, but play leads to %+v",
							g.Name(), d, s, again)
					}
				}
				legal := s.LegalActions(nil)
				s.Apply(legal[rng.IntN(len(legal))])
			}
		}
	}
}

// replayed plays what the players of s did.
func replayed(g *Game, s *State) *State {
	u := g.NewState().(*State)
	var next [players]int
	for p := u.CurrentPlayer(); p != game.Nobody; p = u.CurrentPlayer() {
		n := s.did[p].len()
		if next[p] == n {
			break
		}
		x := s.did[p].at(next[p], n)
		if x.cell < 0 || x.cell >= g.cells || u.known[p].has(x.cell) ||
			u.stones[1-p].has(x.cell) != x.failed {
			break
		}
		next[p]++
		u.Apply(game.Action(x.cell))
	}
	return u
}

// All histories that agree with what a seat knows are equally likely: they are listed by playing
// all games, and counted in a chi-squared test.
func TestDeterminizeIsUniform(t *testing.T) {
	g := New(2, 3, 3)
	type view struct {
		seat game.Player
		key  uint64
	}
	possible := map[view]map[uint64]bool{}
	var states []*State
	var walk func(s *State)
	walk = func(s *State) {
		if s.CurrentPlayer() == game.Nobody {
			return
		}
		for seat := range game.Player(players) {
			v := view{seat, s.InformationStateKey(seat)}
			if possible[v] == nil {
				possible[v] = map[uint64]bool{}
			}
			if possible[v][s.Hash()] {
				t.Fatalf("two histories have the hash of %+v", s)
			}
			possible[v][s.Hash()] = true
		}
		states = append(states, s)
		for _, a := range s.LegalActions(nil) {
			u := g.NewState().(*State)
			u.CopyFrom(s)
			u.Apply(a)
			walk(u)
		}
	}
	walk(g.NewState().(*State))
	rng := random.New(1, random.Test, 73)
	d := g.NewState().(*State)
	tested, most := 0, 0
	for tested < 60 {
		s := states[rng.IntN(len(states))]
		seat := game.Player(rng.IntN(players))
		want := possible[view{seat, s.InformationStateKey(seat)}]
		if len(want) < 2 {
			continue
		}
		tested++
		most = max(most, len(want))
		draws := 50 * len(want)
		counts := map[uint64]float64{}
		for range draws {
			d.CopyFrom(s)
			d.Determinize(rng, seat)
			counts[d.Hash()]++
		}
		chi := 0.0
		for h := range counts {
			if !want[h] {
				t.Fatalf("a history that seat %d knows to be impossible is drawn in %+v", seat, s)
			}
		}
		for h := range want {
			chi += (counts[h] - 50) * (counts[h] - 50) / 50
		}
		if free := float64(len(want) - 1); chi > free+5*math.Sqrt(2*free)+5 {
			t.Errorf("%+v for seat %d: chi squared is %.0f for %d histories",
				s, seat, chi, len(want))
		}
	}
	if most < 100 {
		t.Errorf("at most %d histories are possible: too few to tell", most)
	}
	t.Logf("%d histories, up to %d for one seat", len(states), most)
}
