package cli

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"tengen/run/inspect"
)

func runFigures(r *inspect.Run) []Figure {
	holder := "nobody"
	if r.Holder != nil {
		holder = r.Holder.Describe(time.Now())
	}
	list := []Figure{{"in use by", holder}}
	if r.Identity != 0 {
		list = append(list, Figure{"identity", r.Identity.String()})
	}
	if r.Game != "" {
		list = append(list, Figure{"configuration", described(r.Algorithm, r.Game, r.Iterations)})
	}
	return list
}

func checkpointsFigures(f *inspect.Checkpoints) []Figure {
	text := "none"
	if f.Count > 0 {
		text = fmt.Sprintf("%d, of which %d verified", f.Count, f.Verified)
	}
	list := []Figure{{"checkpoints", text}}
	for k, n := range f.Iterations {
		name := ""
		if k == 0 {
			name = "of iterations"
		}
		list = append(list, Figure{name, fmt.Sprint(n)})
	}
	return list
}

func checkpointFigures(f *inspect.Checkpoint) []Figure {
	at := fmt.Sprintf("iteration %d, step %s", f.Iteration, Grouped(float64(f.Step)))
	if f.Games != nil {
		at += fmt.Sprintf(", %s games", Grouped(float64(*f.Games)))
	}
	parts := ""
	if f.Average {
		parts = ", with an averaged copy"
	}
	s := f.Network
	return []Figure{
		{"checkpoint", f.Path},
		{"at", at},
		{"game", f.Game},
		{
			"network", fmt.Sprintf("%s, %s parameters%s",
				Network(s), Grouped(float64(f.Parameters)), parts),
		},
		{"takes, gives",
			fmt.Sprintf("[%d, %d, %d]; %d actions, %d players × %d values",
				s.Planes, s.Height, s.Width, s.Actions, s.Players, s.Outputs())},
	}
}

func tensorsFigures(f *inspect.Tensors) []Figure {
	list := []Figure{
		{"tensors", fmt.Sprintf("%d, %s numbers in all", f.Count, Grouped(float64(f.Numbers)))},
	}
	for _, key := range slices.Sorted(maps.Keys(f.Metadata)) {
		list = append(list, Figure{InLine(key), InLine(f.Metadata[key])})
	}
	for _, t := range f.List {
		list = append(list,
			Figure{InLine(t.Name), strings.ReplaceAll(fmt.Sprint(t.Shape), " ", ", ")})
	}
	return list
}

func replayFigures(f *inspect.Replay) []Figure {
	list := []Figure{{"games", "none"}}
	if f.First != nil {
		list = []Figure{
			{
				"games", fmt.Sprintf("%s, numbers %s",
					Grouped(float64(f.Games)), numbers(f.First, f.Last)),
			},
		}
	}
	if f.Replaced > 0 {
		list = append(list,
			Figure{
				"replaced", fmt.Sprintf("%s games, played again after a resume",
					Grouped(float64(f.Replaced))),
			})
	}
	if f.Games > 0 {
		list = append(list,
			Figure{
				"plies", fmt.Sprintf("%s, %.1f a game",
					Grouped(float64(f.Plies)), float64(f.Plies)/float64(f.Games)),
			})
	}
	if f.Networks > 0 {
		text := fmt.Sprintf("1, of %d training steps", *f.LastStep)
		if f.Networks > 1 {
			text = fmt.Sprintf("%d, of %d to %d training steps",
				f.Networks, *f.FirstStep, *f.LastStep)
		}
		list = append(list, Figure{"networks", text})
	}
	if f.States > 0 {
		list = append(list,
			Figure{
				"states of trees",
				fmt.Sprintf("%s, %.1f a game",
					Grouped(float64(f.States)), float64(f.States)/float64(f.Games)),
			})
	}
	for _, name := range f.Of {
		list = append(list, Figure{"game", InLine(name)})
	}
	list = append(list,
		Figure{"segments", fmt.Sprintf("%d, %s bytes", f.Segments, Grouped(float64(f.Bytes)))})
	for _, s := range f.List {
		text := "no games"
		if s.First != nil {
			text = fmt.Sprintf("%d games, %s", s.Games, numbers(s.First, s.Last))
		}
		if s.Replaced > 0 {
			text += fmt.Sprintf("; %d replaced", s.Replaced)
		}
		list = append(list, Figure{filepath.Base(s.Path), text})
	}
	return list
}

func clusterFigures(c *inspect.Cluster) []Figure {
	holder := "no trainer"
	if c.Holder != nil {
		holder = c.Holder.Describe(time.Now())
	}
	journal := "no games"
	if c.First != nil {
		journal = fmt.Sprintf("%s games of workers that the replay takes up in their order, numbers %s; %d files, %s bytes",
			Grouped(float64(c.Games)), numbers(c.First, c.Last), c.Files, Grouped(float64(c.Bytes)))
	}
	list := []Figure{{"shared by", holder}, {"journal", journal}}
	if c.Broker > 0 {
		list = append(list,
			Figure{
				"broker's store",
				fmt.Sprintf("%s bytes, nothing that is needed", Grouped(float64(c.Broker))),
			})
	}
	return list
}

func matchFigures(f *inspect.Match) []Figure {
	list := []Figure{
		{"games", fmt.Sprintf("%d, %d with a result", f.Games, f.Finished)},
		{"actions", Grouped(float64(f.Actions))},
	}
	for _, name := range f.Of {
		list = append(list, Figure{"game", InLine(name)})
	}
	for _, name := range f.Players {
		list = append(list, Figure{"player", InLine(name)})
	}
	if f.Seed != nil && f.Opening != nil {
		list = append(list,
			Figure{"seed, opening", fmt.Sprintf("%d, %d decisions", *f.Seed, *f.Opening)})
	}
	if f.Twice > 0 {
		list = append(list, Figure{"recorded twice", fmt.Sprint(f.Twice)})
	}
	return list
}

func linesFigures(f *inspect.Lines, name string) []Figure {
	text := fmt.Sprintf("%s lines", Grouped(float64(f.Lines)))
	for k, kind := range f.Kinds {
		separator := ", "
		if k == 0 {
			separator = ": "
		}
		text += fmt.Sprintf("%s%d %s", separator, f.Counts[k], InLine(kind))
	}
	list := []Figure{{name, text}}
	if f.Last != nil {
		list = append(list,
			Figure{
				"", fmt.Sprintf("from %s to %s",
					f.First.UTC().Format(time.RFC3339), f.Last.UTC().Format(time.RFC3339)),
			})
	}
	return list
}

func numbers(first, last *uint64) string { return fmt.Sprintf("%d to %d", *first, *last) }

func configurationFigures(c *inspect.Configuration) []Figure {
	list := []Figure{{"configuration", described(c.Algorithm, c.Game, c.Iterations)}}
	if c.Until != nil {
		list = append(list, Figure{"replaced", fmt.Sprintf("after iteration %d", *c.Until)})
	}
	return list
}

// described describes a configuration.
func described(algorithm, game string, iterations int) string {
	return fmt.Sprintf("%s on %s, %d iterations", algorithm, InLine(game), iterations)
}

func evaluationFigures(e *inspect.Evaluation) []Figure {
	sum := fmt.Sprintf("%.1f", e.Sum.Mean)
	if e.Sum.Interval.Known() {
		sum += fmt.Sprintf(" (%s)", e.Sum.Interval.Text("%.1f"))
	}
	list := []Figure{
		{"at", fmt.Sprintf("iteration %d", e.Iteration)},
		{"game", InLine(e.Game)},
		{"player", InLine(e.Player)},
		{"against", InLine(e.Baseline)},
		{"games", Grouped(float64(e.Games))},
		{"sum of points", sum},
	}
	if e.Elo != nil {
		list = append(list, Figure{"rating", e.Elo.String()})
	}
	if e.Earlier > 0 {
		list = append(list, Figure{"earlier networks", fmt.Sprint(e.Earlier)})
	}
	return list
}

func ratingsFigures(r *inspect.Ratings) []Figure {
	list := []Figure{
		{"networks", fmt.Sprintf("%d, from %s games", r.Networks, Grouped(float64(r.Games)))},
		{"over", InLine(r.Anchor)},
	}
	if r.Last != nil {
		list = append(list,
			Figure{
				"latest", fmt.Sprintf("iteration %d: %s", r.Last.Iteration, r.Last.Elo.String()),
			},
			Figure{
				"greatest", fmt.Sprintf("iteration %d: %s", r.Best.Iteration, r.Best.Elo.String()),
			})
	}
	return list
}

func resultsFigures(r *inspect.Results) []Figure {
	games := "none"
	if r.Games > 0 {
		games = fmt.Sprintf("%s, %s distinct",
			Grouped(float64(r.Games)), Grouped(float64(r.Distinct)))
	}
	return []Figure{
		{"command", InLine(r.Command)},
		{"machine", InLine(r.Machine)},
		{"games", games},
		{"seed, opening", fmt.Sprintf("%d, %d decisions", r.Seed, r.Opening)},
		{"took", fmt.Sprintf("%.1f s", r.Seconds)},
	}
}
