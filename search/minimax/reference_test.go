package minimax

import (
	"math/rand/v2"
	"slices"

	"tengen/game"
	"tengen/internal/random"
)

// reference is search by the textbook definition, on copies of states, without pruning or
// shared memory.
type reference struct {
	g         game.Game
	h         game.Heuristic
	me        game.Player
	opponents Opponents
	samples   int
	seed      uint64
	limit     int   // Turn of the leaves, where the game counts turns
	most      int64 // nodes; beyond, the result is none
	leaves    int64
	nodes     int64
	cut       bool
}

// choice is the expected result of a searcher.
type choice struct {
	actions []game.Action
	values  []float64
	vectors [][]float64
	best    int // the first of greatest value
	leaves  int64
	nodes   int64
	cut     bool
}

// mostNodes bounds the searches of the reference.
const mostNodes = 10000

// refer searches s to a depth. If the search has more than mostNodes nodes, only their number
// is valid.
func refer(
	g game.Game, h game.Heuristic, s game.State, depth int, opponents Opponents, samples int,
	seed uint64,
) choice {
	r := &reference{
		g: g, h: h, me: s.CurrentPlayer(), opponents: opponents, samples: samples, seed: seed,
		most: mostNodes,
	}
	if t, ok := s.(game.Turned); ok {
		r.limit = t.Turn() + depth
	}
	c := choice{actions: s.LegalActions(nil)}
	for i, a := range c.actions {
		next := r.after(s, a)
		owner := r.me
		if g.Players() == 1 {
			owner = game.Nobody
		}
		var vector []float64
		switch opponents {
		case BestReply:
			vector = make([]float64, g.Players())
			vector[r.me] = r.gain(s, a, r.me) + r.reply(next, depth, r.me, game.Nobody, game.Nobody)
		default:
			vector = r.vector(next, depth, owner)
			for p := range vector {
				vector[p] = r.gain(s, a, game.Player(p)) + vector[p]
			}
		}
		c.vectors = append(c.vectors, vector)
		c.values = append(c.values, vector[r.me])
		if c.values[i] > c.values[c.best] {
			c.best = i
		}
	}
	c.leaves, c.nodes, c.cut = r.leaves, r.nodes, r.cut
	return c
}

func (r *reference) after(s game.State, a game.Action) game.State {
	r.nodes++
	next := r.g.NewState()
	next.CopyFrom(s)
	next.Apply(a)
	return next
}

func (r *reference) gain(s game.State, a game.Action, p game.Player) float64 {
	if r.h.Gain == nil {
		return 0
	}
	return r.h.Gain(s, a, p)
}

func (r *reference) outcomes(s game.State) []game.Outcome {
	if r.samples == 0 {
		return s.(game.Chancer).Outcomes(nil)
	}
	rng := rand.New(rand.NewPCG(random.Seeds(r.seed, s.Hash())))
	var list []game.Outcome
	for range r.samples {
		list = append(list, game.Outcome{
			Action: s.(game.Chancer).Sample(rng), Probability: 1 / float64(r.samples),
		})
	}
	return list
}

// leaf returns the value of s for every player, if it is a leaf.
func (r *reference) leaf(s game.State, left int) []float64 {
	over := s.CurrentPlayer() == game.Nobody
	if r.nodes > r.most {
		return make([]float64, r.g.Players())
	}
	if !over && left > 0 {
		return nil
	}
	r.cut = r.cut || !over
	r.leaves++
	vector := make([]float64, r.g.Players())
	for p := range vector {
		vector[p] = r.h.Value(s, game.Player(p))
	}
	return vector
}

// vector returns the value to every player, with paranoid or max^n opponents.
func (r *reference) vector(s game.State, left int, owner game.Player) []float64 {
	m := s.CurrentPlayer()
	if t, ok := s.(game.Turned); ok {
		left = r.limit - t.Turn()
	} else if m >= 0 && m != owner {
		left, owner = left-1, m
	}
	if v := r.leaf(s, left); v != nil {
		return v
	}
	mean := make([]float64, r.g.Players())
	if m == game.Chance {
		for _, o := range r.outcomes(s) {
			for p, v := range r.vector(r.after(s, o.Action), left, owner) {
				mean[p] += float64(o.Probability * v)
			}
		}
		return mean
	}
	if r.g.Players() == 1 {
		owner = game.Nobody
	}
	var best []float64
	for _, a := range s.LegalActions(nil) {
		v := r.vector(r.after(s, a), left, owner)
		for p := range v {
			v[p] = r.gain(s, a, game.Player(p)) + v[p]
		}
		better := best == nil
		switch {
		case better:
		case r.opponents == MaxN:
			better = v[m] > best[m]
		case m == r.me:
			better = v[m] > best[m]
		default:
			better = v[r.me] < best[r.me]
		}
		if better {
			best = v
		}
	}
	return best
}

// reply returns the value to the player at the root in best-reply search.
func (r *reference) reply(s game.State, left int, owner, replier, skipped game.Player) float64 {
	m := s.CurrentPlayer()
	if m >= 0 && m != owner {
		if owner == r.me || m == r.me {
			left, replier = left-1, game.Nobody
		}
		owner, skipped = m, game.Nobody
	}
	if v := r.leaf(s, left); v != nil {
		return v[r.me]
	}
	if m == game.Chance {
		mean := 0.0
		for _, o := range r.outcomes(s) {
			mean += float64(o.Probability * r.reply(r.after(s, o.Action), left, owner,
				replier, skipped))
		}
		return mean
	}
	var values []float64
	if m == r.me || replier == m || replier == game.Nobody && skipped != m {
		next := replier
		if m != r.me {
			next = m
		}
		for _, a := range s.LegalActions(nil) {
			values = append(values,
				r.gain(s, a, r.me)+r.reply(r.after(s, a), left, owner, next, skipped))
		}
		if m == r.me {
			return slices.Max(values)
		}
	}
	if replier != m {
		passed, gain := r.passOver(s, m)
		follows := passed
		for follows.CurrentPlayer() == game.Chance {
			follows = r.copyAfter(follows, follows.(game.Chancer).Outcomes(nil)[0].Action)
		}
		if values == nil ||
			follows.CurrentPlayer() != r.me && follows.CurrentPlayer() != game.Nobody {
			r.nodes++
			values = append(values, gain+r.reply(passed, left, owner, replier, m))
		}
	}
	return slices.Min(values)
}

func (r *reference) copyAfter(s game.State, a game.Action) game.State {
	r.nodes--
	return r.after(s, a)
}

// passOver returns s with m passed over, and the gain of the player at the root.
func (r *reference) passOver(s game.State, m game.Player) (game.State, float64) {
	next := r.g.NewState()
	if _, ok := next.(game.Skipper); ok {
		next.CopyFrom(s)
		next.(game.Skipper).Skip()
		return next, 0
	}
	legal := s.LegalActions(nil)
	best, top := -1, 0.0
	for i, a := range legal {
		if v := r.gain(s, a, m) + r.h.Value(r.copyAfter(s, a), m); best < 0 || v > top {
			best, top = i, v
		}
	}
	return r.copyAfter(s, legal[best]), r.gain(s, legal[best], r.me)
}
