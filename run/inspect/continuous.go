package inspect

import (
	"encoding/json"
	"fmt"
	"math"

	"tengen/checkpoints"
	"tengen/configs"
	"tengen/game"
	"tengen/replay"
)

// VerifyContinuous checks a checkpoint of a continuous cycle against the games of its run, all of which are
// wanted (replay.keep_all). It returns an error unless games have the numbers from 0 on and random streams
// of their own, the checkpoint has learned from the first ones of them, all of their positions and no others, and its steps are those
// that training.samples_per_position asks for. Dropped updates and warm_start.initial_epochs change the number of steps, and are
// not provided for.
func VerifyContinuous(config *configs.Config, games []*replay.Game, c *checkpoints.Checkpoint) error {
	var s struct {
		Games      int `json:"games"`
		Continuous *struct {
			Streams   uint64  `json:"streams"`
			Positions uint64  `json:"positions"`
			Owed      float64 `json:"owed"`
		} `json:"continuous"`
	}
	if err := json.Unmarshal(c.State, &s); err != nil {
		return fmt.Errorf("the state of checkpoint %d: %w", c.Iteration, err)
	}
	if s.Continuous == nil {
		return fmt.Errorf("checkpoint %d is of another cycle", c.Iteration)
	}
	streams := map[uint64]uint64{}
	for i, g := range games {
		if g.Number != uint64(i) {
			return fmt.Errorf("game %d is in the place of game %d", g.Number, i)
		}
		if !g.EndOrder {
			return fmt.Errorf("game %d is of another cycle", g.Number)
		}
		if other, ok := streams[g.Stream]; ok {
			return fmt.Errorf("games %d and %d have the same random streams, %d", other, g.Number, g.Stream)
		}
		if streams[g.Stream] = g.Number; i < s.Games && g.Stream >= s.Continuous.Streams {
			return fmt.Errorf("game %d has the random streams %d, of which %d are used at checkpoint %d", g.Number, g.Stream, s.Continuous.Streams, c.Iteration)
		}
	}
	if s.Games > len(games) {
		return fmt.Errorf("checkpoint %d has learned from %d games, of which %d are there", c.Iteration, s.Games, len(games))
	}
	entered, err := positions(config, games[:s.Games])
	if err != nil {
		return err
	}
	if uint64(entered) != s.Continuous.Positions {
		return fmt.Errorf("checkpoint %d has taken %d positions, its games have %d", c.Iteration, s.Continuous.Positions, entered)
	}
	per, batch := config.Training.SamplesPerPosition, float64(config.Training.Batch)
	if per == 0 {
		return nil
	}
	owed := per*float64(entered) - float64(c.Step)*batch
	if owed < 0 || owed >= batch || math.Abs(owed-s.Continuous.Owed) > 1e-3 {
		return fmt.Errorf("checkpoint %d has made %d steps for %d positions, so that %g samples are owed; it says %g", c.Iteration, c.Step, entered, owed, s.Continuous.Owed)
	}
	return nil
}

// positions returns the number of positions for training in the games of a run.
func positions(c *configs.Config, games []*replay.Game) (int, error) {
	g, err := game.New(c.Game)
	if err != nil {
		return 0, err
	}
	descends := c.Algorithm == configs.AlgorithmDescent
	w, err := replay.NewWindow(g, replay.WindowConfig{
		Capacity: 1, HeldOut: c.Replay.HeldOut, Seed: c.Seed,
		Trees:    descends && c.Descent.Targets == configs.TargetsTree,
		FullOnly: !descends && c.Training.FastPositions == configs.FastNone,
	})
	if err != nil {
		return 0, err
	}
	for _, g := range games {
		if err := w.Add(g); err != nil {
			return 0, err
		}
	}
	return w.Added(false), nil
}
