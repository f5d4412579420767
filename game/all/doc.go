// Package all registers every game of this module with package game. Import it
// for that alone:
//
//	import _ "tengen/game/all"
package all

import (
	_ "tengen/game/backgammon"  // backgammon
	_ "tengen/game/connectfour" // connect-four
	_ "tengen/game/goban"       // go
	_ "tengen/game/kuhn"        // kuhn
	_ "tengen/game/leduc"       // leduc
	_ "tengen/game/mnk"         // mnk, tictactoe
	_ "tengen/game/phantom"     // phantom
	_ "tengen/game/tcg"         // tcg
	_ "tengen/game/turtle"      // turtle
)
