package sgf_test

import (
	"fmt"

	"tengen/game"
	"tengen/interop/sgf"
)

func ExampleParse() {
	record, err := sgf.Parse(
		[]byte("(;FF[4]GM[1]SZ[5]KM[0.5]PB[Ann]PW[Bob];B[cc];W[cb];B[bb](;W[db])(;W[dc]))"))
	if err != nil {
		panic(err)
	}
	g, err := record.Game(nil)
	if err != nil {
		panic(err)
	}
	state, err := record.Play(g, 3)
	if err != nil {
		panic(err)
	}
	fmt.Println(g.Name(), len(record.Moves), "moves")
	fmt.Print(state.(game.Drawn).Draw(false))
	// Output:
	// go:size=5,players=2,komi=[0,0.5],pass=free 4 moves
	//     a b c d e
	//  5  . . . . . 5
	//  4  . X O . . 4
	//  3  . . X . . 3
	//  2  . . . . . 2
	//  1  . . . . . 1
	//     a b c d e
	// X Black 2  O White 1.5  (White to move)
}
