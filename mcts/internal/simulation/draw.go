package simulation

import (
	"math"
	"math/rand/v2"

	"tengen/game"
	"tengen/search"
)

// Draw draws an action with probability proportional to visits^(1/temperature), less those
// pruned. If there are none left it draws from the priors of the actions without visits: what is
// pruned is known to be worse. The temperature is greater than 0. Draw returns game.NoAction if
// there are neither visits nor priors.
func Draw(children []search.Child, temperature float64, rng *rand.Rand) game.Action {
	most := 0.0
	weigh := func(c *search.Child) float64 { return float64(c.Visits - c.Pruned) }
	for i := range children {
		most = max(most, weigh(&children[i]))
	}
	if most == 0 {
		weigh = func(c *search.Child) float64 {
			if c.Visits > 0 {
				return 0
			}
			return float64(c.Prior)
		}
		for i := range children {
			most = max(most, weigh(&children[i]))
		}
	}
	if most == 0 {
		return game.NoAction
	}
	sum := 0.0
	power := func(c *search.Child) float64 {
		w := weigh(c)
		if w == 0 {
			return 0
		}
		return math.Pow(w/most, 1/temperature)
	}
	for i := range children {
		sum += power(&children[i])
	}
	x := rng.Float64() * sum
	last := game.NoAction
	for i := range children {
		if w := power(&children[i]); w > 0 {
			last = children[i].Action
			if x -= w; x < 0 {
				break
			}
		}
	}
	return last
}

// Means writes the means of utilities summed over visits, 0 without visits.
func Means(dst []float32, sums []float64, visits int32) {
	for p, sum := range sums {
		dst[p] = 0
		if visits > 0 {
			dst[p] = float32(sum / float64(visits))
		}
	}
}
