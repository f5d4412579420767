package arena_test

import (
	"context"
	"fmt"
	"log"

	"tengen/arena"
	"tengen/game"
	_ "tengen/game/all"
	"tengen/player"
)

func ExampleTournament() {
	g, err := game.New("tictactoe")
	if err != nil {
		log.Fatal(err)
	}
	t := &arena.Tournament{
		Game: g,
		Players: []player.Player{
			player.UCT{Simulations: 100, C: 0.8, Utility: player.Unit}, player.Random{},
		},
		Games: 100, Seed: 1, Workers: 2, GamesPerWorker: 1,
	}
	s, err := t.Play(context.Background(), nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d games in %d rounds\n", s.Games, s.Rounds)
	fmt.Println("UCT wins more:", s.Players[0].Wins.Mean() > 0.8)
	// Output:
	// 100 games in 50 rounds
	// UCT wins more: true
}
