package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"

	"tengen/clock"
	"tengen/tools/internal/tengen"
)

// clockOptions are the command's flags.
type clockOptions struct {
	tengen.Options
	games, atOnce, size int
	timeLeft            bool
	clock               clock.Settings
	players             [2]string
}

func clocks(ctx context.Context, args []string, stdout, stderr io.Writer) (err error) {
	o := clockOptions{clock: clock.Settings{}}
	flags := o.Flags("clocks", `Clocks plays games of Go between processes of `+"`tengen gtp`"+` and counts overstepped clocks.

  go run ./tools/measure clocks --games 1000 --at-once 100
  go run ./tools/measure clocks --clock 5s+3x1s --time-left az:runs/go5,clock=1m uct:clock=1m

PLAYER (default: uct:clock=10s,utility=unit), with a second one as its opponent, plays as long as
its clock allows; a number of simulations would limit it too.

`, stderr)
	flags.IntVar(&o.games, "games", 1000, "games to play")
	flags.IntVar(&o.atOnce, "at-once", 100, "games at once, with two processes each")
	flags.IntVar(&o.size, "size", 5, "size of the board")
	flags.BoolVar(&o.timeLeft, "time-left", false, "send time_left before each move")
	text := flags.String("clock", "10s", "clock of each side: "+clock.Notation)
	if err := flags.Parse(args); err != nil {
		return err
	}
	switch {
	case o.games < 1:
		return fmt.Errorf("-games %d: a number from 1 is wanted", o.games)
	case o.atOnce < 1:
		return fmt.Errorf("-at-once %d: a number from 1 is wanted", o.atOnce)
	case flags.NArg() > 2:
		return fmt.Errorf("%d players: at most two are wanted, after the flags", flags.NArg())
	}
	if o.clock, err = clock.Parse(*text); err != nil {
		return err
	}
	o.players = [2]string{"uct:clock=10s,utility=unit", ""}
	copy(o.players[:], flags.Args())
	if o.players[1] == "" {
		o.players[1] = o.players[0]
	}
	temporary, err := o.Prepare(ctx, "clocks")
	// nothing if temporary is empty
	defer func() { err = errors.Join(err, os.RemoveAll(temporary)) }()
	if err != nil {
		return err
	}
	r, err := play(ctx, &o, stderr)
	if err != nil {
		return err
	}
	if o.JSON {
		err = json.NewEncoder(stdout).Encode(r)
	} else {
		_, err = io.WriteString(stdout, r.String())
	}
	return errors.Join(err, r.verdict())
}

// play plays all games, o.atOnce at a time.
func play(ctx context.Context, o *clockOptions, log io.Writer) (*clockReport, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	r := newReport(o)
	numbers := make(chan int)
	go func() {
		defer close(numbers)
		for n := range o.games {
			select {
			case numbers <- n:
			case <-ctx.Done():
				return
			}
		}
	}()
	var mu sync.Mutex // guards r
	var group sync.WaitGroup
	for slot := range min(o.atOnce, o.games) {
		group.Go(func() {
			t, err := newTable(o, slot)
			if err != nil {
				cancel(err)
				return
			}
			defer t.close()
			for n := range numbers {
				g, err := t.game(ctx, n)
				if err != nil {
					cancel(fmt.Errorf("game %d: %w", n+1, err))
					return
				}
				mu.Lock()
				r.add(g)
				if done := len(r.Games); done%max(1, o.games/20) == 0 {
					fmt.Fprintf(log, "%d games, %d clocks overstepped\n", done, r.Overstepped)
				}
				mu.Unlock()
			}
		})
	}
	group.Wait()
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	r.finish()
	return r, nil
}

// timeSettings returns the command that sets a clock.
func timeSettings(s clock.Settings) string {
	words := []string{"kata-time_settings"}
	seconds := func(name string, numbers ...float64) {
		words = append(words, name)
		for _, n := range numbers {
			words = append(words, fmt.Sprintf("%g", n))
		}
	}
	switch {
	case s.Periods > 0:
		seconds("byoyomi", s.Main.Seconds(), s.Period.Seconds(), float64(s.Periods))
	case s.Moves > 0:
		seconds("canadian", s.Main.Seconds(), s.Period.Seconds(), float64(s.Moves))
	case s.Increment > 0:
		seconds("fischer", s.Main.Seconds(), s.Increment.Seconds())
	default:
		seconds("absolute", s.Main.Seconds())
	}
	return strings.Join(words, " ")
}
