package tcg

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"tengen/game"
	"tengen/internal/random"
)

// ends enumerates by single actions what lastTurn does at once: the best value for the
// current player over all ends of the turn, and their number. It returns ok false if
// there are more than most.
func ends(g *Game, s *State, p game.Player, most int) (best float64, leaves int, ok bool) {
	h := g.Heuristics()[0]
	turn, mover := s.Turn(), s.CurrentPlayer()
	best = math.Inf(1)
	if p == mover {
		best = math.Inf(-1)
	}
	var walk func(s *State)
	walk = func(s *State) {
		if s.Turn() > turn || s.CurrentPlayer() == game.Nobody {
			v := h.Value(s, p)
			if p == mover {
				best = max(best, v)
			} else {
				best = min(best, v)
			}
			leaves++
			return
		}
		for _, a := range s.LegalActions(nil) {
			if leaves > most {
				return
			}
			next := *s
			next.Apply(a)
			walk(&next)
		}
	}
	walk(s)
	return best, leaves, leaves <= most
}

// endingGames are games that the shortcut covers, in which players soon run out of
// health or cards.
var endingGames = []string{
	"tcg", "tcg:deck=benchmark,draw=always,hp=12", "tcg:hp=6",
	"tcg:deck=[1/1/1,1/1/1,1/1/1,3/0/2,3/0/2,0/2/9,removal,removal],hand=3,hp=15,removal=with-target,empty=loss,max_turns=12",
	"tcg:order=newest",
	"tcg:deck=[1/1/1,1/1/1,3/0/2,0/2/9,removal,removal],hand=3,hp=15,order=newest",
	"tcg:hp=9,cards=real-root,opening=[1/1/1,removal,6/6/6]",
	"tcg:hp=9,cards=representative,order=newest",
	"tcg:hp=9,cards=representative",
	"tcg:deck=[5/1/0,5/1/0,1/1/1,2/2/0],hand=2,hp=4,cards=representative",
}

// visitEndings calls visit for many positions of random games that have few enough
// ends.
func visitEndings(t *testing.T, visit func(g *Game, s *State, rng *rand.Rand)) {
	t.Helper()
	for _, name := range endingGames {
		g := made(t, name)
		for i := range uint64(30) {
			rng := random.New(3, random.Test, i)
			playBoth(t, g, rng, func(s *State, _ *naive) {
				if s.CurrentPlayer() >= 0 && rng.IntN(4) == 0 &&
					s.sides[0].count+s.sides[1].count < 8 {
					visit(g, s, rng)
				}
			})
		}
	}
}

func TestLastTurn(t *testing.T) {
	compared, refused := 0, 0
	visitEndings(t, func(g *Game, s *State, rng *rand.Rand) {
		for p := range game.Player(2) {
			got, n, ok := g.lastTurn(s, p, math.Inf(-1), math.Inf(1))
			if !ok {
				refused++
				continue
			}
			want, leaves, ok := ends(g, s, p, 3000)
			if !ok {
				continue
			}
			compared++
			if math.Float64bits(got) != math.Float64bits(want) || int(n) != leaves {
				t.Fatalf("%s: %s: for player %d the turn is worth %v with %d ends, by single actions %v with %d", g.name, s.Position(), p, got, n, want, leaves)
			}
			// Windows around the value, and elsewhere.
			for range 6 {
				alpha := want + float64(rng.IntN(9)-4)/3
				beta := alpha + float64(1+rng.IntN(9))/3*float64(1+rng.IntN(2))
				switch rng.IntN(4) {
				case 0:
					alpha = math.Inf(-1)
				case 1:
					beta = math.Inf(1)
				}
				v, n, _ := g.lastTurn(s, p, alpha, beta)
				good := v == want
				switch {
				case want <= alpha:
					good = v >= want && v <= alpha
				case want >= beta:
					good = v <= want && v >= beta
				}
				if !good || int(n) > leaves {
					t.Fatalf("%s: %s: for player %d the turn is worth %v, but with the window %v to %v the shortcut says %v (%d of %d ends)", g.name, s.Position(), p, want, alpha, beta, v, n, leaves)
				}
			}
		}
	})
	if compared < 2000 || refused == 0 {
		t.Errorf("%d turns were compared and %d refused; want 2000 and some", compared, refused)
	}
}

// By hand: an attack that wins is worth more than everything else; of two cards the
// one with Fight 4 beats 3/3/3 (9 thirds) and the other heals 2 (6 thirds).
func TestLastTurnByHand(t *testing.T) {
	g := made(t, "tcg")
	for _, c := range []struct {
		position string
		want     float64
		leaves   int64
	}{
		{"turn 3 First act 1 | 50 hand - field 4/1/1 2/2/2 deck - | 50 hand - field 3/3/3 deck -", 2 + 4, 16 - 1},
		{"turn 3 First act 1 | 50 hand - field 4/1/1 2/2/2 deck - | 3 hand - field - deck -",
			g.toPoints(g.winAt(3)), 9},
		{"turn 3 First act 1 | 50 hand - field 0/0/7 2/2/2 deck - | 3 hand - field - deck -",
			g.toPoints(g.winAt(3)), 7},
		{"turn 3 First place | 50 hand - field - deck - | 50 hand - field - deck -", 0, 1},
		{
			"turn 3 First place | 50 hand 1/1/1 6/6/6 field - deck - | 50 hand - field - deck -",
			12, 7,
		},
	} {
		s := parsed(t, g, c.position)
		v, n, ok := g.lastTurn(s, 0, math.Inf(-1), math.Inf(1))
		if !ok || v != c.want || n != c.leaves {
			t.Errorf("%s: worth %v with %d ends, %v; want %v with %d",
				c.position, v, n, ok, c.want, c.leaves)
		}
	}
}

// A win is worth more than any position in play, and an earlier one more than a later.
func TestValueBounds(t *testing.T) {
	visitEndings(t, func(g *Game, s *State, _ *rand.Rand) {
		h := g.Heuristics()[0]
		for p := range game.Player(2) {
			if v := h.Value(s, p); math.Abs(v) >= g.toPoints(g.winAt(g.rules.MaxTurns)) ||
				-v != h.Value(s, 1-p) {
				t.Fatalf("%s: %s is worth %v to player %d and %v to the other",
					g.name, s.Position(), v, p, h.Value(s, 1-p))
			}
		}
	})
	g := made(t, "tcg")
	var before float64
	for turn, want := range []bool{false, true} {
		s := parsed(t, g, []string{
			"turn 8 First over First | 1 hand - field - deck - | 0 hand - field - deck -",
			"turn 6 First over First | 1 hand - field - deck - | 0 hand - field - deck -",
		}[turn])
		v := g.Heuristics()[0].Value(s, 0)
		if want && v <= before || v > g.Heuristics()[0].High {
			t.Errorf("a win is worth %v, two turns sooner %v, of at most %v",
				before, v, g.Heuristics()[0].High)
		}
		before = v
	}
}

// A matching finds the value that visiting every end finds, and a turn in which too much is
// visited falls back to it.
func TestAssign(t *testing.T) {
	compared := 0
	visitEndings(t, func(g *Game, s *State, _ *rand.Rand) {
		mover := game.Player(s.mover)
		want, _, ok := g.lastTurn(s, mover, math.Inf(-1), math.Inf(1))
		if !ok {
			return
		}
		for _, assigns := range []bool{true, false} {
			e := ending{
				g: g, theirs: &s.sides[1-s.mover], mover: int(mover), win: g.winAt(int(s.turn)),
				best: -unbounded, assigns: assigns,
			}
			e.lay(s)
			for q := range e.representatives {
				for k := range 3 {
					if g.rules.Representative {
						e.representatives[q][k] = s.worth(q, uint8(g.n+k))
					}
				}
			}
			e.turn(s)
			if got := g.toPoints(e.best); got != want {
				t.Fatalf("%s: %s: the turn is worth %v by assignment (%v), by every end %v",
					g.name, s.Position(), got, assigns, want)
			}
			compared++
		}
	})
	if compared < 2000 {
		t.Errorf("%d turns were compared; want 2000", compared)
	}
}

// The greatest sum of weights over all ways to pair rows and columns.
func TestMatching(t *testing.T) {
	rng := random.New(5, random.Test, 0)
	for range 300 {
		var w [MostCards + 1][MostCards]int64
		n, m := rng.IntN(6), rng.IntN(6)
		for i := range n {
			for j := range m {
				w[i][j] = max(0, int64(rng.IntN(30)-10))
			}
		}
		var every func(i int, used uint) int64
		every = func(i int, used uint) int64 {
			if i == n {
				return 0
			}
			best := every(i+1, used)
			for j := range m {
				if used>>j&1 == 0 {
					best = max(best, w[i][j]+every(i+1, used|1<<j))
				}
			}
			return best
		}
		if got, want := matching(&w, n, m), every(0, 0); got != want {
			t.Fatalf("%d rows and %d columns %v: %d; want %d", n, m, w, got, want)
		}
	}
}

// Turns on crowded fields, of which there are more ends than anybody can visit, are valued at
// once, whatever the window, also in the last turn before a draw.
func TestLastTurnOnCrowdedFields(t *testing.T) {
	field := strings.TrimSuffix(strings.TrimPrefix(standardCards, "1/1/1 "), " removal removal")
	for _, c := range []struct {
		game, hp string
		turn     int
		want     float64
	}{
		{"tcg", "5000", 30, math.NaN()},
		{"tcg:order=newest", "5000", 30, math.NaN()},
		{"tcg", "40", 30, 1},
		{"tcg", "5000", 399, 0},
		{"tcg", "40", 399, 1},
	} {
		g := made(t, c.game)
		s := parsed(t, g, fmt.Sprintf("turn %d First place | 50 hand 1/1/1 removal field %s deck - | %s hand - field %s deck -", c.turn, field, c.hp, field))
		if c.turn == 399 {
			s.mover = 0
		}
		v, _, ok := g.lastTurn(s, 0, math.Inf(-1), math.Inf(1))
		switch {
		case !ok:
			t.Errorf("%s: turn %d: it is not covered", c.game, c.turn)
			continue
		case c.want == 1:
			c.want = g.toPoints(g.winAt(c.turn))
		case math.IsNaN(c.want): // by a window below and one above
			c.want = v
		}
		for _, window := range [][2]float64{
			{math.Inf(-1), math.Inf(1)}, {v - 1, v + 1}, {v - 1, math.Inf(1)},
			{math.Inf(-1), v + 1},
		} {
			if v, _, _ := g.lastTurn(s, 0, window[0], window[1]); v != c.want {
				t.Errorf("%s: turn %d: in the window %v the turn is worth %v; want %v",
					c.game, c.turn, window, v, c.want)
			}
		}
	}
}

func TestShortcutsDoNotAllocate(t *testing.T) {
	g := made(t, "tcg:deck=benchmark")
	s := parsed(t, g, "turn 5 First place | 50 hand 6/6/6 2/1/1 removal field 4/1/1 4/4/4 deck - | 20 hand - field 3/3/3 2/2/2 deck -")
	derived := g.Abstraction().Game()
	image := derived.NewState()
	features := make([]float32, len(g.FeatureNames()))
	h := g.Heuristics()[0]
	if n := testing.AllocsPerRun(100, func() {
		g.lastTurn(s, 0, math.Inf(-1), math.Inf(1))
		g.lastTurn(s, 1, -3, 3)
		h.Value(s, 0)
		g.Abstraction().Abstract(image, s)
		derived.(*Game).lastTurn(image, 0, math.Inf(-1), math.Inf(1))
		g.Abstraction().Realise(s, firstCell+game.Action(g.n))
		g.Describe(features, s, firstCell)
	}); n > 0 {
		t.Errorf("they allocate %v times", n)
	}
}
