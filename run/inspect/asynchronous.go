package inspect

import (
	"encoding/json"
	"fmt"

	"tengen/checkpoints"
	"tengen/configs"
	"tengen/replay/record"
)

// VerifyAsynchronous checks a checkpoint of an asynchronous cycle against the games of its run, all
// of which are wanted: with checkpoints.keep_last as great as the number of checkpoints none is
// removed. It returns an error unless games have the numbers from 0 on and random streams of their
// own, and the checkpoint's window held the last of the games that it has learned from.
func VerifyAsynchronous(
	config *configs.Config, games []*record.Game, c *checkpoints.Checkpoint,
) error {
	var s struct {
		Games  int `json:"games"`
		Window struct {
			Games int `json:"games"`
		} `json:"window"`
		Asynchronous *struct {
			Streams uint64 `json:"streams"`
		} `json:"asynchronous"`
	}
	if err := json.Unmarshal(c.State, &s); err != nil {
		return fmt.Errorf("the state of checkpoint %d: %w", c.Iteration, err)
	}
	if s.Asynchronous == nil {
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
			return fmt.Errorf("games %d and %d have the same random streams, %d",
				other, g.Number, g.Stream)
		}
		if streams[g.Stream] = g.Number; i < s.Games && g.Stream >= s.Asynchronous.Streams {
			return fmt.Errorf(
				"game %d has the random streams %d, of which %d are used at checkpoint %d",
				g.Number, g.Stream, s.Asynchronous.Streams, c.Iteration)
		}
	}
	if s.Games > len(games) {
		return fmt.Errorf("checkpoint %d has learned from %d games, of which %d are there",
			c.Iteration, s.Games, len(games))
	}
	if want := min(s.Games, config.Replay.Window(s.Games)); s.Window.Games != want {
		return fmt.Errorf("checkpoint %d has %d games in its window, which holds %d after %d games",
			c.Iteration, s.Window.Games, want, s.Games)
	}
	return nil
}
