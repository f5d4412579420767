package mcts_test

import (
	"math"
	"math/rand/v2"
	"slices"

	"tengen/game"
	"tengen/mcts"
)

// slowGumbel is what Gumbel adds to the slow search, written from the formulas of the paper and
// of mctx with maps.
type slowGumbel struct {
	o       mcts.Gumbel
	noisy   bool
	virtual float64 // virtual loss, below the root

	g          map[game.Action]float64
	root       *slowNode
	before     map[game.Action]int // visits when the search began
	considered []game.Action
}

func (s *slowGumbel) begin(r *slow) {
	n := r.root
	s.root = n
	legal := n.state.LegalActions(nil)
	s.g, s.before = map[game.Action]float64{}, map[game.Action]int{}
	for _, a := range legal {
		if s.noisy {
			s.g[a] = standardGumbel(r.rng)
		}
		if c := n.children[a]; c != nil {
			s.before[a] = c.visits
		}
	}
	scores := s.scores(n)
	s.considered = slices.Clone(legal)
	slices.SortStableFunc(s.considered, func(a, b game.Action) int {
		switch {
		case scores[a] > scores[b]:
			return -1
		case scores[a] < scores[b]:
			return 1
		}
		return 0
	})
	s.considered = slices.DeleteFunc(s.considered, n.isProven)
	s.considered = s.considered[:min(len(s.considered), s.o.Considered)]
	slices.Sort(s.considered)
}

func standardGumbel(rng *rand.Rand) float64 { return -math.Log(rng.ExpFloat64()) }

// q returns the completed Q of the player to move in n.
func (s *slowGumbel) q(n *slowNode, p game.Player) map[game.Action]float64 {
	mean := func(c *slowNode) float64 {
		if n == s.root {
			return c.sum[p] / float64(c.visits)
		}
		return c.sum[p] / (float64(c.visits) + s.virtual*float64(c.unseen))
	}
	visits, mass, weighted, below := 0.0, 0.0, 0.0, 0.0
	for a, c := range n.children {
		if c.visits > 0 {
			visits += float64(c.visits)
			below += c.sum[p]
			mass += float64(n.priors[a])
			weighted += float64(n.priors[a]) * mean(c)
		}
	}
	// Evaluations of the node itself: one, or several if the tree was full.
	raw := (n.sum[p] - below) / (float64(n.visits) - visits)
	mixed := raw
	if visits > 0 {
		mixed = (raw + visits/mass*weighted) / (1 + visits)
	}
	q := map[game.Action]float64{}
	for _, a := range n.state.LegalActions(nil) {
		q[a] = mixed
		if c := n.children[a]; c != nil && c.visits > 0 {
			q[a] = mean(c)
		}
	}
	return q
}

func (s *slowGumbel) sigma(n *slowNode) map[game.Action]float64 {
	q := s.q(n, n.state.CurrentPlayer())
	lo, hi, most := math.Inf(1), math.Inf(-1), 0
	for a, x := range q {
		lo, hi = min(lo, x), max(hi, x)
		if c := n.children[a]; c != nil {
			most = max(most, c.visits)
		}
	}
	for a, x := range q {
		switch scale := (s.o.VisitOffset + float64(most)) * s.o.ValueScale; {
		case n != s.root && s.o.Interior == mcts.ByPolicy:
			q[a] = 0
		case s.o.Unscaled:
			q[a] = scale * x
		default:
			q[a] = scale * (x - lo) / max(hi-lo, 1e-8)
		}
	}
	return q
}

// scores are g + logit + sigma of the root's actions.
func (s *slowGumbel) scores(n *slowNode) map[game.Action]float64 {
	scores := s.sigma(n)
	for a := range scores {
		scores[a] += s.g[a] + math.Log(float64(n.priors[a]))
	}
	return scores
}

// policy is the improved policy.
func (s *slowGumbel) policy(n *slowNode) map[game.Action]float64 {
	p := s.sigma(n)
	hi, sum := math.Inf(-1), 0.0
	for _, x := range p {
		hi = max(hi, x)
	}
	for a, x := range p {
		p[a] = float64(n.priors[a]) * math.Exp(x-hi)
		sum += p[a]
	}
	for a := range p {
		p[a] /= sum
	}
	return p
}

// value is the expected utility of a player under the improved policy.
func (s *slowGumbel) value(n *slowNode, p game.Player) float64 {
	q, v := s.q(n, p), 0.0
	for a, share := range s.policy(n) {
		v += share * q[a]
	}
	return v
}

// halving returns the visits that are due at simulation i of n with m actions considered: mctx's
// sequence of considered visits. It continues beyond n, since simulations that collide count
// until they are dropped.
func halving(m, n, i int) int {
	if m <= 1 {
		return i
	}
	var due []int
	phases := math.Ceil(math.Log2(float64(m)))
	visits := make([]int, m)
	for k := m; len(due) <= i; k = max(2, k/2) {
		for range max(1, int(float64(n)/(phases*float64(k)))) {
			for j := range k {
				due = append(due, visits[j])
				visits[j]++
			}
		}
	}
	return due[i]
}

func (s *slowGumbel) chooseRoot(r *slow) game.Action {
	n := r.root
	counts, done := map[game.Action]int{}, 0
	for a, c := range n.children {
		counts[a] = c.visits + c.unseen - s.before[a]
		done += counts[a]
	}
	due := halving(len(s.considered), r.simulations, done)
	scores := s.scores(n)
	try := func(candidates []game.Action) game.Action {
		best := game.NoAction
		for _, a := range candidates {
			if r.full && n.children[a] == nil || n.isProven(a) {
				continue
			}
			// Where no action has as many visits as are due, the most of those with fewer are
			// next to it, then the fewest of those with more.
			distance := func(a game.Action) int {
				if counts[a] > due {
					return 1_000_000 + counts[a]
				}
				return due - counts[a]
			}
			if best == game.NoAction || distance(a) < distance(best) ||
				distance(a) == distance(best) && scores[a] > scores[best] {
				best = a
			}
		}
		return best
	}
	if a := try(s.considered); a != game.NoAction {
		return a
	}
	return try(n.state.LegalActions(nil))
}

// best is the choice of the search among actions that are not proven, game.NoAction if all are.
func (s *slowGumbel) best(n *slowNode) game.Action {
	scores := s.scores(n)
	visits := func(a game.Action) int {
		if c := n.children[a]; c != nil {
			return c.visits - s.before[a]
		}
		return 0
	}
	best := game.NoAction
	for _, candidates := range [][]game.Action{s.considered, n.state.LegalActions(nil)} {
		if best != game.NoAction {
			break
		}
		for _, a := range candidates {
			if !n.isProven(a) &&
				(best == game.NoAction || visits(a) > visits(best) ||
					visits(a) == visits(best) && scores[a] > scores[best]) {
				best = a
			}
		}
	}
	return best
}

func (s *slowGumbel) chooseInterior(r *slow, n *slowNode) game.Action {
	started := 0
	for _, c := range n.children {
		started += c.visits + c.unseen
	}
	best, most := game.NoAction, 0.0
	policy := s.policy(n)
	for _, a := range n.state.LegalActions(nil) {
		score := policy[a]
		if c := n.children[a]; c != nil {
			score -= float64(c.visits+c.unseen) / float64(1+started)
		} else if r.full {
			continue
		}
		if n.isLoss(a) {
			continue
		}
		if best == game.NoAction || score > most {
			best, most = a, score
		}
	}
	return best
}
