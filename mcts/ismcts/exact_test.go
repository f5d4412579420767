package ismcts_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"tengen/game"
	"tengen/internal/random"
	"tengen/mcts"
	"tengen/mcts/ismcts"
	"tengen/search"
)

// infoSearches are all searches of information sets.
var infoSearches = []struct {
	name string
	run  func(s game.State, g game.Game, n int, rng *rand.Rand) *ismcts.Tree
}{
	{"uct single", infoUCT(ismcts.SingleObserver)},
	{"uct multiple", infoUCT(ismcts.MultipleObservers)},
	{"puct single", infoPUCT(ismcts.SingleObserver)},
	{"puct multiple", infoPUCT(ismcts.MultipleObservers)},
	{"gumbel single", infoGumbel(ismcts.SingleObserver)},
	{"gumbel multiple", infoGumbel(ismcts.MultipleObservers)},
}

func infoUCT(o ismcts.Observers) func(game.State, game.Game, int, *rand.Rand) *ismcts.Tree {
	return func(s game.State, g game.Game, n int, rng *rand.Rand) *ismcts.Tree {
		t := ismcts.NewUCT(g, mcts.UCT{Simulations: n, C: 0.7}, o, rng)
		t.Start(s)
		search.Run(t, search.NewPlayouts(g, rng))
		return t
	}
}

func infoPUCT(o ismcts.Observers) func(game.State, game.Game, int, *rand.Rand) *ismcts.Tree {
	return func(s game.State, g game.Game, n int, rng *rand.Rand) *ismcts.Tree {
		t := ismcts.NewPUCT(g, mcts.PUCT{Simulations: n, C: 2}, o, rng)
		t.Start(s)
		search.Run(t, search.NewConstant(g, 0.5))
		return t
	}
}

func infoGumbel(o ismcts.Observers) func(game.State, game.Game, int, *rand.Rand) *ismcts.Tree {
	return func(s game.State, g game.Game, n int, rng *rand.Rand) *ismcts.Tree {
		gumbel := mcts.PublishedGumbel()
		gumbel.Interior = mcts.ByPUCT
		t := ismcts.NewPUCT(g, mcts.PUCT{Simulations: n, C: 2, Gumbel: gumbel}, o, rng)
		t.Start(s)
		search.Run(t, search.NewConstant(g, 0.5))
		return t
	}
}

// lottery is a random function of small numbers with values 0, 1/16, …, 1.
func lottery(seed uint64) func(x ...int) float32 {
	return func(x ...int) float32 {
		h := seed
		for _, v := range x {
			h = (h ^ uint64(v+1)) * 0x9e3779b97f4a7c15
			h ^= h >> 31
		}
		return float32(h>>20%17) / 16
	}
}

// inference is a game of three moves with an exact solution. The first player acts; then the
// second, whose pay depends only on its own card and these two actions; then the first again,
// which may infer the second player's card from its action.
func inference(seed uint64, cards, actions int) *parlour {
	pay := lottery(seed)
	return &parlour{
		players: 2, cards: cards, actions: actions, order: []game.Player{0, 1, 0},
		pay: func(c, acts []int, p int) float32 {
			if p == 1 {
				return pay(1, c[1], acts[0], acts[1])
			}
			return pay(0, c[0], c[1], acts[0], acts[1], acts[2])
		},
	}
}

// solve returns the value of each action of the first player, who holds the given card. sure is
// false if the second player is nearly indifferent.
func (g *parlour) solve(card int) (values []float64, sure bool) {
	sure = true
	for a := range g.actions {
		held := make([][]int, g.actions) // cards of the second player that make it reply so
		for c := range g.cards {
			reply, best, next := 0, -1.0, -1.0
			for b := range g.actions {
				switch v := float64(g.pay([]int{card, c}, []int{a, b, 0}, 1)); {
				case v > best:
					reply, best, next = b, v, best
				default:
					next = max(next, v)
				}
			}
			sure = sure && best-next > 0.1
			held[reply] = append(held[reply], c)
		}
		value := 0.0
		for b, cards := range held {
			best := 0.0
			for last := range g.actions {
				sum := 0.0
				for _, c := range cards {
					sum += float64(g.pay([]int{card, c}, []int{a, b, last}, 0))
				}
				best = max(best, sum)
			}
			value += best / float64(g.cards)
		}
		values = append(values, value)
	}
	return values, sure
}

// decided returns the best of the values if it is best by a margin.
func decided(values []float64) (best int, clear bool) {
	for i, v := range values {
		if v > values[best] {
			best = i
		}
	}
	clear = true
	for i, v := range values {
		clear = clear && (i == best || v < values[best]-0.06)
	}
	return best, clear
}

// TestMultipleObserversInfer: players reply according to their own cards, so their actions
// carry information about these. A single tree has one reply for all cards, and is often wrong.
func TestMultipleObserversInfer(t *testing.T) {
	games, wrong := 0, map[string]int{}
	for seed := uint64(0); games < 25; seed++ {
		g := inference(seed, 3, 2+int(seed%2))
		values, sure := g.solve(1)
		best, clear := decided(values)
		if !sure || !clear {
			continue
		}
		games++
		for _, c := range infoSearches {
			tree := c.run(g.dealtTo(1, int(seed%3)), g, 20_000,
				random.New(1, random.Test, 60, seed))
			if tree.Best() != game.Action(best) {
				wrong[c.name]++
				continue
			}
			if v := tree.Children(nil)[best].Value[0]; math.Abs(float64(v)-values[best]) > 0.06 {
				wrong[c.name+" value"]++
			}
		}
	}
	t.Logf("of %d games wrong: %v", games, wrong)
	for _, name := range []string{
		"uct multiple", "puct multiple", "uct multiple value", "puct multiple value",
		"gumbel multiple",
	} {
		if wrong[name] > 0 {
			t.Errorf("%s: %d of %d games are not solved", name, wrong[name], games)
		}
	}
	if wrong["uct single"] < 3 {
		t.Errorf("a single tree solves all but %d of %d games: they don't tell the searches apart",
			wrong["uct single"], games)
	}
}

// dominance solves a matrix game by iterated elimination of strictly dominated actions. ok is
// false if more than one pair remains.
func dominance(pay [2]func(a, b int) float64, actions int) (solution [2]int, ok bool) {
	left := [2]map[int]bool{{}, {}}
	for a := range actions {
		left[0][a], left[1][a] = true, true
	}
	value := func(p, own, other int) float64 {
		if p == 0 {
			return pay[0](own, other)
		}
		return pay[1](other, own)
	}
	for again := true; again; {
		again = false
		for p := range left {
			for a := range left[p] {
				for by := range left[p] {
					worse := by != a
					for other := range left[1-p] {
						worse = worse && value(p, a, other) < value(p, by, other)-0.1
					}
					if worse {
						delete(left[p], a)
						again = true
						break
					}
				}
			}
		}
	}
	for p := range left {
		if len(left[p]) != 1 {
			return solution, false
		}
		for a := range left[p] {
			solution[p] = a
		}
	}
	return solution, true
}

// leading returns the best action of the first player if the second sees it and maximises its
// own pay.
func leading(pay [2]func(a, b int) float64, actions int) int {
	best, top := 0, -1.0
	for a := range actions {
		reply := 0
		for b := range actions {
			if pay[1](a, b) > pay[1](a, reply) {
				reply = b
			}
		}
		if v := pay[0](a, reply); v > top {
			best, top = a, v
		}
	}
	return best
}

// TestMultipleObserversMoveInSecret: two players act without seeing each other's action, so the
// second has one node in its tree. With a single tree it has one node for each action of the
// first, as if it saw that action. The first player's means include early replies, so UCT may
// take long to find even a dominant action.
func TestMultipleObserversMoveInSecret(t *testing.T) {
	games, wrong := 0, map[string]int{}
	for seed := uint64(0); games < 25; seed++ {
		payments := lottery(seed)
		g := &parlour{
			players: 2, cards: 1, actions: 3, order: []game.Player{0, 1}, secret: true,
			pay: func(_, acts []int, p int) float32 { return payments(p, acts[0], acts[1]) },
		}
		pay := [2]func(a, b int) float64{
			func(a, b int) float64 { return float64(payments(0, a, b)) },
			func(a, b int) float64 { return float64(payments(1, a, b)) },
		}
		solution, ok := dominance(pay, 3)
		if !ok || leading(pay, 3) == solution[0] {
			continue
		}
		games++
		for _, c := range infoSearches {
			tree := c.run(g.dealtTo(0, 0), g, 20_000, random.New(1, random.Test, 61, seed))
			if tree.Best() != game.Action(solution[0]) {
				wrong[c.name]++
			}
			nodes := 1 + 3
			if strings.HasSuffix(c.name, "multiple") {
				nodes = 1 + 1
			}
			if n := tree.Stats().Nodes; n != nodes {
				t.Errorf("%s has %d nodes, where %d are wanted", c.name, n, nodes)
			}
		}
	}
	t.Logf("of %d games wrong: %v", games, wrong)
	for _, kind := range []string{"uct", "puct", "gumbel"} {
		if multiple, single := wrong[kind+" multiple"], wrong[kind+" single"]; multiple > games/2 ||
			single < games*3/4 {
			t.Errorf("%s: with trees of their own %d of %d games are wrong, with a single one %d",
				kind, multiple, games, single)
		}
	}
}

// TestObserversAreRepeatable: equal random sources give equal searches, whatever hidden card
// the other player holds.
func TestObserversAreRepeatable(t *testing.T) {
	g := inference(4, 3, 3)
	for _, c := range infoSearches {
		var found [2][]search.Child
		for k := range found {
			found[k] = c.run(g.dealtTo(0, k), g, 500, random.New(1, random.Test, 62)).Children(nil)
		}
		if !slices.Equal(found[0], found[1]) {
			t.Errorf("%s finds %+v, and then %+v", c.name, found[0], found[1])
		}
	}
}
