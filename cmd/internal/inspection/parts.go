package inspection

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"tengen/cmd/internal/figures"
	"tengen/run/inspect"
)

func runFigures(r *inspect.Run) []figures.Figure {
	holder := "nobody"
	if r.Holder != nil {
		holder = r.Holder.Describe(time.Now())
	}
	list := []figures.Figure{{"in use by", holder}}
	if r.Identity != 0 {
		list = append(list, figures.Figure{"identity", r.Identity.String()})
	}
	if r.Game != "" {
		list = append(list, figures.Figure{"configuration", described(r.Algorithm, r.Game, r.Iterations)})
	}
	return list
}

func checkpointsFigures(f *inspect.Checkpoints) []figures.Figure {
	text := "none"
	if f.Count > 0 {
		text = fmt.Sprintf("%d, of which %d verified", f.Count, f.Verified)
	}
	list := []figures.Figure{{"checkpoints", text}}
	for k, n := range f.Iterations {
		name := ""
		if k == 0 {
			name = "of iterations"
		}
		list = append(list, figures.Figure{name, fmt.Sprint(n)})
	}
	return list
}

func checkpointFigures(f *inspect.Checkpoint) []figures.Figure {
	at := fmt.Sprintf("iteration %d, step %s", f.Iteration, figures.Grouped(float64(f.Step)))
	if f.Games != nil {
		at += fmt.Sprintf(", %s games", figures.Grouped(float64(*f.Games)))
	}
	parts := ""
	if f.Average {
		parts = ", with an averaged copy"
	}
	s := f.Network
	return []figures.Figure{
		{"checkpoint", f.Path},
		{"at", at},
		{"game", f.Game},
		{"network", fmt.Sprintf("%s, %s parameters%s", figures.Network(s), figures.Grouped(float64(f.Parameters)), parts)},
		{"takes, gives", fmt.Sprintf("[%d, %d, %d]; %d actions, %d players × %d values", s.Planes, s.Height, s.Width, s.Actions, s.Players, s.Outputs())},
	}
}

func tensorsFigures(f *inspect.Tensors) []figures.Figure {
	list := []figures.Figure{{"tensors", fmt.Sprintf("%d, %s numbers in all", f.Count, figures.Grouped(float64(f.Numbers)))}}
	for _, key := range slices.Sorted(maps.Keys(f.Metadata)) {
		list = append(list, figures.Figure{figures.InLine(key), figures.InLine(f.Metadata[key])})
	}
	for _, t := range f.List {
		list = append(list, figures.Figure{figures.InLine(t.Name), strings.ReplaceAll(fmt.Sprint(t.Shape), " ", ", ")})
	}
	return list
}

func replayFigures(f *inspect.Replay) []figures.Figure {
	list := []figures.Figure{{"games", "none"}}
	if f.First != nil {
		list = []figures.Figure{{"games", fmt.Sprintf("%s, numbers %s", figures.Grouped(float64(f.Games)), numbers(f.First, f.Last))}}
	}
	if f.Replaced > 0 {
		list = append(list, figures.Figure{"replaced", fmt.Sprintf("%s games, played again after a resume", figures.Grouped(float64(f.Replaced)))})
	}
	if f.Games > 0 {
		list = append(list, figures.Figure{"plies", fmt.Sprintf("%s, %.1f a game", figures.Grouped(float64(f.Plies)), float64(f.Plies)/float64(f.Games))})
	}
	if f.Networks > 0 {
		text := fmt.Sprintf("1, of %d training steps", *f.LastStep)
		if f.Networks > 1 {
			text = fmt.Sprintf("%d, of %d to %d training steps", f.Networks, *f.FirstStep, *f.LastStep)
		}
		list = append(list, figures.Figure{"networks", text})
	}
	if f.States > 0 {
		list = append(list, figures.Figure{"states of trees", fmt.Sprintf("%s, %.1f a game", figures.Grouped(float64(f.States)), float64(f.States)/float64(f.Games))})
	}
	for _, name := range f.Of {
		list = append(list, figures.Figure{"game", figures.InLine(name)})
	}
	list = append(list, figures.Figure{"segments", fmt.Sprintf("%d, %s bytes", f.Segments, figures.Grouped(float64(f.Bytes)))})
	for _, s := range f.List {
		text := "no games"
		if s.First != nil {
			text = fmt.Sprintf("%d games, %s", s.Games, numbers(s.First, s.Last))
		}
		if s.Replaced > 0 {
			text += fmt.Sprintf("; %d replaced", s.Replaced)
		}
		list = append(list, figures.Figure{filepath.Base(s.Path), text})
	}
	return list
}

func clusterFigures(c *inspect.Cluster) []figures.Figure {
	holder := "no trainer"
	if c.Holder != nil {
		holder = c.Holder.Describe(time.Now())
	}
	journal := "no games"
	if c.First != nil {
		journal = fmt.Sprintf("%s games of workers that the replay takes up in their order, numbers %s; %d files, %s bytes", figures.Grouped(float64(c.Games)), numbers(c.First, c.Last), c.Files, figures.Grouped(float64(c.Bytes)))
	}
	list := []figures.Figure{{"shared by", holder}, {"journal", journal}}
	if c.Broker > 0 {
		list = append(list, figures.Figure{"broker's store", fmt.Sprintf("%s bytes, nothing that is needed", figures.Grouped(float64(c.Broker)))})
	}
	return list
}

func matchFigures(f *inspect.Match) []figures.Figure {
	list := []figures.Figure{{"games", fmt.Sprintf("%d, %d with a result", f.Games, f.Finished)}, {"actions", figures.Grouped(float64(f.Actions))}}
	for _, name := range f.Of {
		list = append(list, figures.Figure{"game", figures.InLine(name)})
	}
	for _, name := range f.Players {
		list = append(list, figures.Figure{"player", figures.InLine(name)})
	}
	if f.Seed != nil && f.Opening != nil {
		list = append(list, figures.Figure{"seed, opening", fmt.Sprintf("%d, %d decisions", *f.Seed, *f.Opening)})
	}
	if f.Twice > 0 {
		list = append(list, figures.Figure{"recorded twice", fmt.Sprint(f.Twice)})
	}
	return list
}

func linesFigures(f *inspect.Lines, name string) []figures.Figure {
	text := fmt.Sprintf("%s lines", figures.Grouped(float64(f.Lines)))
	for k, kind := range f.Kinds {
		separator := ", "
		if k == 0 {
			separator = ": "
		}
		text += fmt.Sprintf("%s%d %s", separator, f.Counts[k], figures.InLine(kind))
	}
	list := []figures.Figure{{name, text}}
	if f.Last != nil {
		list = append(list, figures.Figure{"", fmt.Sprintf("from %s to %s", f.First.UTC().Format(time.RFC3339), f.Last.UTC().Format(time.RFC3339))})
	}
	return list
}

func numbers(first, last *uint64) string { return fmt.Sprintf("%d to %d", *first, *last) }

func configurationFigures(c *inspect.Configuration) []figures.Figure {
	list := []figures.Figure{{"configuration", described(c.Algorithm, c.Game, c.Iterations)}}
	if c.Until != nil {
		list = append(list, figures.Figure{"replaced", fmt.Sprintf("after iteration %d", *c.Until)})
	}
	return list
}

// described describes a configuration.
func described(algorithm, game string, iterations int) string {
	return fmt.Sprintf("%s on %s, %d iterations", algorithm, figures.InLine(game), iterations)
}

func evaluationFigures(e *inspect.Evaluation) []figures.Figure {
	sum := fmt.Sprintf("%.1f", e.Sum.Mean)
	if e.Sum.Interval.Known() {
		sum += fmt.Sprintf(" (%s)", e.Sum.Interval.Text("%.1f"))
	}
	list := []figures.Figure{
		{"at", fmt.Sprintf("iteration %d", e.Iteration)},
		{"game", figures.InLine(e.Game)},
		{"player", figures.InLine(e.Player)},
		{"against", figures.InLine(e.Baseline)},
		{"games", figures.Grouped(float64(e.Games))},
		{"sum of points", sum},
	}
	if e.Elo != nil {
		list = append(list, figures.Figure{"rating", e.Elo.String()})
	}
	if e.Earlier > 0 {
		list = append(list, figures.Figure{"earlier networks", fmt.Sprint(e.Earlier)})
	}
	return list
}

func ratingsFigures(r *inspect.Ratings) []figures.Figure {
	list := []figures.Figure{
		{"networks", fmt.Sprintf("%d, from %s games", r.Networks, figures.Grouped(float64(r.Games)))},
		{"over", figures.InLine(r.Anchor)},
	}
	if r.Last != nil {
		list = append(list,
			figures.Figure{"latest", fmt.Sprintf("iteration %d: %s", r.Last.Iteration, r.Last.Elo.String())},
			figures.Figure{"greatest", fmt.Sprintf("iteration %d: %s", r.Best.Iteration, r.Best.Elo.String())})
	}
	return list
}

func resultsFigures(r *inspect.Results) []figures.Figure {
	games := "none"
	if r.Games > 0 {
		games = fmt.Sprintf("%s, %s distinct", figures.Grouped(float64(r.Games)), figures.Grouped(float64(r.Distinct)))
	}
	return []figures.Figure{
		{"command", figures.InLine(r.Command)},
		{"machine", figures.InLine(r.Machine)},
		{"games", games},
		{"seed, opening", fmt.Sprintf("%d, %d decisions", r.Seed, r.Opening)},
		{"took", fmt.Sprintf("%.1f s", r.Seconds)},
	}
}
