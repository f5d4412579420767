package rating_test

import (
	"fmt"

	"tengen/arena/rating"
)

// Three players meet in games of three seats. The losers of most games tie.
func ExampleFit() {
	var games []rating.Game
	for i := range 120 {
		players := []int{i % 3, (i + 1) % 3, (i + 2) % 3} // each in each seat
		scores := make([]float64, 3)
		switch { // player 0 wins half the games, 1 a third, 2 a sixth
		case i%12 < 6:
			scores[(3-i%3)%3] = 25
		case i%12 < 10:
			scores[(4-i%3)%3] = 25
		default:
			scores[(5-i%3)%3] = 25
		}
		games = append(games, rating.Game{Players: players, Scores: scores})
	}
	r, err := rating.Fit(3, games, rating.Options{Anchor: 2})
	if err != nil {
		panic(err)
	}
	for i, x := range r.Ratings {
		fmt.Printf("player %d: %3.0f Elo, %3.0f to %3.0f\n", i, x.Elo, x.Low, x.High)
	}
	// Output:
	// player 0: 189 Elo, 105 to 281
	// player 1: 119 Elo,  29 to 215
	// player 2:   0 Elo,   0 to   0
}

func ExampleSPRT() {
	s := rating.SPRT{Elo0: 0, Elo1: 30, Alpha: 0.05, Beta: 0.05}
	var pairs []float64
	for i := 0; ; i++ {
		pairs = append(pairs, []float64{1, 0.5, 0.75, 0.5}[i%4])
		if _, _, _, verdict := s.Test(pairs); verdict != rating.Continue {
			fmt.Println(verdict, "after", len(pairs), "pairs")
			break
		}
	}
	// Output: H1 after 36 pairs
}
