package leduc

import (
	"testing"

	"tengen/game"
	"tengen/game/gametest"
)

func TestConform(t *testing.T) {
	for _, name := range []string{"leduc"} {
		t.Run(name, func(t *testing.T) { gametest.Conform(t, game.Must(game.New(name))) })
	}
}
