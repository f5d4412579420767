package rating

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
)

// naive is the model as defined, one game at a time.
type naive struct {
	elo, seats []float64 // by player, by seat (nil: none)
	delta      [maxSeats + 1][maxSeats + 1]float64
}

// worth returns a seat's α.
func (n *naive) worth(g Game, s int) float64 {
	x := n.elo[g.Players[s]]
	if n.seats != nil {
		x += n.seats[s]
	}
	return math.Pow(10, x/400)
}

// odds returns the weight of a subset of the remaining seats, given as bits.
func (n *naive) odds(g Game, subset uint32, left int) float64 {
	t := bits.OnesCount32(subset)
	product := 1.0
	for s := range g.Players {
		if subset>>s&1 == 1 {
			product *= n.worth(g, s)
		}
	}
	return n.delta[left][t] * math.Pow(product, 1/float64(t))
}

// probability returns the probability of the game's result. Choices among the seats of
// one player are conditional on the number tied.
func (n *naive) probability(g Game) float64 {
	left := uint32(1)<<len(g.Players) - 1
	p := 1.0
	for bits.OnesCount32(left) > 1 {
		top := math.Inf(-1)
		same := true
		first := g.Players[bits.TrailingZeros32(left)]
		for s, score := range g.Scores {
			if left>>s&1 == 1 {
				top = max(top, score)
				same = same && g.Players[s] == first
			}
		}
		var chosen uint32
		for s, score := range g.Scores {
			if left>>s&1 == 1 && score == top {
				chosen |= 1 << s
			}
		}
		r, sum, own := bits.OnesCount32(left), 0.0, 0.0
		for subset := uint32(1); subset < 1<<len(g.Players); subset++ {
			if subset&^left != 0 || same && bits.OnesCount32(subset) != bits.OnesCount32(chosen) {
				continue
			}
			w := n.odds(g, subset, r)
			if same {
				w /= n.delta[r][bits.OnesCount32(subset)]
			}
			sum += w
			if subset == chosen {
				own = w
			}
		}
		p *= own / sum
		left &^= chosen
	}
	return p
}

// prior returns the logarithm of the prior of ratings, given the absent player's rating.
func (n *naive) prior(values []float64, absent, weight float64) float64 {
	sum := 0.0
	for _, x := range values {
		p := 1 / (1 + math.Pow(10, (absent-x)/400))
		sum += weight * (math.Log(p) + math.Log(1-p))
	}
	return sum
}

// play draws the result of a game of the given players.
func (n *naive) play(rng *rand.Rand, players []int) Game {
	g := Game{Players: players, Scores: make([]float64, len(players))}
	left := uint32(1)<<len(players) - 1
	for place := len(players); left != 0; place-- {
		r := bits.OnesCount32(left)
		var subsets []uint32
		var weights []float64
		sum := 0.0
		for subset := uint32(1); subset < 1<<len(players); subset++ {
			if subset&^left == 0 {
				subsets = append(subsets, subset)
				sum += n.odds(g, subset, r)
				weights = append(weights, sum)
			}
		}
		x := rng.Float64() * sum
		i := min(len(subsets)-1, slices.IndexFunc(weights, func(w float64) bool { return x < w }))
		for s := range players {
			if subsets[i]>>s&1 == 1 {
				g.Scores[s] = float64(place)
			}
		}
		left &^= subsets[i]
	}
	return g
}

// noTies returns a model without ties or seat advantages.
func noTies(elo ...float64) *naive {
	n := &naive{elo: elo}
	for r := range n.delta {
		n.delta[r][1] = 1
	}
	return n
}
