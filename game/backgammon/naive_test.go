package backgammon

import (
	"slices"
	"strings"
	"testing"

	"tengen/game"
	"tengen/internal/random"
)

// naive is a board as people describe it: point[1..24] from White's side with a positive number of
// White's checkers or a negative one of Black's, and both bars. It is a value, so that a copy is a
// new board.
type naive struct {
	point    [points + 1]int
	bars     [players]int
	checkers int
}

func naiveOf(s *State) (n naive) {
	n.checkers = s.g.checkers
	for i := 1; i <= points; i++ {
		n.point[i] = int(s.sides[0].n[i]) - int(s.sides[1].n[bar-i])
	}
	for p := range n.bars {
		n.bars[p] = int(s.sides[p].n[bar])
	}
	return n
}

// at returns how many checkers player p has on a point of its own count, negative: the other's.
func (n *naive) at(p, point int) int {
	if p == 0 {
		return n.point[point]
	}
	return -n.point[bar-point]
}

func (n *naive) add(p, point, checkers int) {
	if p == 0 {
		n.point[point] += checkers
	} else {
		n.point[bar-point] -= checkers
	}
}

// move returns the board after a checker of p has moved from a point by a die, if the rules allow
// it.
func (n naive) move(p, from, die int) (naive, bool) {
	if from == bar {
		if n.bars[p] == 0 {
			return n, false
		}
		n.bars[p]--
	} else {
		if n.bars[p] > 0 || n.at(p, from) <= 0 {
			return n, false
		}
		n.add(p, from, -1)
	}
	to := from - die
	if to <= 0 {
		for i := home + 1; i <= points; i++ {
			if n.at(p, i) > 0 || from > home {
				return n, false // not all are at home
			}
		}
		for i := from + 1; i <= home; i++ {
			if to < 0 && n.at(p, i) > 0 {
				return n, false // one is behind it
			}
		}
		return n, true
	}
	switch other := -n.at(p, to); {
	case other > 1:
		return n, false
	case other == 1:
		n.add(p, to, 1) // the point is empty then
		n.bars[1-p]++
	}
	n.add(p, to, 1)
	return n, true
}

// plays calls found for every sequence of moves with some of the dice in the order given, also
// those that could go on.
func (n naive) plays(p int, dice []int, used []int, found func(end naive, used []int)) {
	found(n, used)
	if len(dice) == 0 {
		return
	}
	for from := 1; from <= bar; from++ {
		if next, ok := n.move(p, from, dice[0]); ok {
			next.plays(p, dice[1:], append(slices.Clone(used), dice[0]), found)
		}
	}
}

// turns returns the boards to which a roll can lead, by the words of the rules: all sequences in
// both orders, of which those count that use the most dice, and the larger die if there is a choice
// of one.
func (n naive) turns(p, large, small int) map[naive]bool {
	orders := [][]int{{large, small}, {small, large}, {large}, {small}}
	if large == small {
		orders = [][]int{{large, large, large, large}}
	}
	most, ends := 0, map[naive]bool{}
	larger := false // a move with the larger die is possible
	for pass := range 2 {
		for _, dice := range orders {
			n.plays(p, dice, nil, func(end naive, used []int) {
				if pass == 0 {
					most = max(most, len(used))
					larger = larger || len(used) > 0 && used[0] == large
					return
				}
				if len(used) == most && (most != 1 || !larger || used[0] == large) {
					ends[end] = true
				}
			})
		}
	}
	return ends
}

// leaves calls end with every position to which the actions of the current player lead, one call
// for each sequence.
func leaves(t *testing.T, s *State, turn int, end func(s *State)) {
	if s.over || s.Turn() != turn {
		end(s)
		return
	}
	for _, a := range s.LegalActions(nil) {
		next := s.g.NewState().(*State)
		next.CopyFrom(s)
		next.Apply(a)
		leaves(t, next, turn, end)
	}
}

// checkTurn compares the positions to which a turn leads.
func checkTurn(t *testing.T, s *State) {
	t.Helper()
	want := naiveOf(s).turns(int(s.mover), int(s.large), int(s.small))
	got := map[naive]bool{}
	leaves(t, s, s.Turn(), func(end *State) {
		n := naiveOf(end)
		if got[n] {
			t.Errorf("%s: two sequences lead to %s", s.Position(), end.Position())
		}
		if got[n] = true; !want[n] {
			t.Errorf("%s: a sequence leads to %s, which no turn does", s.Position(), end.Position())
		}
	})
	if len(got) != len(want) {
		t.Errorf("%s: the sequences lead to %d positions; turns to %d",
			s.Position(), len(got), len(want))
	}
	for n := range want {
		if !got[n] {
			t.Fatalf("%s: no sequence leads to %+v", s.Position(), n)
		}
	}
}

// In random games, the sequences of actions lead to the same positions as the turns by the rules'
// words, each once.
func TestTurnsAgreeWithNaiveRules(t *testing.T) {
	for _, c := range []struct{ checkers, games int }{{1, 100}, {2, 100}, {3, 100}, {15, 12}} {
		g := New(c.checkers)
		for i := range c.games {
			rng := random.New(1, random.Test, 81, uint64(c.checkers), uint64(i))
			s := g.NewState().(*State)
			for s.CurrentPlayer() != game.Nobody {
				if s.CurrentPlayer() == game.Chance {
					s.Apply(s.Sample(rng))
					if !t.Failed() {
						checkTurn(t, s)
					}
					continue
				}
				legal := s.LegalActions(nil)
				s.Apply(legal[rng.IntN(len(legal))])
			}
		}
	}
}

// scatter returns a position with all checkers drawn among the points up to most, for both players,
// some borne off.
func scatter(g *Game, most int, rng interface{ IntN(int) int }) *State {
	s := g.NewState().(*State)
	s.opening = false
	s.turns = 9
	for p := range s.sides {
		s.sides[p] = side{}
		x, other := &s.sides[p], &s.sides[1-p]
		left := g.checkers
		if rng.IntN(2) == 0 {
			left = 1 + rng.IntN(g.checkers)
		}
		x.n[0] = int8(g.checkers - left)
		for left > 0 {
			at := 1 + rng.IntN(most)
			if rng.IntN(20) == 0 {
				at = bar
			}
			if p == 1 && at != bar && other.n[bar-at] > 0 {
				continue
			}
			x.put(at)
			left--
		}
	}
	s.mover = int8(rng.IntN(2))
	return s
}

// Likewise on scattered checkers, with many endings, hits and blocked points.
func TestTurnsOnScatteredPositions(t *testing.T) {
	for _, checkers := range []int{1, 2, 3, 15} {
		g := New(checkers)
		n := 4000
		if checkers == mostCheckers {
			n = 600
		}
		for i := range n {
			rng := random.New(1, random.Test, 82, uint64(checkers), uint64(i))
			s := scatter(g, []int{6, 8, 12, 24}[i%4], rng)
			s.Apply(Roll(1+rng.IntN(6), 1+rng.IntN(6)))
			if checkTurn(t, s); t.Failed() {
				return
			}
		}
	}
}

// Every position in the middle of a turn is parsed back, and its image under the exchange of the
// players is the same play.
func TestExchangeOfPlayers(t *testing.T) {
	for _, checkers := range []int{3, 15} {
		g := New(checkers)
		turn := &g.Symmetries()[1]
		size := g.Planes().Size()
		seen, image, moved := make([]float32, size), make([]float32, size), make([]float32, size)
		for i := range 20 {
			rng := random.New(1, random.Test, 83, uint64(checkers), uint64(i))
			s := scatter(g, 24, rng)
			u := s.exchanged()
			for s.CurrentPlayer() != game.Nobody {
				if s.CurrentPlayer() == game.Chance {
					a := s.Sample(rng)
					s.Apply(a)
					u.Apply(a)
					continue
				}
				if u.CurrentPlayer() != 1-s.CurrentPlayer() {
					t.Fatalf("%s: %d is to move in the image", s.Position(), u.CurrentPlayer())
				}
				legal := s.LegalActions(nil)
				var want []game.Action
				for _, a := range legal {
					want = append(want, imageOf(turn, a))
				}
				slices.Sort(want)
				if got := u.LegalActions(nil); !slices.Equal(got, want) {
					t.Fatalf("%s: the image has the actions %v; want %v", s.Position(), got, want)
				}
				s.Observation(seen)
				turn.Transform(moved, seen)
				u.Observation(image)
				if !slices.Equal(moved, image) {
					t.Fatalf("%s: the observation of the image is another", s.Position())
				}
				a := legal[rng.IntN(len(legal))]
				s.Apply(a)
				u.Apply(imageOf(turn, a))
			}
			if s.won(0) != u.won(1) {
				t.Fatalf("White wins %d, in the image Black %d", s.won(0), u.won(1))
			}
		}
	}
}

func imageOf(turn *game.Symmetry, a game.Action) game.Action {
	if int(a) < len(turn.Actions) {
		return turn.Actions[a]
	}
	return a
}

// exchanged returns the position with the players exchanged.
func (s *State) exchanged() *State {
	u := *s
	u.sides[0], u.sides[1], u.mover = s.sides[1], s.sides[0], 1-s.mover
	return &u
}

// position parses a position without its turn.
func position(t *testing.T, g *Game, text string) *State {
	t.Helper()
	s, err := g.ParsePosition("turn 1 | " + text)
	if err != nil {
		t.Fatal(err)
	}
	return s.(*State)
}

// lines lists the sequences of actions of a turn, sorted.
func lines(s *State) (list []string) {
	var walk func(s *State, line []string, turn int)
	walk = func(s *State, line []string, turn int) {
		if s.over || s.Turn() != turn {
			list = append(list, strings.Join(line, " "))
			return
		}
		for _, a := range s.LegalActions(nil) {
			next := s.g.NewState().(*State)
			next.CopyFrom(s)
			next.Apply(a)
			walk(next, append(slices.Clone(line), s.g.ActionName(s, a)), turn)
		}
	}
	walk(s, nil, s.Turn())
	slices.Sort(list)
	return list
}

// By hand: what the rules say of the use of the dice.
func TestTurnsByHand(t *testing.T) {
	g3 := New(3)
	for _, c := range []struct {
		what, text string
		want       []string
	}{
		{"one checker, either die, not both: the larger",
			"White to play 6-5 | White 24 | Black 12*2 3", []string{"24/18"}},
		{"only the smaller can be used", "White to play 6-5 | White 24 | Black 7*2 3",
			[]string{"24/19 19/13"}},
		{"no entry", "White to play 6-6 | White bar 3 | Black 6*2 3", []string{"pass"}},
		{"one of two, both with the smaller first", "White to play 2-1 | White bar | Black 3*2",
			[]string{"bar/23"}},
		{"a hit between", "White to play 6-5 | White 13 3 2 | Black 17",
			[]string{"13/7 7/2", "13/8* 8/2"}},
		{"borne off by a larger die from the highest point",
			"White to play 6-5 | White 3 2 1 | Black 6*2 3", []string{"3/off 2/off"}},
		{"7/6 6/off is the turn 7/1 1/off", "White to play 6-1 | White 7 6 | Black 7",
			[]string{"7/1 1/off", "7/1 6/5"}},
		{"a double, two moves of three checkers", "White to play 6-6 | White 18 12 6 | Black 24",
			[]string{"18/12 12/6 12/6 6/off"}},
	} {
		if got := lines(position(t, g3, c.text)); !slices.Equal(got, c.want) {
			t.Errorf("%s: %s: %q; want %q", c.what, c.text, got, c.want)
		}
	}
}
