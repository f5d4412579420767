package phantom

import (
	"testing"

	"tengen/game"
	"tengen/game/gametest"
)

func TestConform(t *testing.T) {
	for _, name := range []string{
		"phantom", "phantom:rows=2,columns=3", "phantom:rows=2,columns=2,in_row=2",
		"phantom:rows=1,columns=3",
	} {
		t.Run(name, func(t *testing.T) { gametest.Conform(t, game.Must(game.New(name))) })
	}
}
