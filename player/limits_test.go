package player

import (
	"testing"

	"tengen/configs"
	"tengen/descent"
	"tengen/game"
	"tengen/mcts"
)

// TestSearchesAcceptTheLimit: every search accepts the greatest settings that users may choose.
func TestSearchesAcceptTheLimit(t *testing.T) {
	for name, err := range map[string]error{
		"UCT":  mcts.UCT{Simulations: configs.MaxSimulations}.Validate(),
		"PUCT": mcts.PUCT{Simulations: configs.MaxSimulations}.Validate(),
		"descent": descent.Check(game.Must(game.New("tictactoe")), descent.Options{
			Iterations: configs.MaxSimulations, Terminal: descent.Terminal{Result: true},
		}),
	} {
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
