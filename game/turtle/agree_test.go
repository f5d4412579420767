package turtle

import (
	"io"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tengen/game"
	"tengen/game/gametest"
	"tengen/internal/random"
)

// names lists games that together have every number of players and every choice, decks
// of few cards, and hands that can't be played.
var names = []string{
	"turtle",
	"turtle:players=3,start=stacked",
	"turtle:players=4,unowned=none",
	"turtle:players=5",
	"turtle:players=3,hands=open,max_turns=12",
	"turtle:players=2,deck=[0,1,2,0,2,1,0],hand=2,squares=4,max_turns=30",
	"turtle:players=2,deck=[0,0,2,0,2,1,1],hand=4,squares=3,start=stacked,unowned=none,max_turns=25",
	"turtle:players=2,deck=[0,0,1,0,1,0,0],hand=3,max_turns=9",
	"turtle:players=3,deck=[0,0,0,0,0,3,0],hand=1,squares=5,hands=open",
	"turtle:players=5,deck=[1,1,1,0,0,0,0],hand=3,squares=7",
	"turtle:history=1",
	"turtle:players=3,start=stacked,history=8",
	"turtle:players=2,hands=open,history=3,max_turns=20",
}

func TestConform(t *testing.T) {
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			gametest.Conform(t, game.Must(game.New(name)), gametest.Games(24))
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

// fastText is naive.text for a fast state.
func fastText(s *base) string {
	n := newNaive(s.g.rules)
	words := func(p *pile) (list []string) {
		for c, k := range p.count {
			for range k {
				list = append(list, Card(c).String())
			}
		}
		return list
	}
	n.step, n.mover, n.turn = phaseNames[s.phase], int(s.mover), int(s.turn)
	for i := range n.track {
		n.track[i] = nil
		for _, turtle := range s.stack(i) {
			n.track[i] = append(n.track[i], turtle.String())
		}
	}
	for p := range n.players {
		n.players[p] = naivePlayer{hand: words(&s.hands[p])}
		if s.owner[p] != NoTurtle {
			n.players[p].owner = s.owner[p].String()
		}
	}
	n.deck, n.discards = words(&s.deck), words(&s.discards)
	return n.text()
}

// sameAsNaive compares everything that the rules determine.
func sameAsNaive(t *testing.T, s game.State, n *naive) {
	t.Helper()
	x := baseOf(s)
	g := x.g
	if got, want := fastText(x), n.text(); got != want {
		t.Fatalf("%s: the position is\n%s, by the naive rules\n%s", g.name, got, want)
	}
	if s.CurrentPlayer() != n.CurrentPlayer() || x.Turn() != n.turn {
		t.Fatalf("%s: %s: the current player is %d in turn %d, by the naive rules %d in turn %d",
			g.name, x.Position(), s.CurrentPlayer(), x.Turn(), n.CurrentPlayer(), n.turn)
	}
	switch s.CurrentPlayer() {
	case game.Chance:
		if got, want := x.Outcomes(nil), n.Outcomes(nil); !slices.Equal(got, want) {
			t.Fatalf("%s: %s: the outcomes are %v, by the naive rules %v",
				g.name, x.Position(), got, want)
		}
	case game.Nobody:
		got, want := make([]float32, g.Players()), make([]float32, g.Players())
		s.Returns(got)
		n.Returns(want)
		if !slices.Equal(got, want) {
			t.Fatalf("%s: %s: the utilities are %v, by the naive rules %v",
				g.name, x.Position(), got, want)
		}
	default:
		got, want := s.LegalActions(nil), n.LegalActions(nil)
		if !slices.Equal(got, want) {
			t.Fatalf("%s: %s: legal is %v, by the naive rules %v", g.name, x.Position(), got, want)
		}
		for _, a := range got {
			for q := range Strategy(strategies) {
				if got, want := q.score(baseOf(s), a, baseOf(s).owner[s.CurrentPlayer()]),
					n.score(q.String(), naiveActions[a]); got != want {
					t.Fatalf("%s: %s: %s gives %s the score %d, by the naive rules %d",
						g.name, x.Position(), q, naiveActions[a], got, want)
				}
			}
		}
	}
	for i, colour := range naiveColours {
		if len(n.unplaced) == 0 {
			if got, want := x.points(Turtle(i)), n.points(colour); got != want {
				t.Fatalf("%s: %s: %s has %d points, by the naive rules %d",
					g.name, x.Position(), colour, got, want)
			}
		}
	}
}

// playBoth plays a random game on both, and calls visit in every position.
func playBoth(g *Game, rng *rand.Rand, visit func(s game.State, n *naive)) {
	s, n := g.NewState(), newNaive(g.rules)
	for {
		visit(s, n)
		var a game.Action
		switch n.CurrentPlayer() {
		case game.Nobody:
			return
		case game.Chance:
			a = n.Sample(rng)
		default:
			legal := n.LegalActions(nil)
			a = legal[rng.IntN(len(legal))]
		}
		s.Apply(a)
		n.Apply(a)
	}
}

// Equal positions have equal hashes, different ones different hashes, and the text of
// a position is parsed as that position.
func TestAgreesWithNaiveRules(t *testing.T) {
	for _, name := range names {
		g := made(t, name)
		hashes, texts := map[uint64]string{}, map[string]uint64{}
		discards, refills, unowned, shared := 0, 0, 0, 0
		games := uint64(20)
		if strings.Contains(name, "deck=[0,0,2") {
			games = 60 // refills are rare
		}
		for i := range games {
			left := 0
			playBoth(g, random.New(1, random.Test, i), func(s game.State, n *naive) {
				sameAsNaive(t, s, n)
				if n.step == "over" {
					stack := n.track[g.goal]
					if len(stack) > 0 &&
						!slices.ContainsFunc(n.players, func(p naivePlayer) bool {
							return p.owner == stack[0]
						}) {
						unowned++
					}
					if n.shares[0] > 0 && n.shares[0] < 1 {
						shared++
					}
				} else {
					text, hash := n.text(), s.Hash()
					if h, ok := texts[text]; ok && h != hash {
						t.Fatalf("%s: %s has the hashes %#x and %#x", name, text, h, hash)
					}
					if x, ok := hashes[hash]; ok && x != text {
						t.Fatalf("%s: the hash %#x is that of\n%s\nand\n%s", name, hash, x, text)
					}
					hashes[hash], texts[text] = text, hash
				}
				if n.step == "play" && isDiscard(n.LegalActions(nil)[0]) {
					discards++
				}
				if len(n.deck) > left && n.turn > 0 {
					refills++
				}
				left = len(n.deck)
				again, err := g.ParsePosition(baseOf(s).Position())
				if err != nil {
					t.Fatalf("%s: %s is refused: %v", name, baseOf(s).Position(), err)
				}
				sameAsNaive(t, again, n)
				if again.Hash() != s.Hash() {
					t.Fatalf("%s: %s is read back with another hash", name, baseOf(s).Position())
				}
			})
		}
		t.Logf("%s: %d discards, %d refills, %d ends without an owner, %d shared",
			name, discards, refills, unowned, shared)
		if strings.Contains(name, "deck=[0,0,2") &&
			(discards == 0 || refills == 0 || unowned == 0) {
			t.Errorf("%s: %d discards, %d refills and %d ends without an owner, where all should come up", name, discards, refills, unowned)
		}
	}
}

// goldens lists the games that have playthroughs in testdata.
var goldens = map[string]string{
	"two.golden":     "turtle",
	"three.golden":   "turtle:players=3,start=stacked",
	"four.golden":    "turtle:players=4,unowned=none",
	"five.golden":    "turtle:players=5",
	"minus.golden":   names[6],
	"minuses.golden": names[7],
}

func TestGolden(t *testing.T) {
	for file, name := range goldens {
		path := filepath.Join("testdata", file)
		g := made(t, name)
		gametest.Rewrite(t, path, func(w io.Writer) error {
			io.WriteString(w, "# Random games of the naive rules (go test -run Golden -update).\n")
			for k := range uint64(3) {
				if err := gametest.Record(w, g.Name(), g.Players(), newNaive(g.rules),
					random.New(2, random.Test, k)); err != nil {
					return err
				}
			}
			return nil
		})
		gametest.Golden(t, g, path)
	}
}

// carriers finds in one product what a loop over the turtles finds.
func TestCarriers(t *testing.T) {
	for carried := range uint32(1 << (Turtles * Turtles)) {
		if carried%7 != 0 { // a seventh of all words, in every combination of fields
			continue
		}
		b := board{carried: carried}
		for turtle := range Turtle(Turtles) {
			var want herd
			for i := range Turtle(Turtles) {
				want |= carried >> (5*i + turtle) & 1 << i
			}
			if got := b.carriers(turtle); got != want {
				t.Fatalf("%025b: turtle %d is carried by %05b; want %05b",
					carried, turtle, got, want)
			}
		}
	}
}

// The targets are the squares that the observation of the final position shows, and the share of
// the way of each player's turtle.
func TestAuxiliaryTargetsAreTheFinalSquares(t *testing.T) {
	const size = rows * Turtles
	for _, name := range []string{
		"turtle", "turtle:players=3,squares=5", "turtle:players=5,hands=open",
	} {
		g := made(t, name)
		for i := range uint64(20) {
			s := g.NewState()
			game.Playout(s, random.New(1, random.Test, 33, i), nil)
			b := baseOf(s)
			planes, cells, seats := make([]float32, g.shape.Size()), make([]int8, size),
				make([]float32, g.rules.Players)
			s.Observation(planes)
			b.AuxiliaryTargets(cells, seats)
			for c := range size {
				want := int8(0)
				for level := range Turtles {
					want += int8(planes[(planeLevels+level)*size+c])
				}
				if c/Turtles > g.goal {
					want = game.NoClass
				}
				if cells[c] != want {
					t.Errorf("%s, game %d: cell %d has class %d, want %d",
						name, i, c, cells[c], want)
				}
			}
			for p, share := range seats {
				if want := planes[planeSquare*size+int(b.owner[p])]; share != want {
					t.Errorf("%s, game %d: the turtle of player %d came to %v of the way, the observation shows %v", name, i, p, share, want)
				}
			}
		}
	}
}
