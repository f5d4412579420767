package ismcts_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"tengen/game"
	"tengen/internal/random"
	"tengen/mcts"
	"tengen/mcts/ismcts"
	"tengen/search"
)

// keeping returns equal searches of g of each kind, which keep, and which draw from equal streams.
func keeping(g game.Game, simulations int, seed uint64) map[string]*ismcts.Tree {
	o := mcts.PUCT{Simulations: simulations, C: 0.8}
	spread := o
	spread.FinalSelection = mcts.LowerBound(mcts.DefaultZ, mcts.DefaultFraction)
	spread.BatchSize = 3
	gumbel := o
	gumbel.Gumbel = mcts.PublishedGumbel()
	rng := func() *rand.Rand { return random.New(seed, random.Test, 3) }
	return map[string]*ismcts.Tree{
		"UCT": ismcts.NewUCT(g, mcts.UCT{Simulations: simulations, C: 0.8},
			ismcts.SingleObserver, rng()),
		"PUCT":   ismcts.NewPUCT(g, o, ismcts.SingleObserver, rng()),
		"LCB":    ismcts.NewPUCT(g, spread, ismcts.SingleObserver, rng()),
		"Gumbel": ismcts.NewPUCT(g, gumbel, ismcts.SingleObserver, rng()),
	}
}

// advance plays random actions from s, the first one given, until the same player is to move, and
// reports whether there is such a position.
func advance(s game.State, first game.Action, rng *rand.Rand) bool {
	me := s.CurrentPlayer()
	s.Apply(first)
	for {
		switch s.CurrentPlayer() {
		case me:
			return true
		case game.Nobody:
			return false
		case game.Chance:
			s.Apply(s.(game.Chancer).Sample(rng))
		default:
			legal := s.LegalActions(nil)
			s.Apply(legal[rng.IntN(len(legal))])
		}
	}
}

// started returns a position of g after the deal.
func started(g game.Game, rng *rand.Rand) game.State {
	s := g.NewState()
	for s.CurrentPlayer() == game.Chance {
		s.Apply(s.(game.Chancer).Sample(rng))
	}
	return s
}

func searched(t *testing.T, tree *ismcts.Tree, g game.Game) {
	t.Helper()
	if err := search.Run(tree, &seeing{actions: g.Actions(), players: g.Players()}); err != nil {
		t.Fatal(err)
	}
}

// seeing evaluates a state by what its player to move sees.
type seeing struct {
	actions, players int
	evaluations      search.Evaluations
}

func (v *seeing) Add(s game.State) {
	x := s.(game.ImperfectInformation).InformationStateKey(s.CurrentPlayer())
	unit := func() float32 {
		x = random.Step(x)
		return float32(x>>40) / (1 << 24)
	}
	for range v.players {
		v.evaluations.Values = append(v.evaluations.Values, unit())
	}
	for range v.actions {
		v.evaluations.Policy = append(v.evaluations.Policy, 3*unit())
	}
}

func (v *seeing) Evaluate() (search.Evaluations, error) {
	e := v.evaluations
	e.Actions, e.Players = v.actions, v.players
	v.evaluations = search.Evaluations{}
	return e, nil
}

// keptGames are those in which trees are kept. In the first others act in secret.
func keptGames() []game.Game {
	return []game.Game{
		&parlour{players: 3, cards: 3, actions: 3, order: []game.Player{0, 1, 2, 0}, secret: true,
			pay: func(cards, acts []int, p int) float32 {
				return float32((cards[p]+acts[len(acts)-1]+p)%4) / 3
			}},
		game.Must(game.New("turtle:players=3,squares=5,hand=3")),
		game.Must(game.New("turtle:squares=4,hand=2")),
	}
}

// TestFollow: what is kept is the part of the tree below the information set that the player is in,
// unchanged, and the search goes on from it. It does not depend on what the player can't see.
func TestFollow(t *testing.T) {
	kept, several := map[string]int{}, 0
	for k, g := range keptGames() {
		for seed := range uint64(6) {
			for kind, tree := range keeping(g, 400, seed) {
				twin := keeping(g, 400, seed)[kind] // is shown other determinizations
				if !tree.Keep() || !twin.Keep() {
					t.Fatal("a tree of a single observer can't be kept")
				}
				rng := random.New(seed, random.Test, uint64(k))
				s := started(g, rng)
				view := g.NewState()
				for turn := range 4 {
					following := false
					view.CopyFrom(s)
					view.(game.ImperfectInformation).Determinize(rng, s.CurrentPlayer())
					if turn == 0 {
						tree.Start(s)
						twin.Start(view)
					} else {
						want, last, candidates := tree.Located(s), tree.Best(), tree.Candidates(s)
						if len(candidates) > 1 {
							several++
						}
						following = tree.Follow(s)
						if twin.Follow(view) != following || following != (want != "") {
							t.Fatalf("%s, %s: following %v, of %q", g.Name(), kind, following, want)
						}
						if following {
							if tree.Visits() != slices.Max(candidates) {
								t.Fatalf("%s, %s: a node with %d visits is kept, of %v",
									g.Name(), kind, tree.Visits(), candidates)
							}
							kept[kind]++
							value := make([]float32, g.Players())
							for i := range value {
								value[i] = -1
							}
							tree.Value(value)
							if slices.Min(value) < 0 { // utilities are 0 to 1
								t.Fatalf("%s, %s: the value of what is kept is %v",
									g.Name(), kind, value)
							}
							if got := tree.Dump(); got != want {
								t.Fatalf("%s, %s after %d: kept is\n%s\nwant\n%s",
									g.Name(), kind, last, got, want)
							}
							if twin.Dump() != want {
								t.Fatalf("%s, %s: what is kept depends on what is hidden",
									g.Name(), kind)
							}
						}
					}
					before := visitsOf(tree)
					searched(t, tree, g)
					searched(t, twin, g)
					if tree.Dump() != twin.Dump() || tree.Best() != twin.Best() {
						t.Fatalf("%s, %s: the search depends on what is hidden", g.Name(), kind)
					}
					stats := tree.Stats()
					if n := visitsOf(tree) - before; n != 400 || stats.Simulations != 400 ||
						(stats.Kept > 0) != following || stats.Full {
						t.Fatalf("%s, %s: %d visits and %+v in turn %d",
							g.Name(), kind, n, stats, turn)
					}
					if !advance(s, tree.Best(), rng) || len(s.LegalActions(nil)) < 2 {
						break
					}
				}
			}
		}
	}
	if several < 10 {
		t.Errorf("the player sees the same at several nodes %d times only", several)
	}
	for _, kind := range []string{"UCT", "PUCT", "LCB", "Gumbel"} {
		if kept[kind] < 10 {
			t.Errorf("%s: a tree is kept %d times only", kind, kept[kind])
		}
	}
}

// visitsOf returns the visits of the actions at the root.
func visitsOf(tree *ismcts.Tree) (n int) {
	for _, c := range tree.Children(nil) {
		n += c.Visits
	}
	return n
}

// TestFollowForgets: nothing is kept for another player, of a position that was not searched,
// unless Keep was called, or by several observers; a tree that keeps begins as one that does not.
func TestFollowForgets(t *testing.T) {
	g := keptGames()[2]
	for kind, tree := range keeping(g, 300, 1) {
		rng := random.New(1, random.Test)
		s := started(g, rng)
		plain := keeping(g, 300, 1)[kind]
		bytes := tree.Stats().Bytes
		if tree.Keep(); tree.Stats().Bytes < bytes*19/10 {
			t.Errorf("%s: with room for two searches it has %d bytes, for one %d",
				kind, tree.Stats().Bytes, bytes)
		}
		tree.Start(s)
		plain.Start(s)
		searched(t, tree, g)
		searched(t, plain, g)
		if tree.Dump() != plain.Dump() {
			t.Errorf("%s: a tree that keeps begins as another", kind)
		}
		next := g.NewState()
		next.CopyFrom(s)
		next.Apply(tree.Best())
		for next.CurrentPlayer() == game.Chance {
			next.Apply(next.(game.Chancer).Sample(rng))
		}
		if next.CurrentPlayer() == s.CurrentPlayer() {
			t.Fatal("the same player moves again")
		}
		if tree.Follow(next) || visitsOf(tree) != 0 {
			t.Errorf("%s: a tree is kept for another player", kind)
		}
		tree.Start(s)
		searched(t, tree, g)
		if tree.Follow(started(g, random.New(99, random.Test))) {
			t.Errorf("%s: a tree is kept of another game", kind)
		}
		for range 100 { // without Keep
			plain.Start(s)
			searched(t, plain, g)
			next.CopyFrom(s)
			if advance(next, plain.Best(), rng) && plain.Follow(next) {
				t.Fatalf("%s: a tree is kept without Keep", kind)
			}
		}
	}
	multiple := ismcts.NewPUCT(g, mcts.PUCT{Simulations: 10}, ismcts.MultipleObservers,
		random.New(1, random.Test))
	if multiple.Keep() {
		t.Error("the trees of several observers are kept")
	}
}

// TestFollowAllocates: following allocates nothing.
func TestFollowAllocates(t *testing.T) {
	g := keptGames()[2]
	tree := keeping(g, 200, 1)["PUCT"]
	tree.Keep()
	rng := random.New(1, random.Test)
	s, next := started(g, rng), g.NewState()
	n := testing.AllocsPerRun(20, func() {
		tree.Start(s)
		for !tree.Advance(noRequests{}) {
			tree.Deliver(flat(g))
		}
		next.CopyFrom(s)
		next.Apply(tree.Best())
		for next.CurrentPlayer() != s.CurrentPlayer() && next.CurrentPlayer() != game.Nobody {
			if next.CurrentPlayer() == game.Chance {
				next.Apply(next.(game.Chancer).Sample(rng))
				continue
			}
			legal = next.LegalActions(legal[:0])
			next.Apply(legal[rng.IntN(len(legal))])
		}
		tree.Follow(next)
	})
	if n > 0 {
		t.Errorf("%v allocations", n)
	}
}

var legal = make([]game.Action, 0, 100)

type noRequests struct{}

func (noRequests) Add(game.State) {}

var flatRow search.Evaluations

// flat returns a row of equal logits and utilities.
func flat(g game.Game) search.Evaluations {
	if flatRow.Actions == 0 {
		flatRow = search.Evaluations{
			Actions: g.Actions(), Players: g.Players(), Policy: make([]float32, g.Actions()),
			Values: make([]float32, g.Players()),
		}
	}
	return flatRow
}
