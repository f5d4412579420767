package ismcts_test

import (
	"fmt"
	"math"
	"testing"

	"tengen/game"
	"tengen/mcts/ismcts"
)

// due returns the visited actions of the root that have too few visits: the root's actions are
// legal in all determinizations, so all have the same number of visits in which they were legal,
// the one at hand among them.
func (r *plainPUCT) due(legal []game.Action, priors map[game.Action]float64) (due []game.Action) {
	for _, a := range legal {
		k := r.edges[fmt.Sprint("root ", a)]
		if n := float64(k.visits + k.unseen); n > 0 && n < math.Sqrt(r.forced*priors[a]*float64(k.available-1)) {
			due = append(due, a)
		}
	}
	return due
}

// comparePruned compares the pruned visits of a search that agrees, and returns the number of
// actions that have some. Roundings may decide between one visit more and less.
func (r *plainPUCT) comparePruned(t *testing.T, s game.State, tree *ismcts.Tree, priors map[game.Action]float64) (actions int) {
	me := s.CurrentPlayer()
	at := func(a game.Action) *counts { return r.edges[fmt.Sprint("root ", a)] }
	puct := func(a game.Action, visits int) float64 {
		k := at(a)
		return k.sums[me]/float64(k.visits) + r.constant(r.nodes["root"], me)*math.Sqrt(float64(k.available+1))*priors[a]/float64(1+visits)
	}
	children := tree.Children(nil)
	most := children[0]
	for _, c := range children {
		if c.Visits > most.Visits || c.Visits == most.Visits && c.Value[me] > most.Value[me] {
			most = c
		}
	}
	for _, c := range children {
		taken, near := 0, false
		if r.forced > 0 && c.Action != most.Action && c.Visits > 0 {
			limit := math.Sqrt(r.forced * priors[c.Action] * float64(at(c.Action).available))
			for float64(taken+1) <= limit && taken < c.Visits {
				gap := puct(most.Action, most.Visits) - puct(c.Action, c.Visits-taken-1)
				near = near || math.Abs(gap) < 1e-6
				if gap <= 0 {
					break
				}
				taken++
			}
			if c.Visits-taken == 1 {
				taken++
			}
			near = near || math.Abs(limit-math.Round(limit)) < 1e-6
		}
		if c.Pruned != taken && !near {
			t.Fatalf("action %d: %d of %d visits are pruned, in the reference %d", c.Action, c.Pruned, c.Visits, taken)
		}
		actions += min(taken, 1)
	}
	return actions
}
