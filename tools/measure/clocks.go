package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"tengen/clock"
	"tengen/interop/gtp"
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

// table has the two programs that play one game after another. It is used by one goroutine.
type table struct {
	o        *clockOptions
	programs [2]*gtp.Client
}

func newTable(o *clockOptions, slot int) (*table, error) {
	t := &table{o: o}
	for side, player := range o.players {
		var err error
		t.programs[side],
			err = gtp.Start(fmt.Sprintf("%q gtp --seed %d %q", o.Program, 2*slot+side+1, player))
		if err != nil {
			return nil, errors.Join(err, t.close())
		}
	}
	return t, nil
}

// close ends the programs.
func (t *table) close() error {
	var errs []error
	for _, p := range t.programs {
		if p != nil {
			errs = append(errs, p.Close())
		}
	}
	return errors.Join(errs...)
}

// timedGame is one game: what its clocks counted, by side (Black, White).
type timedGame struct {
	Number      int        `json:"number"`
	Players     [2]string  `json:"players"`
	Moves       int        `json:"moves"`
	Overstepped [2]bool    `json:"overstepped"`
	Lost        [2]int     `json:"lost_periods"`
	Used        [2]float64 `json:"used_seconds"`
	Left        [2]float64 `json:"left_seconds"` // of the main time, or of a period
	Longest     float64    `json:"longest_move_seconds"`
}

var colors = [2]string{"black", "white"}

// game plays a game. The players take turns with Black.
func (t *table) game(ctx context.Context, number int) (*timedGame, error) {
	g := &timedGame{Number: number}
	clocks := [2]clock.Clock{clock.New(t.o.clock), clock.New(t.o.clock)}
	black := number % 2
	programs := [2]*gtp.Client{t.programs[black], t.programs[1-black]}
	g.Players = [2]string{t.o.players[black], t.o.players[1-black]}
	ask := func(side int, command string) (string, error) {
		return programs[side].Ask(ctx, command)
	}
	for side := range programs {
		for _, command := range []string{
			fmt.Sprintf("boardsize %d", t.o.size), "clear_board", timeSettings(t.o.clock),
		} {
			if _, err := ask(side, command); err != nil {
				return nil, err
			}
		}
	}
	// A game ends at the latest after six times as many moves as the board has points.
	for passes := 0; passes < 2 && g.Moves < 6*t.o.size*t.o.size; g.Moves++ {
		side := g.Moves % 2
		c := &clocks[side]
		if t.o.timeLeft {
			if _, err := ask(side, timeLeft(side, c.Left())); err != nil {
				return nil, err
			}
		}
		began := time.Now()
		move, err := ask(side, "genmove "+colors[side])
		if err != nil {
			return nil, err
		}
		took := time.Since(began)
		g.Used[side] += took.Seconds()
		g.Longest = max(g.Longest, took.Seconds())
		if !c.Spend(took) {
			g.Overstepped[side] = true
		}
		if passes++; !strings.EqualFold(move, "pass") {
			passes = 0
		}
		if _, err := ask(1-side, "play "+colors[side]+" "+move); err != nil {
			return nil, err
		}
	}
	for side := range clocks {
		left := clocks[side].Left()
		g.Left[side], g.Lost[side] = left.Time.Seconds(), t.o.clock.Periods-left.Periods
	}
	return g, nil
}

// timeLeft returns the command that tells of the remaining time.
func timeLeft(side int, left clock.Left) string {
	n := 0
	if left.Overtime {
		n = left.Moves + left.Periods // one of which is 0
	}
	return fmt.Sprintf("time_left %s %.3f %d", colors[side], left.Time.Seconds(), n)
}

// clockReport is what all games came to.
type clockReport struct {
	Clock       string       `json:"clock"`
	TimeLeft    bool         `json:"time_left"`
	AtOnce      int          `json:"at_once"`
	Games       []*timedGame `json:"games"`
	Overstepped int          `json:"overstepped"` // clocks, of two a game
	LostPeriods int          `json:"lost_periods"`
	Moves       float64      `json:"moves"` // mean of a game
	Used        float64      `json:"used"`  // mean part of the main time, if there is no overtime
	LeastLeft   float64      `json:"least_left_seconds"`
	Longest     float64      `json:"longest_move_seconds"`

	main float64
	over bool // overtime may follow
}

func newReport(o *clockOptions) *clockReport {
	return &clockReport{
		Clock: o.clock.String(), TimeLeft: o.timeLeft, AtOnce: o.atOnce,
		main: o.clock.Main.Seconds(), over: o.clock.Period > 0,
	}
}

// add adds a game.
func (r *clockReport) add(g *timedGame) {
	r.Games = append(r.Games, g)
	for side := range g.Overstepped {
		if g.Overstepped[side] {
			r.Overstepped++
		}
		r.LostPeriods += g.Lost[side]
	}
}

// finish sums the games up.
func (r *clockReport) finish() {
	slices.SortFunc(r.Games, func(a, b *timedGame) int { return a.Number - b.Number })
	n := float64(len(r.Games))
	r.LeastLeft = r.Games[0].Left[0]
	for _, g := range r.Games {
		r.Moves += float64(g.Moves) / n
		r.Longest = max(r.Longest, g.Longest)
		for side := range g.Used {
			r.LeastLeft = min(r.LeastLeft, g.Left[side])
			if !r.over && r.main > 0 {
				r.Used += g.Used[side] / r.main / (2 * n)
			}
		}
	}
}

func (r *clockReport) String() string {
	var b strings.Builder
	told := "time_left is not sent"
	if r.TimeLeft {
		told = "time_left is sent"
	}
	fmt.Fprintf(&b, "clock %s, %d games, %d at once, %s\n", r.Clock, len(r.Games), r.AtOnce, told)
	fmt.Fprintf(&b, "overstepped: %d of %d clocks\n", r.Overstepped, 2*len(r.Games))
	if r.over {
		fmt.Fprintf(&b, "lost periods: %d\n", r.LostPeriods)
	} else {
		fmt.Fprintf(&b, "used: %.0f %% of the main time; least left: %.2f s\n",
			100*r.Used, r.LeastLeft)
	}
	fmt.Fprintf(&b, "moves a game: %.1f; longest move: %.2f s\n", r.Moves, r.Longest)
	return b.String()
}

// verdict returns an error if a clock was overstepped.
func (r *clockReport) verdict() error {
	if r.Overstepped > 0 {
		return fmt.Errorf("%d of %d clocks were overstepped", r.Overstepped, 2*len(r.Games))
	}
	return nil
}
