package main

import (
	"fmt"
	"slices"
	"strings"
)

// report is what all games came to.
type report struct {
	Clock       string  `json:"clock"`
	TimeLeft    bool    `json:"time_left"`
	AtOnce      int     `json:"at_once"`
	Games       []*game `json:"games"`
	Overstepped int     `json:"overstepped"` // clocks, of two a game
	LostPeriods int     `json:"lost_periods"`
	Moves       float64 `json:"moves"` // mean of a game
	Used        float64 `json:"used"`  // mean part of the main time, if there is no overtime
	LeastLeft   float64 `json:"least_left_seconds"`
	Longest     float64 `json:"longest_move_seconds"`

	main float64
	over bool // overtime may follow
}

func newReport(o *options) *report {
	return &report{
		Clock: o.clock.String(), TimeLeft: o.timeLeft, AtOnce: o.atOnce,
		main: o.clock.Main.Seconds(), over: o.clock.Period > 0,
	}
}

// add adds a game.
func (r *report) add(g *game) {
	r.Games = append(r.Games, g)
	for side := range g.Overstepped {
		if g.Overstepped[side] {
			r.Overstepped++
		}
		r.LostPeriods += g.Lost[side]
	}
}

// finish sums the games up.
func (r *report) finish() {
	slices.SortFunc(r.Games, func(a, b *game) int { return a.Number - b.Number })
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

func (r *report) String() string {
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
func (r *report) verdict() error {
	if r.Overstepped > 0 {
		return fmt.Errorf("%d of %d clocks were overstepped", r.Overstepped, 2*len(r.Games))
	}
	return nil
}
