package cmd

import (
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"tengen/run/inspect"
)

func runFigures(r *inspect.Run) []figure {
	holder := "nobody"
	if r.Holder != nil {
		holder = r.Holder.Describe(time.Now())
	}
	list := []figure{{"in use by", holder}}
	if r.Game != "" {
		list = append(list, figure{"configuration", described(r.Algorithm, r.Game, r.Iterations)})
	}
	return list
}

func checkpointsFigures(f *inspect.Checkpoints) []figure {
	text := "none"
	if f.Count > 0 {
		text = fmt.Sprintf("%d, of which %d verified", f.Count, f.Verified)
	}
	list := []figure{{"checkpoints", text}}
	for k, n := range f.Iterations {
		name := ""
		if k == 0 {
			name = "of iterations"
		}
		list = append(list, figure{name, fmt.Sprint(n)})
	}
	return list
}

func checkpointFigures(f *inspect.Checkpoint) []figure {
	at := fmt.Sprintf("iteration %d, step %s", f.Iteration, grouped(float64(f.Step)))
	if f.Games != nil {
		at += fmt.Sprintf(", %s games", grouped(float64(*f.Games)))
	}
	parts := ""
	if f.Average {
		parts = ", with an averaged copy"
	}
	s := f.Network
	return []figure{
		{"checkpoint", f.Path},
		{"at", at},
		{"game", f.Game},
		{"network", fmt.Sprintf("%s, %s parameters%s", network(s), grouped(float64(f.Parameters)), parts)},
		{"takes, gives", fmt.Sprintf("[%d, %d, %d]; %d actions, %d players × %d values", s.Planes, s.Height, s.Width, s.Actions, s.Players, s.Outputs())},
	}
}

func tensorsFigures(f *inspect.Tensors) []figure {
	list := []figure{{"tensors", fmt.Sprintf("%d, %s numbers in all", f.Count, grouped(float64(f.Numbers)))}}
	for _, key := range slices.Sorted(maps.Keys(f.Metadata)) {
		list = append(list, figure{inLine(key), inLine(f.Metadata[key])})
	}
	for _, t := range f.List {
		list = append(list, figure{inLine(t.Name), strings.ReplaceAll(fmt.Sprint(t.Shape), " ", ", ")})
	}
	return list
}

func replayFigures(f *inspect.Replay) []figure {
	list := []figure{{"games", "none"}}
	if f.First != nil {
		list = []figure{{"games", fmt.Sprintf("%s, numbers %s", grouped(float64(f.Games)), numbers(f.First, f.Last))}}
	}
	if f.Replaced > 0 {
		list = append(list, figure{"replaced", fmt.Sprintf("%s games, played again after a resume", grouped(float64(f.Replaced)))})
	}
	if f.Games > 0 {
		list = append(list, figure{"plies", fmt.Sprintf("%s, %.1f a game", grouped(float64(f.Plies)), float64(f.Plies)/float64(f.Games))})
	}
	if f.States > 0 {
		list = append(list, figure{"states of trees", fmt.Sprintf("%s, %.1f a game", grouped(float64(f.States)), float64(f.States)/float64(f.Games))})
	}
	for _, name := range f.Of {
		list = append(list, figure{"game", inLine(name)})
	}
	list = append(list, figure{"segments", fmt.Sprintf("%d, %s bytes", f.Segments, grouped(float64(f.Bytes)))})
	for _, s := range f.List {
		text := "no games"
		if s.First != nil {
			text = fmt.Sprintf("%d games, %s", s.Games, numbers(s.First, s.Last))
		}
		if s.Replaced > 0 {
			text += fmt.Sprintf("; %d replaced", s.Replaced)
		}
		list = append(list, figure{filepath.Base(s.Path), text})
	}
	return list
}

func matchFigures(f *inspect.Match) []figure {
	list := []figure{{"games", fmt.Sprintf("%d, %d with a result", f.Games, f.Finished)}, {"actions", grouped(float64(f.Actions))}}
	for _, name := range f.Of {
		list = append(list, figure{"game", inLine(name)})
	}
	for _, name := range f.Players {
		list = append(list, figure{"player", inLine(name)})
	}
	if f.Seed != nil && f.Opening != nil {
		list = append(list, figure{"seed, opening", fmt.Sprintf("%d, %d decisions", *f.Seed, *f.Opening)})
	}
	if f.Twice > 0 {
		list = append(list, figure{"recorded twice", fmt.Sprint(f.Twice)})
	}
	return list
}

func linesFigures(f *inspect.Lines, name string) []figure {
	text := fmt.Sprintf("%s lines", grouped(float64(f.Lines)))
	for k, kind := range f.Kinds {
		separator := ", "
		if k == 0 {
			separator = ": "
		}
		text += fmt.Sprintf("%s%d %s", separator, f.Counts[k], inLine(kind))
	}
	list := []figure{{name, text}}
	if f.Last != nil {
		list = append(list, figure{"", fmt.Sprintf("from %s to %s", f.First.UTC().Format(time.RFC3339), f.Last.UTC().Format(time.RFC3339))})
	}
	return list
}

func numbers(first, last *uint64) string { return fmt.Sprintf("%d to %d", *first, *last) }

func configurationFigures(c *inspect.Configuration) []figure {
	list := []figure{{"configuration", described(c.Algorithm, c.Game, c.Iterations)}}
	if c.Until != nil {
		list = append(list, figure{"replaced", fmt.Sprintf("after iteration %d", *c.Until)})
	}
	return list
}

// described is a configuration in words.
func described(algorithm, game string, iterations int) string {
	return fmt.Sprintf("%s on %s, %d iterations", algorithm, inLine(game), iterations)
}

func evaluationFigures(e *inspect.Evaluation) []figure {
	sum := fmt.Sprintf("%.1f", e.Sum)
	if ci := float64(e.CI); !math.IsInf(ci, 0) {
		sum += fmt.Sprintf(" ± %.1f", ci)
	}
	list := []figure{
		{"at", fmt.Sprintf("iteration %d", e.Iteration)},
		{"game", inLine(e.Game)},
		{"player", inLine(e.Player)},
		{"against", inLine(e.Baseline)},
		{"games", grouped(float64(e.Games))},
		{"sum of points", sum},
	}
	if e.Elo != nil {
		list = append(list, figure{"rating", e.Elo.String()})
	}
	if e.Earlier > 0 {
		list = append(list, figure{"earlier networks", fmt.Sprint(e.Earlier)})
	}
	return list
}

func ratingsFigures(r *inspect.Ratings) []figure {
	list := []figure{
		{"networks", fmt.Sprintf("%d, from %s games", r.Networks, grouped(float64(r.Games)))},
		{"over", inLine(r.Anchor)},
	}
	if r.Last != nil {
		list = append(list,
			figure{"latest", fmt.Sprintf("iteration %d: %s", r.Last.Iteration, r.Last.Elo.String())},
			figure{"greatest", fmt.Sprintf("iteration %d: %s", r.Best.Iteration, r.Best.Elo.String())})
	}
	return list
}

func resultsFigures(r *inspect.Results) []figure {
	games := "none"
	if r.Games > 0 {
		games = fmt.Sprintf("%s, %s distinct", grouped(float64(r.Games)), grouped(float64(r.Distinct)))
	}
	return []figure{
		{"command", inLine(r.Command)},
		{"machine", inLine(r.Machine)},
		{"games", games},
		{"seed, opening", fmt.Sprintf("%d, %d decisions", r.Seed, r.Opening)},
		{"took", fmt.Sprintf("%.1f s", r.Seconds)},
	}
}
