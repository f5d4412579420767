package arena

import (
	"fmt"

	"tengen/internal/random"
)

// maxSeatings bounds the games of a round.
const maxSeatings = 10_000

// Seatings lists every way in which players can fill seats, in lexicographic order: element p
// of a seating is the number of the player in seat p. If there are at least as many players as
// seats, no player has two seats: the seatings are the permutations of len(seats) players out
// of all. Otherwise every player has at least one seat. In both cases every player has each
// seat equally often. It returns an error if there are more than 10,000 seatings.
func Seatings(players, seats int) ([][]int, error) {
	if players < 1 || seats < 1 {
		return nil, fmt.Errorf("%d players at %d seats: at least one of each is wanted",
			players, seats)
	}
	if n := countSeatings(players, seats); n > maxSeatings {
		return nil, fmt.Errorf("%d players can fill %d seats in %d ways, and a round plays each; at most %d are possible: fewer players are wanted", players, seats, n, maxSeatings)
	}
	var all [][]int
	seating := make([]int, seats)
	times := make([]int, players) // seats that each has so far
	absent := players
	var sit func(seat int)
	sit = func(seat int) {
		if seat == seats {
			all = append(all, append([]int(nil), seating...))
			return
		}
		for p := range players {
			if players >= seats && times[p] > 0 {
				continue
			}
			if players < seats && times[p] > 0 && seats-seat == absent {
				continue // the remaining seats are for players without one
			}
			seating[seat] = p
			if times[p]++; times[p] == 1 {
				absent--
			}
			sit(seat + 1)
			if times[p]--; times[p] == 0 {
				absent++
			}
		}
	}
	sit(0)
	return all, nil
}

// countSeatings returns the number of seatings, or any number above maxSeatings if there are
// more.
func countSeatings(players, seats int) int {
	n := 1
	if players >= seats {
		for i := range seats {
			if n *= players - i; n > maxSeatings {
				break
			}
		}
		return n
	}
	// Count surjections of s seats onto m players by the player of the last seat: f(s, m) =
	// m·(f(s−1, m) + f(s−1, m−1)). There are at most 8 seats.
	f := make([]int, players+1)
	f[0] = 1
	for range seats {
		for m := players; m > 0; m-- {
			f[m] = m * (f[m] + f[m-1])
		}
		f[0] = 0
	}
	return f[players]
}

// seatingOrder returns the order in which the seatings of a round are played.
func seatingOrder(seed uint64, round, seatings int) []int {
	return random.New(seed, random.Seats, uint64(round)).Perm(seatings)
}
