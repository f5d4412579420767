package multigo

import (
	"context"
	"reflect"
	"testing"

	"tengen/arena"
	"tengen/game"
	_ "tengen/game/all"
	"tengen/player"
)

// TestVariant: a player of a variant with the same rules plays the same games as the player
// itself; a player of a variant with another reward plays by that reward, in the position of
// the actual game.
func TestVariant(t *testing.T) {
	base := game.Must(game.New("go:size=3,players=3"))
	uct := player.UCT{Simulations: 40, C: 0.8, Utility: player.Unit}
	lines := func(p player.Player) (list []uint64) {
		m := arena.Match{
			Game: base, Players: []player.Player{p, player.Random{}},
			Seatings: [][]int{{0, 1, 1}, {1, 0, 1}, {1, 1, 0}},
			Games:    30, Seed: 3, Workers: 2, GamesPerWorker: 3,
		}
		results, err := m.Play(context.Background(), nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range results {
			list = append(list, r.Line)
		}
		return list
	}
	plain := lines(uct)
	if !reflect.DeepEqual(plain, lines(variant{uct, base})) {
		t.Error("the same rules, other games")
	}
	if reflect.DeepEqual(plain,
		lines(variant{uct, game.Must(game.New("go:size=3,players=3,reward=win"))})) {
		t.Error("another reward changes no game of 30")
	}
}
