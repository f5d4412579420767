package goban

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"tengen/game"
	"tengen/game/gametest"
	"tengen/internal/random"
)

// setUpNaive is a naive board with these stones and no history.
func setUpNaive(r Rules, stones []game.Player, mover int) *naive {
	n := newNaive(r)
	for p, c := range stones {
		n.board[p] = int(c)
	}
	n.plies, n.past, n.trail = mover, map[string]bool{}, nil
	n.record()
	return n
}

// randomStones returns the stones at a random moment of a random game.
func randomStones(g game.Game, rng *rand.Rand) []game.Player {
	s := g.NewState()
	r, _ := RulesOf(g)
	for range rng.IntN(3*r.Rows*r.Columns + 1) {
		if s.CurrentPlayer() == game.Nobody {
			break
		}
		legal := s.LegalActions(nil)
		s.Apply(legal[rng.IntN(len(legal))])
	}
	return Stones(s, nil)
}

// A game that begins with stones continues like the naive board's, including changes
// of the player to move.
func TestSetUp(t *testing.T) {
	for i, r := range variants() {
		if i%2 != 0 || r.Rows*r.Columns > 100 {
			continue
		}
		g := game.Must(New(r))
		rng := random.New(uint64(i), random.Test, 4)
		stones := randomStones(g, rng)
		mover := rng.IntN(r.Players)
		n := setUpNaive(r, stones, mover)
		s, err := SetUp(g, stones, game.Player(mover))
		if mover >= n.r.MaxPlies {
			if err == nil {
				t.Fatalf("%s: nothing is left to play", g.Name())
			}
			continue
		}
		if err != nil {
			t.Fatalf("%s: %v", g.Name(), err)
		}
		for resumed := 0; ; {
			compare(t, s, n)
			if n.over() {
				if resumed++; resumed > 3 || n.plies+n.r.Players > n.r.MaxPlies {
					break
				}
				handNaive(t, s, n, rng.IntN(r.Players)) // the game continues after passes
				continue
			}
			if to := rng.IntN(8 * r.Players); to < r.Players {
				handNaive(t, s, n, to)
				continue
			}
			a := n.choose(rng)
			s.Apply(game.Action(a))
			n.apply(a)
		}
	}
}

// handNaive changes the player to move on both boards.
func handNaive(t *testing.T, s game.State, n *naive, to int) {
	t.Helper()
	steps := (to - n.color() + n.r.Players) % n.r.Players
	err := HandTo(s, game.Player(to))
	if n.plies+steps >= n.r.MaxPlies {
		if err == nil || !strings.Contains(err.Error(), "the game is over") {
			t.Fatalf("ply %d of %d: the turn was handed on by %d: %v",
				n.plies, n.r.MaxPlies, steps, err)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	for range steps {
		n.plies++
		n.record()
	}
	n.passes = 0
}

// The hash depends on the player to move and the stones.
func TestSetUpHash(t *testing.T) {
	g := game.Must(game.New("go:size=3,players=3"))
	empty := Stones(g.NewState(), nil)
	hashes := map[uint64]string{}
	for mover := range game.Player(3) {
		for p := range empty {
			stones := slices.Clone(empty)
			stones[p] = 2
			a, err := SetUp(g, stones, mover)
			if err != nil {
				t.Fatal(err)
			}
			b, _ := SetUp(g, stones, mover)
			if a.Hash() != b.Hash() {
				t.Error("equal states have two hashes")
			}
			what := fmt.Sprintf("Red on %d, %d to move", p, mover)
			if other, taken := hashes[a.Hash()]; taken {
				t.Errorf("%s and %s have the same hash", what, other)
			}
			hashes[a.Hash()] = what
		}
	}
	if s, _ := SetUp(g, empty, 0); s.Hash() != g.NewState().Hash() {
		t.Error("the empty board is not the first position")
	}
}

// begun is a game that begins with stones.
type begun struct {
	game.Game
	stones []game.Player
	mover  game.Player
}

func (b begun) NewState() game.State {
	s, err := SetUp(b.Game, b.stones, b.mover)
	if err != nil {
		panic(err)
	}
	return s
}

func TestSetUpConforms(t *testing.T) {
	for i, name := range []string{
		"go:size=4,players=2,pass=free", "go:size=3,players=3,ko=situational",
		"go:rows=9,columns=8,players=2,pass=free,max_plies=160",
	} {
		g := game.Must(game.New(name))
		rng := random.New(uint64(i), random.Test, 5)
		gametest.Conform(t, begun{g, randomStones(g, rng), game.Player(rng.IntN(2))},
			gametest.Games(4))
	}
}

func TestSetUpErrors(t *testing.T) {
	g := game.Must(game.New("go:rows=1,columns=3,players=2,max_plies=1"))
	const none = game.Nobody
	for _, c := range []struct {
		stones []game.Player
		mover  game.Player
		want   string
	}{
		{[]game.Player{none, none}, 0, "2 points are given, and the board has 3"},
		{[]game.Player{0, 1, 0}, 0, "the group of a1 has no liberty"},
		{[]game.Player{none, 2, none}, 0, "colour 3 stands on b1, and there are 2"},
		{[]game.Player{none, -2, none}, 0, "colour -1 stands on b1"},
		{[]game.Player{none, none, none}, 2, "colour 3 is to move, and there are 2"},
		{[]game.Player{none, none, none}, game.Nobody, "colour 0 is to move"},
		{[]game.Player{none, none, none}, 1, "White never moves in games of 1 plies"},
	} {
		if _, err := SetUp(g, c.stones, c.mover); err == nil ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v, want %q", c.stones, err, c.want)
		}
	}
	if err := HandTo(g.NewState(), 2); err == nil {
		t.Error("there is no third colour")
	}
}

func TestRulesOf(t *testing.T) {
	for _, name := range []string{
		"go:size=5,players=3",
		"go:rows=2,columns=3,players=2,komi=[0,7.5],pass=free,reward=win,max_plies=30",
	} {
		r, ok := RulesOf(game.Must(game.New(name)))
		if !ok || game.Must(New(r)).Name() != name {
			t.Errorf("%s: %+v %v", name, r, ok)
		}
		r.Komi[1] = 1 // must be a copy
	}
	if r, _ := RulesOf(game.Must(game.New("go:size=5,players=3"))); r.Komi[1] != 0 {
		t.Error("the komi is shared")
	}
}
