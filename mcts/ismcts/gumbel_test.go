package ismcts_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"tengen/game"
	"tengen/mcts"
	"tengen/mcts/ismcts"
)

// plainGumbel is what mcts.Gumbel adds to plainPUCT, written from the formulas.
type plainGumbel struct {
	o           mcts.Gumbel
	simulations int
	g           map[game.Action]float64
	considered  []game.Action
}

func (s *plainGumbel) begin(r *plainPUCT, root game.State) {
	s.g = map[game.Action]float64{}
	legal := root.LegalActions(nil)
	for _, a := range legal {
		s.g[a] = -math.Log(r.rng.ExpFloat64())
	}
	priors := r.priors("root", legal)
	s.considered = slices.Clone(legal)
	slices.SortStableFunc(s.considered, func(a, b game.Action) int {
		if s.g[a]+math.Log(priors[a]) > s.g[b]+math.Log(priors[b]) {
			return -1
		}
		return 1
	})
	s.considered = s.considered[:min(len(legal), s.o.Considered)]
}

// own is the mean of a node's own evaluations, for a player.
func (r *plainPUCT) own(at string, p game.Player) float64 {
	n := r.nodes[at]
	visits, sum := float64(n.visits), n.sums[p]
	for a := range r.g.Actions() + 10 {
		if k := r.edges[fmt.Sprint(at, " ", a)]; k != nil {
			visits -= float64(k.visits)
			sum -= k.sums[p]
		}
	}
	return sum / visits
}

// q returns the completed Q of the legal actions, for a player.
func (s *plainGumbel) q(
	r *plainPUCT, at string, p game.Player, legal []game.Action, priors map[game.Action]float64,
) map[game.Action]float64 {
	visits, mass, weighted := 0.0, 0.0, 0.0
	q := map[game.Action]float64{}
	for _, a := range legal {
		if k := r.edges[fmt.Sprint(at, " ", a)]; k != nil && k.visits > 0 {
			lost := r.virtual * float64(k.unseen)
			if at == "root" {
				lost = 0
			}
			q[a] = k.sums[p] / (float64(k.visits) + lost)
			visits += float64(k.visits)
			mass += priors[a]
			weighted += priors[a] * q[a]
		}
	}
	mixed := r.own(at, p)
	if visits > 0 {
		mixed = (mixed + visits*weighted/mass) / (1 + visits)
	}
	for _, a := range legal {
		if _, visited := q[a]; !visited {
			q[a] = mixed
		}
	}
	return q
}

func (s *plainGumbel) sigma(
	r *plainPUCT, at string, p game.Player, legal []game.Action, priors map[game.Action]float64,
) map[game.Action]float64 {
	sigma := s.q(r, at, p, legal, priors)
	lo, hi, most := math.Inf(1), math.Inf(-1), 0
	for a, x := range sigma {
		lo, hi = min(lo, x), max(hi, x)
		if k := r.edges[fmt.Sprint(at, " ", a)]; k != nil {
			most = max(most, k.visits)
		}
	}
	for a, x := range sigma {
		switch scale := (s.o.VisitOffset + float64(most)) * s.o.ValueScale; {
		case at != "root" && s.o.Interior == mcts.ByPolicy:
			sigma[a] = 0
		case s.o.Unscaled:
			sigma[a] = scale * x
		default:
			sigma[a] = scale * (x - lo) / max(hi-lo, 1e-8)
		}
	}
	return sigma
}

func (s *plainGumbel) policy(
	r *plainPUCT, at string, p game.Player, legal []game.Action, priors map[game.Action]float64,
) map[game.Action]float64 {
	policy := s.sigma(r, at, p, legal, priors)
	hi, sum := math.Inf(-1), 0.0
	for _, x := range policy {
		hi = max(hi, x)
	}
	for a, x := range policy {
		policy[a] = priors[a] * math.Exp(x-hi)
		sum += policy[a]
	}
	for a := range policy {
		policy[a] /= sum
	}
	return policy
}

// choose returns game.NoAction where PUCT decides.
func (s *plainGumbel) choose(
	r *plainPUCT, at string, p game.Player, legal []game.Action, priors map[game.Action]float64,
) game.Action {
	if at != "root" && s.o.Interior == mcts.ByPUCT {
		return game.NoAction
	}
	best, most := game.NoAction, math.Inf(-1)
	if at != "root" {
		policy := s.policy(r, at, p, legal, priors)
		for _, a := range legal {
			k := r.edges[fmt.Sprint(at, " ", a)]
			if x := policy[a] - float64(k.visits+k.unseen)/float64(k.available); x > most {
				best, most = a, x
			}
		}
		return best
	}
	done := 0
	for _, a := range legal {
		k := r.edges[fmt.Sprint(at, " ", a)]
		done += k.visits + k.unseen
	}
	due := due(len(s.considered), s.simulations, done)
	sigma := s.sigma(r, at, p, legal, priors)
	for _, a := range legal {
		k := r.edges[fmt.Sprint(at, " ", a)]
		x := s.g[a] + math.Log(priors[a]) + sigma[a]
		if slices.Contains(s.considered, a) && k.visits+k.unseen == due && x > most {
			best, most = a, x
		}
	}
	return best
}

// due is the number of visits that is due at simulation i of n with m actions considered.
func due(m, n, i int) int {
	if m == 1 {
		return i
	}
	phases, visits := int(math.Ceil(math.Log2(float64(m)))), 0
	for k := m; ; k = max(2, k/2) {
		for range max(1, n/(phases*k)) {
			if i < k {
				return visits
			}
			i -= k
			visits++
		}
	}
}

// compare compares the conclusions of a search.
func (s *plainGumbel) compare(t *testing.T, r *plainPUCT, root game.State, tree *ismcts.Tree) {
	t.Helper()
	legal, p := root.LegalActions(nil), root.CurrentPlayer()
	priors := r.priors("root", legal)
	policy, sigma := s.policy(r, "root", p, legal, priors), s.sigma(r, "root", p, legal, priors)
	visits := func(a game.Action) int {
		if k := r.edges[fmt.Sprint("root ", a)]; k != nil {
			return k.visits
		}
		return 0
	}
	score := func(a game.Action) float64 { return s.g[a] + math.Log(priors[a]) + sigma[a] }
	best := s.considered[0]
	for _, a := range s.considered {
		if visits(a) > visits(best) || visits(a) == visits(best) && score(a) > score(best) {
			best = a
		}
	}
	if tree.Best() != best {
		t.Errorf("action %d is chosen, in the reference %d", tree.Best(), best)
	}
	for _, c := range tree.Children(nil) {
		if math.Abs(float64(c.Improved)-policy[c.Action]) > 1e-5 {
			t.Errorf("the improved policy of action %d is %g, in the reference %g",
				c.Action, c.Improved, policy[c.Action])
		}
	}
	value := make([]float32, r.g.Players())
	tree.Value(value)
	for i, v := range value {
		want := 0.0
		for a, q := range s.q(r, "root", game.Player(i), legal, priors) {
			want += policy[a] * q
		}
		if math.Abs(float64(v)-want) > 1e-5 {
			t.Errorf("the value of player %d is %g, in the reference %g", i, v, want)
		}
	}
}
