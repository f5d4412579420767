package turtle

import (
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"tengen/game"
	"tengen/internal/random"
)

// slowRollout is Rollout by the rules alone: of each random word it takes the same parts, scores
// every action, and applies them and the draws one by one.
func slowRollout(q Strategy, s game.State, epsilon float64, rng *rand.Rand) {
	t := baseOf(s)
	for t.phase < play {
		t.Apply(t.Sample(rng))
	}
	pile := t.deck.cards()
	word := uint64(0)
	if t.phase == draw {
		word = rng.Uint64()
	}
	for t.phase != over {
		if t.phase == draw {
			if len(pile) == 0 {
				pile = t.deck.cards()
			}
			i := drawn(word, len(pile))
			c := pile[i]
			pile[i] = pile[len(pile)-1]
			pile = pile[:len(pile)-1]
			t.Apply(Draw(c))
			continue
		}
		word = rng.Uint64()
		legal := t.LegalActions(nil)
		set := legal
		if word>>epsilonFrom >= q.randomBelow(epsilon) {
			set = nil
			top := -1000
			for _, a := range legal {
				v := q.score(t, a, t.owner[t.mover])
				if v > top {
					top, set = v, nil
				}
				if v == top {
					set = append(set, a)
				}
			}
		}
		t.Apply(set[chosen(word, len(set))])
	}
}

// Rollouts and playouts from random positions end as the slow ones do: the whole state is the same,
// and so is the random source.
func TestRolloutsAgree(t *testing.T) {
	played := map[Strategy]int{}
	for _, name := range append(slices.Clone(names), "turtle:hand=1,squares=3",
		"turtle:players=4,hand=3,deck=[1,1,1,1,1,1,1]", "turtle:deck=[20,0,0,20,0,20,20]",
		"turtle:history=2,max_turns=30") {
		g := made(t, name)
		fast, slow := g.NewState(), g.NewState()
		for i := range uint64(12) {
			rng := random.New(1, random.Test, 7, i)
			playBoth(g, rng, func(s game.State, _ *naive) {
				if rng.IntN(4) > 0 {
					return
				}
				q, epsilon, seed := Strategy(rng.IntN(strategies)),
					[]float64{0, 0.1, 1}[rng.IntN(3)], rng.Uint64()
				played[q]++
				fast.CopyFrom(s)
				slow.CopyFrom(s)
				r1, r2 := random.New(seed, random.Test), random.New(seed, random.Test)
				q.Rollout(fast, epsilon, r1)
				slowRollout(q, slow, epsilon, r2)
				if *baseOf(fast) != *baseOf(slow) {
					t.Fatalf("%s: %s, epsilon %g, from %s: a rollout ends in\n%s\nand by the rules in\n%s", name, q, epsilon, baseOf(s).Position(), baseOf(fast).Position(),
						baseOf(slow).Position())
				}
				if r1.Uint64() != r2.Uint64() {
					t.Fatalf("%s: %s: a rollout takes other random numbers", name, q)
				}
			})
		}
	}
	for q := range Strategy(strategies) {
		if played[q] < 100 {
			t.Errorf("only %d rollouts of %s", played[q], q)
		}
	}
}

// The parts of a word are uniform.
func TestPartsOfAWord(t *testing.T) {
	rng := random.New(1, random.Test, 8)
	const n, words = 13, 130000
	var draws, choices [n]int
	for range words {
		w := rng.Uint64()
		draws[drawn(w, n)]++
		choices[chosen(w, n)]++
	}
	for i := range n {
		for _, k := range []int{draws[i], choices[i]} {
			if k < words/n*95/100 || k > words/n*105/100 {
				t.Errorf("%d is drawn %d and chosen %d times of %d", i, draws[i], choices[i], words)
			}
		}
	}
	if drawn(1<<64-1, mostCards) != mostCards-1 || chosen(1<<64-1, 35) != 34 ||
		bits.Len64(alwaysRandom) != epsilonBits+1 {
		t.Error("the greatest parts of a word are not the last cards and actions")
	}
}
