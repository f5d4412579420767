package goban

import (
	"math/rand/v2"
	"slices"
	"testing"

	"tengen/game"
	"tengen/internal/random"
)

// variants lists all values of ko, pass, eye and reward on boards of both layouts,
// with 2, 3 and 4 colours.
func variants() (list []Rules) {
	boards := [][2]int{
		{1, 1}, {1, 2}, {1, 5}, {7, 1}, {1, 19}, {2, 2}, {2, 3}, {3, 3}, {4, 3}, {5, 5}, {3, 19},
		{7, 9}, {8, 8}, {9, 9}, {5, 13}, {19, 19},
	}
	kos := []Ko{Positional, Situational, Simple}
	passes := []Pass{Forced, Free}
	eyes := []Eye{Diagonal, Chain, Orthogonal}
	rewards := []Reward{Score, Win}
	n := 0
	for _, b := range boards {
		for players := 2; players <= 4; players++ {
			for _, ko := range kos {
				for _, pass := range passes {
					for _, eye := range eyes {
						n++
						r := Rules{
							Rows: b[0], Columns: b[1], Players: players, Ko: ko, Pass: pass,
							Eye: eye, Reward: rewards[n%2],
						}
						if n%3 == 0 {
							r.Komi = []float64{0, 0.5, 1, -2}[:players]
						}
						if n%5 == 0 {
							r.MaxPlies = 1 + 2*b[0]*b[1]
						}
						list = append(list, r)
					}
				}
			}
		}
	}
	return list
}

func actions(list []int) []game.Action {
	out := make([]game.Action, len(list))
	for i, a := range list {
		out[i] = game.Action(a)
	}
	return out
}

// board returns the stones of a fast state.
func board(s game.State) []int {
	at := s.(interface{ at(int) int }).at
	stones := make([]int, pointsOf(s))
	for p := range stones {
		stones[p] = at(p)
	}
	return stones
}

func pointsOf(s game.State) int {
	switch s := s.(type) {
	case *small:
		return s.points
	default:
		return s.(*large).points
	}
}

// compare fails if a fast state and the naive board differ.
func compare(t *testing.T, s game.State, n *naive) {
	t.Helper()
	if got := board(s); !slices.Equal(got, n.board) {
		t.Fatalf("ply %d: stones %v, naive %v", n.plies, got, n.board)
	}
	scores := make([]float32, n.r.Players)
	s.(game.Scored).Scores(scores)
	if want := n.scores(); !slices.Equal(scores, want) {
		t.Fatalf("ply %d: scores %v, naive %v\n%s",
			n.plies, scores, want, s.(game.Drawn).Draw(false))
	}
	if n.over() {
		if s.CurrentPlayer() != game.Nobody {
			t.Fatalf("ply %d: the current player is %d, but the game is over",
				n.plies, s.CurrentPlayer())
		}
		s.Returns(scores)
		if want := n.returns(); !slices.Equal(scores, want) {
			t.Fatalf("ply %d: returns %v, naive %v", n.plies, scores, want)
		}
		return
	}
	if s.CurrentPlayer() != game.Player(n.color()) {
		t.Fatalf("ply %d: the current player is %d, naive %d",
			n.plies, s.CurrentPlayer(), n.color())
	}
	if got, want := s.LegalActions(nil), actions(n.legal()); !slices.Equal(got, want) {
		t.Fatalf("ply %d: legal %v, naive %v\n%s", n.plies, got, want, s.(game.Drawn).Draw(false))
	}
}

// choose returns a random legal action of the naive board. It tries points in random
// order, so that not all are checked for legality. Eyes are filled rarely, so that
// games last.
func (n *naive) choose(rng *rand.Rand) int {
	fill := rng.IntN(20) == 0
	eye := -1 // a placement that fills an own eye
	for _, p := range rng.Perm(len(n.board)) {
		if !n.mayPlace(p) {
			continue
		}
		if fill || !n.isEye(p, n.color()) {
			if fill && n.r.Pass == Forced && len(n.useful(n.placements())) == 0 {
				return n.pass()
			}
			return p
		}
		eye = p
	}
	if n.r.Pass == Free && eye >= 0 && rng.IntN(8) == 0 {
		return eye
	}
	return n.pass()
}

// TestAgreesWithNaive plays random games on both boards and compares them after each
// move.
func TestAgreesWithNaive(t *testing.T) {
	for i, r := range variants() {
		g := game.Must(New(r))
		points := r.Rows * r.Columns
		games, compared := 12, 1
		switch {
		case points > 300:
			if i%9 != 0 {
				continue
			}
			games, compared = 1, 97
		case points > 60:
			games, compared = 2, 23
		case points > 20:
			games, compared = 3, 5
		}
		for k := range games {
			rng := random.New(7, random.Test, uint64(i), uint64(k))
			s, n := g.NewState(), newNaive(r)
			if k%3 == 2 && points > 1 {
				s = newLarge(factsOf(g)) // the large layout works for small boards too
			}
			for !n.over() {
				if n.plies%compared == 0 {
					compare(t, s, n)
				}
				a := n.choose(rng)
				if n.r.Pass == Free && rng.IntN(30) == 0 {
					a = n.pass()
				}
				s.Apply(game.Action(a))
				n.apply(a)
			}
			compare(t, s, n)
			if t.Failed() {
				t.Fatal(g.Name())
			}
		}
	}
}

// TestPerftAgreesWithNaive counts sequences of actions on both boards.
func TestPerftAgreesWithNaive(t *testing.T) {
	for _, c := range []struct {
		name  string
		depth int
	}{
		{"go:size=1,players=3", 4},
		{"go:rows=1,columns=2,players=2,pass=free", 9},
		{"go:rows=1,columns=4,players=2", 12},
		{"go:rows=1,columns=4,players=3,ko=situational", 10},
		{"go:rows=1,columns=3,players=4,ko=simple,pass=free", 6},
		{"go:size=2,players=2", 8},
		{"go:size=2,players=2,ko=simple", 7},
		{"go:size=2,players=3,pass=free", 5},
		{"go:rows=2,columns=3,players=4,eye=orthogonal", 5},
		{"go:size=3,players=3", 4},
		{"go:rows=1,columns=3,players=2,ko=situational,pass=free", 14},
		{"go:size=5,players=3", 2},
		{"go:size=9,players=2", 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := game.Must(game.New(c.name))
			got, err := game.Perft(t.Context(), g, g.NewState(), c.depth)
			if err != nil {
				t.Fatal(err)
			}
			if want := naivePerft(newNaive(rulesOf(g)), c.depth); !slices.Equal(got, want) {
				t.Errorf("%d, naive %d", got, want)
			}
		})
	}
}

func factsOf(g game.Game) *goGame {
	if w, ok := g.(winGame); ok {
		return w.goGame
	}
	return g.(*goGame)
}

func rulesOf(g game.Game) Rules { return factsOf(g).Rules }

func naivePerft(n *naive, depth int) []uint64 {
	counts := make([]uint64, depth+1)
	var walk func(n *naive, d int)
	walk = func(n *naive, d int) {
		counts[d]++
		if d == depth || n.over() {
			return
		}
		for _, a := range n.legal() {
			next := n.clone()
			next.apply(a)
			walk(next, d+1)
		}
	}
	walk(n, 0)
	return counts
}
