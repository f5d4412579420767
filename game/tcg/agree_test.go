package tcg

import (
	"io"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"tengen/game"
	"tengen/game/gametest"
	"tengen/internal/random"
)

// names lists games that together have every choice, and decks with copies, with
// Removals only, and of one card.
var names = []string{
	"tcg",
	"tcg:draw=always",
	"tcg:deck=benchmark",
	"tcg:deck=benchmark,draw=always,order=free",
	"tcg:battle=any,max_turns=40",
	"tcg:deck=[1/1/1,1/1/1,1/1/1,3/0/2,3/0/2,0/2/9,removal,removal,removal],hand=3,hp=9,battle=any,order=free,removal=with-target,empty=loss,max_turns=30",
	"tcg:deck=[2/1/1,2/1/1,1/0/3,2/1/1,1/0/3,removal],hand=2,hp=6,opening=[2/1/1,removal],empty=loss,removal=with-target",
	"tcg:deck=[2/1/1,2/1/1,1/0/3],hand=1,hp=4,draw=always,max_turns=9",
	"tcg:deck=[removal,removal],hand=1,max_turns=5",
	"tcg:deck=[0/0/1],hand=1,hp=2",
	"tcg:order=newest,max_turns=30",
	"tcg:battle=any,order=newest,max_turns=20",
	"tcg:cards=representative",
	"tcg:cards=real-root,opening=[removal,4/1/1,1/1/1],order=newest,max_turns=20",
	"tcg:deck=[1/1/1,1/1/1,3/0/2,0/2/9,removal],hand=2,hp=20,battle=any,order=free,cards=real-root,opening=[1/1/1,removal]",
	"tcg:deck=benchmark,cards=representative,max_turns=12",
	"tcg:deck=[1/1/1,1/1/1,3/0/2,0/2/9,removal],hand=2,hp=20,battle=any,order=free,cards=representative",
}

func TestConform(t *testing.T) {
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			gametest.Conform(t, game.Must(game.New(name)), gametest.Games(12))
		})
	}
}

func made(t testing.TB, name string) *Game {
	t.Helper()
	g, err := game.New(name)
	if err != nil {
		t.Fatal(err)
	}
	return g.(*Game)
}

// sameAsNaive compares everything about a state; the observation, which is slow, only
// if observed is set.
func sameAsNaive(t *testing.T, g *Game, s *State, n *naive, observed bool) {
	t.Helper()
	switch {
	case s.CurrentPlayer() != n.CurrentPlayer():
		t.Fatalf("%s: %s: the current player is %d, by the naive rules %d",
			g.name, s.Position(), s.CurrentPlayer(), n.CurrentPlayer())
	case s.Turn() != n.turn:
		t.Fatalf("%s: %s: the turn is %d, by the naive rules %d",
			g.name, s.Position(), s.Turn(), n.turn)
	}
	switch s.CurrentPlayer() {
	case game.Chance:
		if got, want := s.Outcomes(nil), n.Outcomes(nil); !slices.Equal(got, want) {
			t.Fatalf("%s: %s: the outcomes are %v, by the naive rules %v",
				g.name, s.Position(), got, want)
		}
	case game.Nobody:
		var got, want [2]float32
		s.Returns(got[:])
		n.Returns(want[:])
		if got != want {
			t.Fatalf("%s: %s: the utilities are %v, by the naive rules %v",
				g.name, s.Position(), got, want)
		}
	default:
		if got, want := s.LegalActions(nil), n.LegalActions(nil); !slices.Equal(got, want) {
			t.Fatalf("%s: %s: legal is %v, by the naive rules %v", g.name, s.Position(), got, want)
		}
	}
	if observed && s.CurrentPlayer() != game.Chance {
		planes := make([]float32, g.Planes().Size())
		s.Observation(planes)
		want := n.observation()
		for i := range want {
			if math.Abs(float64(planes[i]-want[i])) > 1e-6 {
				cells := g.shape.H * g.shape.W
				t.Fatalf("%s: %s: element %d of plane %d is %v, by the naive rules %v",
					g.name, s.Position(), i%cells, i/cells, planes[i], want[i])
			}
		}
		if len(want) != len(planes) {
			t.Fatalf("%s: %d elements, by the naive rules %d", g.name, len(planes), len(want))
		}
	}
	var scores [2]float32
	s.Scores(scores[:])
	for p, q := range n.players {
		if scores[p] != float32(q.hp) {
			t.Fatalf("%s: %s: the health is %v, by the naive rules %v",
				g.name, s.Position(), scores[p], q.hp)
		}
		if s.CurrentPlayer() == game.Nobody {
			continue
		}
		if got, want := g.Heuristics()[0].Value(s, game.Player(p)),
			n.value(p); math.Abs(got-want) > 1e-9 {
			t.Fatalf("%s: %s: the value is %v, by the naive rules %v",
				g.name, s.Position(), got, want)
		}
	}
}

// playBoth plays a random game on both, and calls visit in every position.
func playBoth(t *testing.T, g *Game, rng *rand.Rand, visit func(s *State, n *naive)) {
	t.Helper()
	s, n := g.NewState().(*State), newNaive(g.rules)
	for {
		visit(s, n)
		if s.CurrentPlayer() == game.Nobody {
			return
		}
		a := game.NoAction
		if s.CurrentPlayer() == game.Chance {
			a = n.Sample(rng)
		} else {
			legal := n.LegalActions(nil)
			a = legal[rng.IntN(len(legal))]
			// Random games rarely end by attack: some players attack more.
			if rng.IntN(3) == 0 && slices.Contains(legal, Attack) {
				a = Attack
			}
		}
		s.Apply(a)
		n.Apply(a)
	}
}

// Equal positions have equal hashes, and different ones different hashes.
func TestAgreesWithNaiveRules(t *testing.T) {
	for _, name := range names {
		g := made(t, name)
		hashes, texts := map[uint64]string{}, map[string]uint64{}
		for i := range uint64(12) {
			rng := random.New(1, random.Test, i)
			playBoth(t, g, rng, func(s *State, n *naive) {
				sameAsNaive(t, g, s, n, s.phase == over || rng.IntN(16) == 0)
				text, hash := n.text(), s.Hash()
				if s.phase == over {
					return // everything is dealt
				}
				if h, ok := texts[text]; ok && h != hash {
					t.Fatalf("%s: %s has the hashes %#x and %#x", name, s.Position(), h, hash)
				}
				if x, ok := hashes[hash]; ok && x != text {
					t.Fatalf("%s: the hash %#x is that of\n%s\nand\n%s", name, hash, x, text)
				}
				hashes[hash], texts[text] = text, hash
			})
		}
	}
}

// goldens lists the games that have playthroughs in testdata.
var goldens = map[string]string{
	"standard.golden":       "tcg",
	"benchmark.golden":      "tcg:deck=benchmark,draw=always,hp=20",
	"free.golden":           "tcg:battle=any,order=free,max_turns=20",
	"copies.golden":         names[5],
	"opening.golden":        names[6],
	"representative.golden": "tcg:cards=representative,hp=30",
}

func TestGolden(t *testing.T) {
	for file, name := range goldens {
		path := filepath.Join("testdata", file)
		g := made(t, name)
		gametest.Rewrite(t, path, func(w io.Writer) error {
			io.WriteString(w, "# Random games of the naive rules (go test -run Golden -update).\n")
			for k := range uint64(2) {
				if err := gametest.Record(w, g.Name(), 2, newNaive(g.rules),
					random.New(2, random.Test, k)); err != nil {
					return err
				}
			}
			return nil
		})
		gametest.Golden(t, g, path)
	}
}

// The targets are the cards on the fields and the health that the observation of the final position
// shows.
func TestAuxiliaryTargetsAreTheFinalObservation(t *testing.T) {
	for _, name := range []string{
		"tcg", "tcg:deck=benchmark,draw=always", "tcg:cards=representative",
	} {
		g := game.Must(game.New(name)).(*Game)
		size := g.shape.H * g.shape.W
		for i := range uint64(20) {
			s := g.NewState().(*State)
			game.Playout(s, random.New(1, random.Test, 32, i), nil)
			planes, cells, seats := make([]float32, g.Planes().Size()), make([]int8, 2*size),
				make([]float32, 2)
			s.Observation(planes)
			s.AuxiliaryTargets(cells, seats)
			for p := range 2 {
				side := planes[(planeSides+p*sidePlanes)*size:]
				if got := seats[p]; got != side[sideHealth*size] {
					t.Errorf("%s, game %d: seat %d has health %v, the observation shows %v",
						name, i, p, got, side[sideHealth*size])
				}
				for c := range size {
					want := int8(game.NoClass)
					if card := c - int(firstCell); card >= 0 && card < g.cells {
						want = int8(min(1, side[sideField*size+c]))
					}
					if got := cells[p*size+c]; got != want {
						t.Errorf("%s, game %d: cell %d of player %d has class %d, want %d",
							name, i, c, p, got, want)
					}
				}
			}
		}
	}
}

func TestTieBreak(t *testing.T) {
	g := made(t, "tcg")
	for _, name := range g.TieBreaks() {
		rank := g.TieBreak(name)
		for a := range firstCell + 3 {
			preferred := a == Attack && name == tiesAttack || a == Heal && name == tiesHeal
			if (rank(a) == 0) != preferred {
				t.Errorf("%s: action %d has the rank %d", name, a, rank(a))
			}
		}
	}
	if g.TieBreak("random") != nil {
		t.Error("there is a preference of an unknown name")
	}
}
