package ismcts_test

import (
	"cmp"
	"fmt"
	"math"
	"runtime"
	"testing"

	"tengen/game"
	"tengen/internal/random"
	"tengen/mcts"
	"tengen/mcts/ismcts"
	"tengen/search"
)

// TestGrowing: a tree that grows is the one that has all its memory at once, and has less memory
// while it is small.
func TestGrowing(t *testing.T) {
	for k, g := range keptGames() {
		for _, o := range []mcts.PUCT{
			{Simulations: 400, C: 0.8, Noise: 0.25},
			{Simulations: 400, C: 0.8, BatchSize: 3, VirtualLoss: 0.5,
				FinalSelection: mcts.LowerBound(mcts.DefaultZ, mcts.DefaultFraction)},
			{Simulations: 400, C: 0.8, MaxNodes: 100},
			{Simulations: 400, C: 0.8, Gumbel: mcts.PublishedGumbel()},
		} {
			for kind := range 4 { // PUCT and UCT, of one observer and of all
				observers := ismcts.SingleObserver
				if kind&2 != 0 {
					observers = ismcts.MultipleObservers
				}
				var dumps, stats [2]string
				var bytes [2]int
				for i, growing := range []bool{false, true} {
					o.Growing = growing
					rng := random.New(uint64(k), random.Test)
					var tree *ismcts.Tree
					if kind&1 != 0 {
						tree = ismcts.NewUCT(g,
							mcts.UCT{
								Simulations: o.Simulations, C: o.C, MaxNodes: o.MaxNodes,
								Growing: growing, FinalSelection: o.FinalSelection,
							}, observers, rng)
					} else {
						tree = ismcts.NewPUCT(g, o, observers, rng)
					}
					tree.Keep()
					bytes[i] = tree.Stats().Bytes
					moves := random.New(uint64(k), random.Test, 1)
					s := started(g, moves)
					for going := true; going; {
						tree.Follow(s)
						searched(t, tree, g)
						dumps[i] += tree.Dump()
						s1 := tree.Stats()
						s1.Bytes = 0
						stats[i] += fmt.Sprintf("%+v\n", s1)
						going = advance(s, tree.Best(), moves)
					}
				}
				if dumps[0] != dumps[1] || stats[0] != stats[1] {
					t.Fatalf("%s, kind %d, %+v: another tree:\n%s\nwant\n%s",
						g.Name(), kind, o, stats[1], stats[0])
				}
				if most := bytes[0] / 2; o.MaxNodes == 0 && bytes[1] > most {
					t.Errorf("%s, kind %d, %+v: %d bytes to begin with, at most %d are wanted",
						g.Name(), kind, o, bytes[1], most)
				}
			}
		}
	}
}

// TestBytes: of a large tree nearly all memory is counted, and no more than there is.
func TestBytes(t *testing.T) {
	g := game.Must(game.New("turtle"))
	for _, observers := range bothObservers {
		for _, choice := range []mcts.FinalSelection{
			mcts.MostVisits(), mcts.LowerBound(mcts.DefaultZ, mcts.DefaultFraction),
		} {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			tree := ismcts.NewUCT(g,
				mcts.UCT{Simulations: 10, C: 1, MaxNodes: 50_000, FinalSelection: choice},
				observers, random.New(1, random.Test))
			runtime.ReadMemStats(&after)
			made, got := int(after.TotalAlloc-before.TotalAlloc), tree.Stats().Bytes
			if got > made || got < made*49/50 {
				t.Errorf("observers %v, %+v: %d bytes, and %d were allocated",
					observers, choice, got, made)
			}
			if tree.SetSimulations(200_000); tree.Stats().Bytes != got {
				t.Errorf("observers %v, %+v: more simulations make it %d bytes",
					observers, choice, tree.Stats().Bytes)
			}
			if observers == ismcts.MultipleObservers {
				continue
			}
			tree.Keep()
			if kept := tree.Stats().Bytes; kept < got+4*50_000 {
				t.Errorf("%+v: %d bytes, and %d to keep nodes", choice, got, kept)
			}
		}
	}
}

// TestPlayouts: with the whole weight on the playouts, values are results of the determinizations
// at hand, and with none of them those of the evaluator.
func TestPlayouts(t *testing.T) {
	for _, name := range []string{"turtle", "turtle:players=3"} {
		g := game.Must(game.New(name))
		s := g.NewState()
		rng := random.New(3, random.Test)
		for s.CurrentPlayer() < 0 {
			s.Apply(s.(game.Chancer).Sample(rng))
		}
		value := func(n int, weight float64) (value [2]float64) {
			tree := ismcts.NewPUCT(g, mcts.PUCT{Simulations: 4000, C: 0.8, BatchSize: 3},
				ismcts.SingleObserver, random.New(5, random.Test))
			tree.SetPlayouts(search.NewPlayouts(g, random.New(6, random.Test)), n, weight)
			tree.Start(s)
			if err := search.Run(tree, search.NewConstant(g, 0.5)); err != nil {
				t.Fatal(err)
			}
			for _, c := range tree.Children(nil) {
				for p := range value {
					value[p] += float64(c.Visits) * float64(c.Value[p]) / 4000
				}
			}
			return value
		}
		none, half, all := value(0, 0), value(2, 0.5), value(2, 1)
		if none == half || half == all {
			t.Errorf("%s: values %v without playouts, %v with half of the weight, %v with all",
				name, none, half, all)
		}
		for p := range half {
			if math.Abs(all[p]-0.5) < math.Abs(half[p]-0.5) {
				t.Errorf(
					"%s: value %.3f with half of the weight, %.3f with all; the evaluator's is 0.5",
					name, half[p], all[p])
			}
		}
	}
}

// naming describes as text the node of a reference's simulation: what the observer has seen and
// all actions, or with multiple observers what the player to move has seen and done since the
// root.
type naming struct {
	observers ismcts.Observers
	me        game.Player
	seen      []string
}

func sees(s game.State, p game.Player) string {
	return fmt.Sprint(" sees ", s.(game.ImperfectInformation).InformationStateKey(p))
}

func (n *naming) begin(s game.State, players int) (at string) {
	n.me, n.seen = s.CurrentPlayer(), make([]string, players)
	for p := range n.seen {
		n.seen[p] = fmt.Sprint("player ", p, sees(s, game.Player(p)))
	}
	n.seen[n.me] = "root"
	return n.seen[n.me]
}

// acted is called before an action is applied.
func (n *naming) acted(p game.Player, a game.Action) {
	n.seen[p] += fmt.Sprint(" does ", a)
}

// at returns the node of s, to which an edge has led.
func (n *naming) at(s game.State, edge string) string {
	for p := range n.seen {
		n.seen[p] += sees(s, game.Player(p))
	}
	if n.observers == ismcts.MultipleObservers {
		return n.seen[s.CurrentPlayer()]
	}
	return edge + sees(s, n.me)
}

var bothObservers = []ismcts.Observers{ismcts.SingleObserver, ismcts.MultipleObservers}

func TestObserversString(t *testing.T) {
	for o, want := range map[ismcts.Observers]string{
		ismcts.SingleObserver: "single", ismcts.MultipleObservers: "multiple", 2: "Observers(2)",
	} {
		if o.String() != want {
			t.Errorf("observers %d are written %v, want %s", uint8(o), o, want)
		}
	}
}

// TestBefore: the most visits come first, then the greatest value of the searching player, then the
// greatest prior.
func TestBefore(t *testing.T) {
	g := keptGames()[1]
	tree := ismcts.NewPUCT(g, mcts.PUCT{Simulations: 4, C: 1}, ismcts.SingleObserver,
		random.New(1, random.Test, 7))
	s := started(g, random.New(1, random.Test, 8))
	tree.Start(s)
	rng, me := random.New(1, random.Test, 9), s.CurrentPlayer()
	for range 500 {
		child := func() search.Child {
			c := search.Child{Visits: rng.IntN(3), Prior: float32(rng.IntN(3))}
			for p := range c.Value {
				c.Value[p] = float32(rng.IntN(3))
			}
			return c
		}
		x, y := child(), child()
		want := cmp.Or(cmp.Compare(x.Visits, y.Visits), cmp.Compare(x.Value[me], y.Value[me]),
			cmp.Compare(x.Prior, y.Prior)) > 0
		if tree.Before(&x, &y) != want {
			t.Fatalf("player %d: %+v is before %+v: %v", me, x, y, !want)
		}
	}
}
