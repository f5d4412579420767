package gtp_test

import (
	"context"
	"os"
	"strings"

	"tengen/game"
	"tengen/interop/gtp"
	"tengen/player"
)

func ExampleEngine_Serve() {
	e, err := gtp.NewEngine(gtp.Config{
		Player: player.UCT{Simulations: 300, C: 0.8, Utility: player.Unit},
		Game:   game.Must(game.New("go:size=3,players=2,komi=[0,0.5],pass=free")),
		Name:   "Tengen",
	})
	if err != nil {
		panic(err)
	}
	err = e.Serve(context.Background(),
		strings.NewReader("1 genmove black\n2 play white B2\n3 final_score\n"), os.Stdout)
	if err != nil {
		panic(err)
	}
	// Output:
	// =1 B2
	//
	// ?2 illegal move
	//
	// =3 B+8.5
}
