package selfplay

import (
	"fmt"
	"testing"

	"tengen/mcts"
	"tengen/nn"
	"tengen/player"
	"tengen/replay"
)

// BenchmarkLuck compares value targets with what searches found, in games of the pretrained networks
// with chance: the mean squared difference to the root's value (mse) and the mean difference for
// the first player (bias), of which the targets' noise is the greater part. It is no measure of
// speed: -benchtime 1x.
func BenchmarkLuck(b *testing.B) {
	for _, name := range []string{"tcg", "turtle"} {
		m, err := player.LoadModel("../checkpoints/pretrained/" + name + ".safetensors")
		if err != nil {
			b.Fatal(err)
		}
		s := settings(m.Game)
		s.PUCT = mcts.PUCT{Simulations: 100, C: 0.8, Reuse: true, Noise: mcts.Noise{Weight: 0.25, Concentration: 10}}
		s.Expected = true
		var c Counters
		var games []*replay.Game
		job := Job{Games: numbers(24), Weights: nn.Fold(m.Params)}
		if err := Play(b.Context(), s, job, 2, 32, &c, func(g *replay.Game) error { games = append(games, g); return nil }); err != nil {
			b.Fatal(err)
		}
		for _, bootstrap := range []float64{0, 0.1} {
			for _, noLuck := range []bool{false, true} {
				b.Run(fmt.Sprintf("%s/lambda=%g/subtract=%v", name, 1-bootstrap, noLuck), func(b *testing.B) {
					for b.Loop() {
						difference, square := targetErrors(b, s, games, replay.EncoderConfig{Bootstrap: bootstrap, NoLuck: noLuck})
						b.ReportMetric(square, "mse")
						b.ReportMetric(difference, "bias")
					}
				})
			}
		}
	}
}

// targetErrors returns the mean and the mean square of the first player's value target less the
// root's value, over an eighth of the decisions of some games.
func targetErrors(b *testing.B, s *Settings, games []*replay.Game, config replay.EncoderConfig) (difference, square float64) {
	e, err := replay.NewEncoder(s.Game, config)
	if err != nil {
		b.Fatal(err)
	}
	obs, value := make([]float32, s.Game.Planes().Size()), make([]float32, s.Game.Players())
	n := 0.0
	for _, g := range games {
		for ply, m := range g.Moves {
			if len(m.Value) == 0 || (ply+int(g.Number))%8 > 0 { // a row replays the game up to its ply
				continue
			}
			if err := e.Row(replay.Sample{Game: g, Ply: int32(ply)}, 0, obs, nil, nil, value); err != nil {
				b.Fatal(err)
			}
			d := float64(value[0] - m.Value[0])
			difference, square, n = difference+d, square+d*d, n+1
		}
	}
	return difference / n, square / n
}
