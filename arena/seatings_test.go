package arena

import (
	"reflect"
	"slices"
	"strings"
	"testing"
)

// naiveSeatings tries every assignment of players to seats.
func naiveSeatings(players, seats int) [][]int {
	var all [][]int
	seating := make([]int, seats)
	for {
		times := make([]int, players)
		for _, p := range seating {
			times[p]++
		}
		if players >= seats && slices.Max(times) == 1 || players < seats && slices.Min(times) >= 1 {
			all = append(all, slices.Clone(seating))
		}
		seat := seats - 1
		for ; seat >= 0 && seating[seat] == players-1; seat-- {
			seating[seat] = 0
		}
		if seat < 0 {
			return all
		}
		seating[seat]++
	}
}

func TestSeatings(t *testing.T) {
	for players := 1; players <= 5; players++ {
		for seats := 1; seats <= 5; seats++ {
			got, err := Seatings(players, seats)
			if err != nil {
				t.Fatal(err)
			}
			if want := naiveSeatings(players, seats); !reflect.DeepEqual(got, want) {
				t.Errorf("%d players, %d seats: %v, want %v", players, seats, got, want)
			}
			if n := countSeatings(players, seats); n != len(got) {
				t.Errorf("%d players, %d seats: %d are counted, want %d",
					players, seats, n, len(got))
			}
			// Each player has each seat equally often, and each pair of players each pair of
			// seats.
			alone, together := map[[2]int]int{}, map[[4]int]int{}
			for _, seating := range got {
				for a, p := range seating {
					alone[[2]int{a, p}]++
					for b, q := range seating {
						if p != q {
							together[[4]int{a, b, p, q}]++
						}
					}
				}
			}
			for _, n := range alone {
				if len(alone) != players*seats || n != alone[[2]int{0, 0}] {
					t.Errorf("%d players, %d seats: not balanced: %v", players, seats, alone)
					break
				}
			}
			for _, n := range together {
				if len(together) != players*(players-1)*seats*(seats-1) ||
					n != together[[4]int{0, 1, 0, 1}] {
					t.Errorf("%d players, %d seats: pairs are not balanced: %v",
						players, seats, together)
					break
				}
			}
		}
	}
}

func TestSeatingsRefuses(t *testing.T) {
	for _, c := range [][2]int{{8, 8}, {7, 8}, {101, 2}, {1 << 40, 8}} {
		if _, err := Seatings(c[0], c[1]); err == nil ||
			!strings.Contains(err.Error(), "fewer players") {
			t.Errorf("%d players at %d seats: %v", c[0], c[1], err)
		}
	}
	if _, err := Seatings(0, 2); err == nil {
		t.Error("no error without players")
	}
}

func TestSeatingOrder(t *testing.T) {
	const rounds, seatings = 3000, 6
	first := make([]int, seatings)
	for round := range rounds {
		order := seatingOrder(4, round, seatings)
		first[order[0]]++
		if again := seatingOrder(4, round, seatings); !slices.Equal(order, again) {
			t.Fatalf("round %d: %v, then %v", round, order, again)
		}
		slices.Sort(order)
		if !slices.Equal(order, []int{0, 1, 2, 3, 4, 5}) {
			t.Fatalf("round %d: seatings %v", round, order)
		}
	}
	squares := 0.0
	for _, n := range first {
		d := float64(n) - rounds/seatings
		squares += d * d / (rounds / seatings)
	}
	// χ² of 5 degrees is above 25.7 once in 10,000 times.
	if squares > 25.7 {
		t.Errorf("first seatings come %v times", first)
	}
}
