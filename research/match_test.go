package research

import (
	"context"
	"errors"
	"testing"

	"tengen/arena"
	"tengen/game"
	_ "tengen/game/all"
	"tengen/player"
)

func TestSeconds(t *testing.T) {
	for s, want := range map[float64]string{
		0: "0 µs", 8.3e-7: "0.83 µs", 0.00099951: "1 ms", 0.9994: "999 ms", 0.9996: "1 s",
		12.34: "12.3 s", 99.96: "100 s", 3600: "3600 s",
	} {
		if got := Seconds(s); got != want {
			t.Errorf("%v is written %s, want %s", s, got, want)
		}
	}
}

// TestRowsInterrupted: rows that are interrupted return whole rounds, and count the games of all.
func TestRowsInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	match := arena.Match{
		Game: game.Must(game.New("tictactoe")),
		Players: []player.Player{
			player.UCT{Simulations: 20, C: 1, Utility: player.Unit}, player.Random{},
		},
		Seatings: [][]int{{0, 1}, {1, 0}}, Games: 4000, Seed: 1, Workers: 1, GamesPerWorker: 1,
	}
	ended := 0
	results, err := Rows(ctx, match, 3, func(finished int) {
		if ended = finished; finished == 200 {
			cancel()
		}
	})
	i := arena.InterruptedBy(err)
	if i == nil || !errors.Is(err, context.Canceled) || i.Games != len(results) ||
		i.Planned != 4000 || i.Games+i.LeftOut != ended || i.LeftOut > 3 || len(results) < 190 {
		t.Fatalf("%v: %+v, %d results of %d games", err, i, len(results), ended)
	}
	seats := [2]int{}
	for _, r := range results {
		seats[r.Seating]++
	}
	if seats[0] != seats[1] {
		t.Errorf("%d games in one seat, %d in the other", seats[0], seats[1])
	}
}
