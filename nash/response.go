package nash

import "tengen/game"

// Result tells how far a policy is from an equilibrium.
type Result struct {
	Values    []float64 // of each seat: its expected utility if all seats follow the policy
	Responses []float64 // of each seat: the same if it alone plays a best response
}

// Gain is what a seat gains by a best response.
func (r *Result) Gain(seat game.Player) float64 { return r.Responses[seat] - r.Values[seat] }

// NashConv is the sum of the seats' gains.
func (r *Result) NashConv() (sum float64) {
	for p := range r.Values {
		sum += r.Gain(game.Player(p))
	}
	return sum
}

// NashConv measures a policy of all seats.
func (t *Tree) NashConv(policy Policy) *Result {
	r := &Result{Values: t.Values(policy)}
	for p := range t.game.Players() {
		value, _ := t.BestResponse(policy, game.Player(p))
		r.Responses = append(r.Responses, value)
	}
	return r
}

// Values returns the expected utility of each seat if all follow a policy.
func (t *Tree) Values(policy Policy) []float64 {
	reach := t.reach(policy, game.Nobody)
	values := make([]float64, t.game.Players())
	for i := range t.nodes {
		if nd := &t.nodes[i]; nd.mover == int8(game.Nobody) {
			for p := range values {
				values[p] += reach[i] * t.utilities[int(nd.first)+p]
			}
		}
	}
	return values
}

// probability is that of edge k of a node.
func (t *Tree) probability(nd *node, policy Policy, k int) float64 {
	if nd.mover == int8(game.Chance) {
		return t.edges[int(nd.first)+k].probability
	}
	return policy[nd.set][k]
}

// reach returns the product of the probabilities on the way to each node, without those of one
// seat.
func (t *Tree) reach(policy Policy, without game.Player) []float64 {
	reach := make([]float64, len(t.nodes))
	reach[0] = 1
	for i := range t.nodes {
		nd := &t.nodes[i]
		if nd.mover == int8(game.Nobody) {
			continue
		}
		for k := range int(nd.n) {
			p := 1.0
			if nd.mover != int8(without) {
				p = t.probability(nd, policy, k)
			}
			reach[t.edges[int(nd.first)+k].child] = reach[i] * p
		}
	}
	return reach
}

// BestResponse returns the greatest expected utility that a seat can have if the others follow a
// policy, and the index of its action in each of its sets, the first of equal ones; -1 in those of
// others.
func (t *Tree) BestResponse(policy Policy, seat game.Player) (value float64, choices []int) {
	r := &response{
		t: t, policy: policy, seat: seat, reach: t.reach(policy, seat),
		members: make([][]int32, len(t.sets)), choices: make([]int, len(t.sets)),
		values: make([]float64, len(t.nodes)), known: make([]bool, len(t.nodes)),
	}
	for i := range r.choices {
		r.choices[i] = -1
	}
	for i := range t.nodes {
		if nd := &t.nodes[i]; nd.mover == int8(seat) {
			r.members[nd.set] = append(r.members[nd.set], int32(i))
		}
	}
	value = r.value(0)
	for i := range t.sets { // those that the response does not reach
		if t.sets[i].Player == seat {
			r.choose(int32(i))
		}
	}
	return value, r.choices
}

// response computes a best response.
type response struct {
	t       *Tree
	policy  Policy
	seat    game.Player
	reach   []float64 // by chance and others
	members [][]int32 // nodes of the seat's sets
	choices []int
	values  []float64 // of nodes, for the seat
	known   []bool
}

// value returns the seat's expected utility from node i on.
func (r *response) value(i int32) (v float64) {
	if r.known[i] {
		return r.values[i]
	}
	switch nd := &r.t.nodes[i]; game.Player(nd.mover) {
	case game.Nobody:
		v = r.t.utilities[int(nd.first)+int(r.seat)]
	case r.seat:
		v = r.value(r.t.edges[int(nd.first)+r.choose(nd.set)].child)
	default:
		for k := range int(nd.n) {
			if p := r.t.probability(nd, r.policy, k); p > 0 {
				v += p * r.value(r.t.edges[int(nd.first)+k].child)
			}
		}
	}
	r.values[i], r.known[i] = v, true
	return v
}

// choose returns the best action of a set. Since the seat forgets nothing, no set comes up again
// below itself.
func (r *response) choose(set int32) int {
	if r.choices[set] >= 0 {
		return r.choices[set]
	}
	best, most := 0, 0.0
	for k := range r.t.sets[set].Actions {
		sum := 0.0
		for _, i := range r.members[set] {
			if r.reach[i] > 0 {
				sum += r.reach[i] * r.value(r.t.edges[int(r.t.nodes[i].first)+k].child)
			}
		}
		if k == 0 || sum > most {
			best, most = k, sum
		}
	}
	r.choices[set] = best
	return best
}
