package trainer

import (
	"encoding/json"
	"fmt"
	"math"

	"tengen/checkpoints"
	"tengen/replay"
)

// VerifyContinuous checks a checkpoint of a continuous cycle against the games of its run, all of which are
// wanted (replay.keep_all). It returns an error unless games have the numbers from 0 on and random streams
// of their own, the checkpoint has learned from the first ones of them, all of their positions and no others, and its steps are those
// that training.samples_per_position asks for. Dropped updates and warm_start.initial_epochs change the number of steps, and are
// not provided for.
func VerifyContinuous(p *Plan, games []*replay.Game, c *checkpoints.Checkpoint) error {
	var s State
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
	u, err := newUpdater(p, p.NewParams())
	if err != nil {
		return err
	}
	defer u.close()
	entered, err := u.add(games[:s.Games])
	if err != nil {
		return err
	}
	if uint64(entered) != s.Continuous.Positions {
		return fmt.Errorf("checkpoint %d has taken %d positions, its games have %d", c.Iteration, s.Continuous.Positions, entered)
	}
	per, batch := p.Config.Training.SamplesPerPosition, float64(p.Config.Training.Batch)
	if per == 0 {
		return nil
	}
	owed := per*float64(entered) - float64(c.Step)*batch
	if owed < 0 || owed >= batch || math.Abs(owed-s.Continuous.Owed) > 1e-3 {
		return fmt.Errorf("checkpoint %d has made %d steps for %d positions, so that %g samples are owed; it says %g", c.Iteration, c.Step, entered, owed, s.Continuous.Owed)
	}
	return nil
}
