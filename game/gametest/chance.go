package gametest

import (
	"fmt"
	"math"
	"math/rand/v2"

	"tengen/game"
)

// checkChance checks that outcomes are valid, that their probabilities sum to one, and
// that samples follow them.
func checkChance(c *checker) error {
	const samples, counted = 4, 20
	counts := 0 // chance states at which frequencies were counted
	return c.each(func(s game.State, rng *rand.Rand) error {
		if s.CurrentPlayer() != game.Chance {
			return nil
		}
		x := s.(game.Chancer)
		outcomes := x.Outcomes(nil)
		before := []game.Outcome{{Action: -7, Probability: 3}}
		if got := x.Outcomes(before); len(got) != 1+len(outcomes) || got[0] != before[0] {
			return fmt.Errorf("appending the outcomes %v to %v gives %v", outcomes, before, got)
		}
		var sum float64
		p := map[game.Action]float64{}
		for _, o := range outcomes {
			if _, twice := p[o.Action]; twice || !(o.Probability > 0) || o.Action < 0 {
				return fmt.Errorf("the outcomes %v repeat an action, or have one that is negative or without probability", outcomes)
			}
			p[o.Action] = o.Probability
			sum += o.Probability
		}
		if math.Abs(sum-1) > 1e-9 {
			return fmt.Errorf("the probabilities of the outcomes %v sum to %v", outcomes, sum)
		}
		n := samples
		if counts < counted {
			n = 100 * len(outcomes)
			counts++
		}
		was := c.look(s)
		drawn := map[game.Action]int{}
		for range n {
			a := x.Sample(rng)
			if _, ok := p[a]; !ok {
				return fmt.Errorf("chance drew %d, which is not among the outcomes %v", a, outcomes)
			}
			drawn[a]++
		}
		if err := was.differs(c.look(s)); err != nil {
			return fmt.Errorf("a state before and after chance drew from it: %w", err)
		}
		if n == samples {
			return nil
		}
		for a, q := range p {
			// Six standard deviations of the binomial distribution, plus one.
			if expected := q * float64(n); math.Abs(float64(drawn[a])-expected) >
				6*math.Sqrt(expected*(1-q))+1 {
				return fmt.Errorf("chance drew %d in %d of %d cases; its probability is %v",
					a, drawn[a], n, q)
			}
		}
		return nil
	})
}
