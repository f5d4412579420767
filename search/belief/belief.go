package belief

import (
	"fmt"
	"math"
	"math/rand/v2"

	"tengen/game"
)

// DefaultWorlds is the usual number of worlds of which one is drawn.
const DefaultWorlds = 128

// Sampler is a search.Dealer that draws determinizations by a belief. It is used by one goroutine.
type Sampler struct {
	facts  []game.HiddenFact
	worlds []world

	// The belief, about the information set of a seat.
	flat   bool
	key    uint64
	seat   game.Player
	logits []float32 // [classes of all facts]

	filled  bool    // worlds are of this information set
	oldest  int     // of the worlds
	scale   float64 // logarithm of the weight that counts as 1
	classes []int8  // [facts] scratch
}

// world is a determinization with its weight.
type world struct {
	state  game.State
	weight float64
}

// New makes a Sampler for games of g that draws one of so many worlds, at least 1. It returns an
// error if g offers no hidden facts.
func New(g game.Game, worlds int) (*Sampler, error) {
	facts := game.HiddenFactsOf(g)
	switch {
	case len(facts) == 0:
		return nil, fmt.Errorf("%s offers no hidden facts that a belief could be about", g.Name())
	case worlds < 1:
		return nil, fmt.Errorf("%d worlds to draw one from; at least 1 is wanted", worlds)
	}
	b := &Sampler{
		facts: facts, flat: true, worlds: make([]world, worlds),
		logits: make([]float32, game.HiddenFactClasses(facts)), classes: make([]int8, len(facts)),
	}
	for i := range b.worlds {
		b.worlds[i].state = g.NewState()
	}
	return b, nil
}

// Classes returns the number of logits of a belief.
func (b *Sampler) Classes() int { return len(b.logits) }

// Forget makes the belief flat.
func (b *Sampler) Forget() { b.flat = true }

// Set takes the belief of seat in the information set of s: the logarithm of the likelihood of each
// class of each hidden fact, up to a constant for each, [Classes]. What is given for facts that
// seat knows does not count. -Inf rules a class out. If all worlds at hand are ruled out, or have
// weights that are not numbers, they are equally likely.
func (b *Sampler) Set(s game.State, seat game.Player, logits []float32) {
	copy(b.logits, logits)
	s.(game.HiddenFactState).HiddenFacts(seat, b.classes)
	b.flat, b.filled, b.seat = true, false, seat
	b.key = s.(game.ImperfectInformation).InformationStateKey(seat)
	first := 0
	for i, class := range b.classes {
		own := b.logits[first : first+b.facts[i].Classes]
		first += len(own)
		if class < 0 {
			continue
		}
		for _, z := range own {
			b.flat = b.flat && z == own[0]
		}
	}
}

// Flat reports whether the belief is flat: draws are those of Determinize.
func (b *Sampler) Flat() bool { return b.flat }

// Deal implements search.Dealer. It does not allocate. For a flat belief, in an information set for
// which none was Set, and for a choice of one world, it draws from rng exactly what Determinize
// draws.
func (b *Sampler) Deal(s game.State, seat game.Player, rng *rand.Rand) {
	if b.flat || len(b.worlds) == 1 || seat != b.seat ||
		s.(game.ImperfectInformation).InformationStateKey(seat) != b.key {
		s.(game.ImperfectInformation).Determinize(rng, seat)
		return
	}
	if b.filled {
		b.renew(b.oldest, rng)
		if b.oldest++; b.oldest == len(b.worlds) {
			b.oldest = 0
		}
	} else {
		b.fill(s, rng)
	}
	s.CopyFrom(b.worlds[b.choose(rng)].state)
}

// fill draws all worlds.
func (b *Sampler) fill(s game.State, rng *rand.Rand) {
	b.filled, b.oldest, b.scale = true, 0, math.Inf(-1)
	for i := range b.worlds {
		w := &b.worlds[i]
		w.state.CopyFrom(s)
		w.state.(game.ImperfectInformation).Determinize(rng, b.seat)
		w.weight = b.weigh(w.state)
		b.scale = max(b.scale, w.weight)
	}
	if math.IsInf(b.scale, 0) || math.IsNaN(b.scale) {
		b.scale = 0
	}
	for i := range b.worlds {
		w := &b.worlds[i]
		w.weight = math.Exp(w.weight - b.scale)
	}
}

// renew draws a world anew.
func (b *Sampler) renew(i int, rng *rand.Rand) {
	w := &b.worlds[i]
	// What is drawn depends on what the seat sees alone, so that it may begin with any world.
	w.state.(game.ImperfectInformation).Determinize(rng, b.seat)
	w.weight = math.Exp(b.weigh(w.state) - b.scale)
}

// weigh returns the logarithm of a world's weight.
func (b *Sampler) weigh(s game.State) float64 {
	s.(game.HiddenFactState).HiddenFacts(b.seat, b.classes)
	w, first := 0.0, 0
	for i, class := range b.classes {
		if class >= 0 {
			w += float64(b.logits[first+int(class)])
		}
		first += b.facts[i].Classes
	}
	return w
}

// choose draws a world in proportion to the weights.
func (b *Sampler) choose(rng *rand.Rand) int {
	total := 0.0
	for i := range b.worlds {
		total += b.worlds[i].weight
	}
	if !(total > 0) || math.IsInf(total, 0) {
		return rng.IntN(len(b.worlds))
	}
	x := rng.Float64() * total
	for i := range b.worlds {
		if x -= b.worlds[i].weight; x < 0 {
			return i
		}
	}
	return len(b.worlds) - 1 // x was 0 but for rounding
}

// Distributions writes the belief b_f = softmax(log π_f + z_f) for each hidden fact, given the
// priors and the logits, [classes of all facts]. The classes of a fact that is known are 0, as its
// priors are.
func Distributions(facts []game.HiddenFact, dst, priors, logits []float32) {
	for i := range facts {
		n := facts[i].Classes
		p, z, d := priors[:n], logits[:n], dst[:n]
		priors, logits, dst = priors[n:], logits[n:], dst[n:]
		top := math.Inf(-1)
		for x, prior := range p {
			if prior > 0 {
				top = max(top, float64(z[x]))
			}
		}
		sum := 0.0
		for x, prior := range p {
			if prior > 0 {
				sum += float64(prior) * math.Exp(float64(z[x])-top)
			}
		}
		for x, prior := range p {
			d[x] = 0
			if prior > 0 {
				d[x] = float32(float64(prior) * math.Exp(float64(z[x])-top) / sum)
			}
		}
	}
}
