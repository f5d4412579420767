package mcts_test

import (
	"math"
	"testing"

	"tengen/game"
	"tengen/internal/random"
	"tengen/mcts"
	"tengen/search"
)

// TestBalancedOutcomes: with Balanced each outcome of a chance node has p·N of its N visits, to
// within one.
func TestBalancedOutcomes(t *testing.T) {
	nodes, sampled := 0, 0.0
	for seed := range uint64(300) {
		g := &maze{seed: seed, players: 2, actions: 4, plies: 12, steps: 4, chance: true}
		for _, balanced := range []bool{true, false} {
			rng := random.New(seed, random.Test)
			s := g.NewState()
			for s.CurrentPlayer() != game.Chance && randomStep(s, rng) {
			}
			if s.CurrentPlayer() != game.Chance {
				continue
			}
			tree := mcts.NewPUCT(g,
				mcts.PUCT{Simulations: 5 + int(seed), C: 0.8, Balanced: balanced}, rng)
			tree.Start(s)
			search.Run(tree, newHashed(g, 0))
			children := tree.Children(nil)
			visited := map[game.Action]int{}
			all := 0
			for _, c := range children {
				visited[c.Action] = c.Visits
				all += c.Visits
			}
			worst := 0.0
			for _, o := range s.(game.Chancer).Outcomes(nil) {
				worst = max(worst, math.Abs(float64(visited[o.Action])-o.Probability*float64(all)))
			}
			if !balanced {
				sampled = max(sampled, worst)
				continue
			}
			nodes++
			if worst >= 1 {
				t.Errorf("seed %d: an outcome is %g visits of %d from its share", seed, worst, all)
			}
		}
	}
	if nodes < 20 || sampled < 3 {
		t.Errorf("%d chance nodes, samples at most %g from their shares: the test shows nothing",
			nodes, sampled)
	}
}

// TestBalancedValue: with Balanced the value of a chance node is the mean of its outcomes by their
// probabilities, however many visits each of them has.
func TestBalancedValue(t *testing.T) {
	nodes, apart := 0, 0.0
	for seed := range uint64(300) {
		g := &maze{
			seed: seed, players: 1 + int(seed%4), actions: 4, plies: 12, steps: 4, chance: true,
		}
		rng := random.New(seed, random.Test)
		s := g.NewState()
		for s.CurrentPlayer() != game.Chance && randomStep(s, rng) {
		}
		if s.CurrentPlayer() != game.Chance {
			continue
		}
		o := mcts.PUCT{Simulations: 1 + int(seed%40), C: 0.8, Balanced: true, Proofs: seed%3 == 0}
		if seed%2 == 0 {
			o.BatchSize = 4
		}
		tree := mcts.NewPUCT(g, o, rng)
		tree.Start(s)
		search.Run(tree, newHashed(g, 0))
		value := make([]float32, g.players)
		tree.Value(value)
		for p := range value {
			expected, mass, mean, visits := 0.0, 0.0, 0.0, 0.0
			for _, c := range tree.Children(nil) {
				for _, o := range s.(game.Chancer).Outcomes(nil) {
					if o.Action == c.Action {
						expected += o.Probability * float64(c.Value[p])
						mass += o.Probability
					}
				}
				mean += float64(c.Value[p]) * float64(c.Visits)
				visits += float64(c.Visits)
			}
			if got := float64(value[p]); math.Abs(got-expected/mass) > 1e-6 {
				t.Errorf("seed %d: the value for player %d is %g, and that of the outcomes by their probabilities %g", seed, p, got, expected/mass)
			}
			apart = max(apart, math.Abs(mean/visits-expected/mass))
		}
		nodes++
	}
	if nodes < 20 || apart < 0.02 {
		t.Errorf(
			"%d chance nodes, means over visits at most %g from the values: the test shows nothing",
			nodes, apart)
	}
}

// TestTurns: the order of turns is a permutation, and its first few lie all over the list.
func TestTurns(t *testing.T) {
	firsts := map[int]bool{}
	for n := 1; n <= 60; n++ {
		for depth := range 20 {
			first, step := mcts.Turns(uint64(n*97), depth, n)
			seen := make([]bool, n)
			for k, at := 0, first; k < n; k, at = k+1, (at+step)%n {
				if seen[at] {
					t.Fatalf("%d outcomes: %d has two turns", n, at)
				}
				seen[at] = true
				if k == (n-1)/2 {
					if gap := widest(seen); gap > max(6, n/5) {
						t.Errorf("%d outcomes, step %d: half of them leave out %d in a row",
							n, step, gap)
					}
				}
			}
			if n == 36 {
				firsts[first] = true
			}
		}
	}
	if len(firsts) < 10 {
		t.Errorf("20 depths begin at %d places only", len(firsts))
	}
}

// widest returns the length of the longest row of false, of which the end meets the beginning.
func widest(seen []bool) (gap int) {
	row := 0
	for k := range 2 * len(seen) {
		if row++; seen[k%len(seen)] {
			row = 0
		}
		gap = max(gap, row)
	}
	return gap
}

// lagging returns the outcome of chance whose visits are the most below its share of them, once one
// more is made.
func (r *slow) lagging(n *slowNode, depth int) game.Action {
	outcomes := n.state.(game.Chancer).Outcomes(nil)
	visits := func(a game.Action) float64 {
		if child := n.children[a]; child != nil {
			return float64(child.visits + child.unseen)
		}
		return 0
	}
	total := 1.0
	for _, o := range outcomes {
		total += visits(o.Action)
	}
	first, step := mcts.Turns(r.random, depth, len(outcomes))
	best, most := game.NoAction, math.Inf(-1)
	for k := range outcomes {
		o := outcomes[(first+k*step)%len(outcomes)]
		if lag := o.Probability*total - visits(o.Action); lag > most+1e-9 {
			best, most = o.Action, lag
		}
	}
	return best
}

// addOutcomes adds the visits of the outcomes of chance to the sums of n: all count with the mean
// that the outcomes have by their probabilities, those without visits left out.
func (r *slow) addOutcomes(n *slowNode) {
	chances := map[game.Action]float64{}
	for _, o := range n.state.(game.Chancer).Outcomes(nil) {
		chances[o.Action] = float64(float32(o.Probability))
	}
	for p := range n.sum {
		mean, mass, visits := 0.0, 0.0, 0.0
		for _, a := range n.order {
			if child := n.children[a]; child.visits > 0 {
				mean += chances[a] * (child.sum[p] / float64(child.visits))
				mass += chances[a]
				visits += float64(child.visits)
			}
		}
		if visits > 0 {
			n.sum[p] += math.RoundToEven(mean/mass*visits*(1<<32)) / (1 << 32)
		}
	}
}
