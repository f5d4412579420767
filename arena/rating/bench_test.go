package rating

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// evaluated returns the games of the evaluations of a run: each network plays in each seat against
// player 0 in the others, and rounds against the network before. Networks grow stronger.
func evaluated(networks, seats, games, rounds int) []Game {
	rng := rand.New(rand.NewPCG(1, 2))
	elo := []float64{0}
	for i := range networks {
		elo = append(elo, -300+600*float64(i)/float64(networks)+20*rng.NormFloat64())
	}
	n := noTies(elo...)
	var list []Game
	group := 0
	for i := 1; i <= networks; i++ {
		for k := range games * seats {
			players := make([]int, seats)
			players[k%seats] = i
			list = append(list, n.play(rng, players))
		}
		if i == 1 {
			continue
		}
		for range rounds {
			group++
			for alone := range 2 {
				for s := range seats {
					players := make([]int, seats)
					for z := range players {
						players[z] = i - 1 + alone
					}
					players[s] = i - alone
					g := n.play(rng, players)
					g.Group = group
					list = append(list, g)
				}
			}
		}
	}
	return list
}

// BenchmarkFit rates the networks of a run, as an evaluation does.
func BenchmarkFit(b *testing.B) {
	for _, seats := range []int{2, 3} {
		for _, networks := range []int{25, 100} {
			games := evaluated(networks, seats, 40, 5)
			b.Run(fmt.Sprintf("seats=%d/networks=%d", seats, networks), func(b *testing.B) {
				for b.Loop() {
					if _, err := Fit(networks+1, games, Options{Seats: true}); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
