package gametest

import (
	"fmt"
	"sync"

	"tengen/game"
)

// checkConcurrency plays games in several goroutines that share the Game, and compares
// with the same games played sequentially. With -race it also finds races.
func checkConcurrency(c *checker) error {
	games := min(len(c.played), 64)
	const goroutines = 4
	serial := make([][]*snapshot, games)
	for i := range serial {
		serial[i] = c.snapshots(i)
	}
	failures := make([]error, goroutines)
	var wg sync.WaitGroup
	for w := range goroutines {
		wg.Go(func() {
			failures[w] = guarded(func(c *checker) error {
				for i := w % 2; i < games; i += 2 { // every game is played by two goroutines
					for n, v := range c.snapshots(i) {
						if err := serial[i][n].differs(v); err != nil {
							return fmt.Errorf(
								"game %d after %d actions, played alone and concurrently: %w",
								i, n, err)
						}
					}
				}
				return nil
			}, c)
		})
	}
	wg.Wait()
	for _, err := range failures {
		if err != nil {
			return err
		}
	}
	return nil
}

// snapshots replays a game and returns snapshots on the way. Of a long game, about a
// hundred states are examined fully, the others by hash only.
func (c *checker) snapshots(number int) []*snapshot {
	if x, ok := c.g.(game.Symmetric); ok {
		x.Symmetries()
	}
	actions := c.played[number]
	s := c.g.NewState()
	var views []*snapshot
	for n := 0; ; n++ {
		if n%(len(actions)/100+1) == 0 {
			views = append(views, c.look(s))
		} else {
			views = append(views, &snapshot{hash: s.Hash()})
		}
		if n == len(actions) {
			return views
		}
		s.Apply(actions[n])
	}
}
