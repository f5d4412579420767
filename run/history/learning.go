package history

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"tengen/game"
	"tengen/internal/chart"
	"tengen/run"
	"tengen/vfs"
)

// Learning draws a run as eval/learning.svg: the points by seat against UCT with 95 % bands, the
// ratings over time if networks were rated, and the losses. It reads the event log once, for the
// first drawing, and is told what is appended afterwards. It is used by one goroutine at a time.
type Learning struct {
	Files run.Files
	Game  game.Game

	history *outline // nil before the first drawing
}

// Add tells of an event that was appended to the log.
func (l *Learning) Add(e run.Event) {
	if l.history != nil {
		l.history.add(e)
	}
}

// Draw draws the run so far. Its time and its points don't grow with the run, but for the first
// call's reading.
func (l *Learning) Draw() error {
	if l.history == nil {
		var err error
		if l.history, err = readOutline(l.Files); err != nil {
			return err
		}
	}
	ratings, err := readRatings(l.Files, l.history)
	if err != nil {
		return err
	}
	if err := vfs.WriteBytes(l.Files.FS, l.Files.Picture(),
		learning(l.history, ratings, l.Game)); err != nil {
		return fmt.Errorf("plot %s: %w", l.Files.Folder, err)
	}
	return nil
}

// learning draws a history.
func learning(history *outline, ratings []rated, g game.Game) []byte {
	strength := chart.New(g.Name() + ": " + game.ScoreUnit(g) +
		" in each seat against UCT in the others")
	strength.Y.Label = game.ScoreUnit(g) + ", 95 % band"
	losses := chart.New("losses (dashed: on held-out games)")
	losses.Y.Label = "nats"
	for _, p := range []*chart.Panel{strength, losses} {
		p.X.Label = "games played"
		p.X.Min, p.Y.Min = 0, 0
	}
	plotStrength(strength, history, g)
	plotLosses(losses, history)
	rows := [][]*chart.Panel{{strength}, {losses}}
	if len(ratings) > 0 {
		rows = slices.Insert(rows, 1,
			[]*chart.Panel{newRatingPlot(g.Name()+": rating over time", ratings)})
	}
	last := 0.0
	for _, row := range rows {
		last = max(last, row[0].X.Max)
	}
	for _, row := range rows {
		row[0].X.Max = last
	}
	return (&chart.Sheet{Width: 600, RowHeight: 330, Rows: rows}).SVG()
}

// plotStrength draws the points of each seat over the games played.
func plotStrength(p *chart.Panel, history *outline, g game.Game) {
	points := make([][]chart.Point, g.Players())
	low, high := make([][]chart.Point, g.Players()), make([][]chart.Point, g.Players())
	floor := 0.0 // of points; chips can be lost
	for _, e := range history.events() {
		if e.Strength != nil &&
			slices.ContainsFunc(e.Strength.Points, func(x float64) bool { return x < 0 }) {
			floor = math.Inf(-1)
		}
	}
	var baseline []float64
	for _, e := range history.events() {
		if e.Strength == nil || len(e.Strength.Points) != g.Players() ||
			len(e.Strength.CI) != g.Players() {
			continue
		}
		baseline = e.Strength.Baseline
		for seat, y := range e.Strength.Points {
			x, _ := history.gamesAt(e.Iteration)
			ci := float64(e.Strength.CI[seat]) // infinite for a single game
			points[seat] = append(points[seat], chart.Point{X: x, Y: y})
			low[seat] = append(low[seat], chart.Point{X: x, Y: max(y-ci, floor)})
			high[seat] = append(high[seat], chart.Point{X: x, Y: y + ci})
		}
	}
	for seat, list := range points {
		if len(list) == 0 {
			continue
		}
		ink := chart.Colors[seat]
		p.Band(low[seat], high[seat], ink)
		p.Line(game.SeatName(g, game.Player(seat)), list, chart.Style{Color: ink, Mark: chart.Dot})
		if seat < len(baseline) {
			name := ""
			if seat == len(points)-1 {
				name = "UCT in all seats"
			}
			alone := []chart.Point{
				{X: list[0].X, Y: baseline[seat]}, {X: list[len(list)-1].X, Y: baseline[seat]},
			}
			p.Line(name, alone, chart.Style{Color: ink, Dash: "4 4"})
		}
	}
	p.Corner = chart.TopLeft
}

// plotLosses draws the losses over the games played.
func plotLosses(p *chart.Panel, history *outline) {
	for _, c := range []struct {
		name, color, dash string
		y                 func(*run.Progress) (float64, bool)
	}{
		{"policy", chart.Colors[3], "", func(p *run.Progress) (float64, bool) {
			return p.Losses.Policy, p.Losses.Policy != 0
		}},
		{"policy, held out", chart.Colors[3], "4 4", func(p *run.Progress) (float64, bool) {
			if p.HeldOut == nil {
				return 0, false
			}
			return p.HeldOut.Policy, p.HeldOut.Policy != 0
		}},
		{"value", chart.Colors[2], "", func(p *run.Progress) (float64, bool) {
			return p.Losses.Value, true
		}},
		{"value, held out", chart.Colors[2], "4 4", func(p *run.Progress) (float64, bool) {
			if p.HeldOut == nil {
				return 0, false
			}
			return p.HeldOut.Value, true
		}},
	} {
		var list []chart.Point
		for _, e := range history.events() {
			if e.Progress == nil || e.Progress.Dropped != "" {
				continue
			}
			if y, ok := c.y(e.Progress); ok {
				list = append(list, chart.Point{X: float64(e.Progress.Games), Y: y})
			}
		}
		if len(list) > 0 {
			p.Line(c.name, list, chart.Style{Color: c.color, Dash: c.dash})
		}
	}
	p.Corner = chart.BottomLeft // below the curves, since losses stay well above zero
}

// maxDrawn is the number of iterations, and of evaluations, that are drawn at most. It
// is more than a picture can show and bounds the memory for long runs.
const maxDrawn = 300

// maxPlaces is the number of iterations of which the number of games is known to the game. Of those
// between them it is as if all had the same number.
const maxPlaces = 4096

// outline is the part of a run's history that is drawn. Its size does not grow with the run's.
type outline struct {
	iterations, evaluations sample[run.Event]
	places                  sample[place] // in ascending order of iterations
}

// place is the number of self-play games before the network of an iteration.
type place struct {
	iteration int
	games     float64
}

// newOutline returns the outline of no events.
func newOutline() *outline {
	return &outline{
		iterations:  sample[run.Event]{most: maxDrawn},
		evaluations: sample[run.Event]{most: maxDrawn},
		places:      sample[place]{most: maxPlaces},
	}
}

// readOutline reads the outline from the event log.
func readOutline(f run.Files) (*outline, error) {
	o := newOutline()
	if err := f.EachEvent(context.Background(), o.add); err != nil {
		return nil, err
	}
	return o, nil
}

// add adds an event of the log.
func (o *outline) add(e run.Event) {
	switch {
	case e.Progress != nil:
		o.iterations.add(e)
		if e.Iteration > 0 { // else it is damaged
			o.places.cut(func(p place) bool { return p.iteration >= e.Iteration })
			o.places.add(place{e.Iteration, float64(e.Progress.Games)})
		}
	case e.Strength != nil:
		o.evaluations.add(e)
	}
}

// events returns the iterations and the evaluations that are drawn.
func (o *outline) events() []run.Event {
	return slices.Concat(o.iterations.all(), o.evaluations.all())
}

// gamesAt returns the number of self-play games before an iteration's network; false if
// it is unknown.
func (o *outline) gamesAt(iteration int) (float64, bool) {
	if iteration == 0 {
		return 0, true
	}
	places := o.places.all()
	i, known := slices.BinarySearchFunc(places, iteration, func(p place, n int) int {
		return cmp.Compare(p.iteration, n)
	})
	switch {
	case known:
		return places[i].games, places[i].games != 0
	case iteration < 0 || i == len(places):
		return 0, false
	}
	var before place
	if i > 0 {
		before = places[i-1]
	}
	after := places[i]
	part := float64(iteration-before.iteration) / float64(after.iteration-before.iteration)
	return before.games + part*(after.games-before.games), true
}

// sample keeps the last of what is added to it and every n-th, with n such that these
// are at most most.
type sample[T any] struct {
	most  int
	kept  []T
	every int // 0: 1
	added int
	last  T
}

func (s *sample[T]) add(x T) {
	s.every = max(1, s.every)
	s.last = x
	if s.added%s.every == 0 {
		s.kept = append(s.kept, x)
	}
	s.added++
	if len(s.kept) > s.most {
		half := s.kept[:0]
		for i := 0; i < len(s.kept); i += 2 {
			half = append(half, s.kept[i])
		}
		clear(s.kept[len(half):]) // frees what they point to
		s.kept = half
		s.every *= 2
	}
}

// cut removes what was added last as long as it is over.
func (s *sample[T]) cut(over func(T) bool) {
	if s.added == 0 || !over(s.last) {
		return
	}
	n := len(s.kept)
	for n > 0 && over(s.kept[n-1]) {
		n--
	}
	s.kept, s.added = s.kept[:n], n*s.every
	if n > 0 {
		s.last, s.added = s.kept[n-1], (n-1)*s.every+1
	}
}

// all returns what is kept.
func (s *sample[T]) all() []T {
	if s.added > 0 && (s.added-1)%s.every != 0 {
		return append(s.kept, s.last)
	}
	return s.kept
}

// rated is the rating of a network and its place on the axis.
type rated struct {
	games float64 // self-play games played before the network
	run.Elo
}

// readRatings returns ratings, evenly thinned out, in order of games played: those of the last
// estimate, and for networks missing there, those of their evaluation.
func readRatings(f run.Files, history *outline) ([]rated, error) {
	last, err := f.ReadRatings()
	if err != nil {
		return nil, err
	}
	byIteration := map[int]run.Elo{}
	for _, e := range history.events() {
		if e.Strength != nil && e.Strength.Elo != nil {
			byIteration[e.Iteration] = *e.Strength.Elo
		}
	}
	for _, n := range last.Networks {
		byIteration[n.Iteration] = n.Elo
	}
	var list []rated
	for iteration, elo := range byIteration {
		if x, ok := history.gamesAt(iteration); ok {
			list = append(list, rated{x, elo})
		}
	}
	slices.SortFunc(list, func(a, b rated) int { return cmp.Compare(a.games, b.games) })
	drawn := sample[rated]{most: maxDrawn}
	for _, x := range list {
		drawn.add(x)
	}
	return drawn.all(), nil
}

// newRatingPlot draws ratings with their intervals over the games played. A band without
// a bound ends at the edge of the panel.
func newRatingPlot(title string, list []rated) *chart.Panel {
	p := chart.New(title)
	p.Y.Label, p.X.Label = "Elo, 95 % band", "games played"
	least, greatest := ratingRange(list)
	p.X.Min, p.Y.Min, p.Y.Max = 0, least, greatest
	var curve, lows, highs []chart.Point
	for _, r := range list {
		curve = append(curve, chart.Point{X: r.games, Y: r.Rating})
		low, high := r.Bounds()
		lows = append(lows, chart.Point{X: r.games, Y: max(low, least)})
		highs = append(highs, chart.Point{X: r.games, Y: min(high, greatest)})
	}
	p.Band(lows, highs, chart.Colors[3])
	p.Line("network", curve, chart.Style{Color: chart.Colors[3], Mark: chart.Dot})
	p.Line("UCT", []chart.Point{{}, {X: list[len(list)-1].games}}, chart.Style{Dash: "4 4"})
	p.Corner = chart.BottomRight // below the rising curve
	return p
}

// ratingRange returns the range of a panel: all ratings and finite bounds, UCT's 0, and
// a margin for the bands without a bound.
func ratingRange(list []rated) (least, greatest float64) {
	for _, r := range list {
		low, high := r.Bounds()
		for _, x := range []float64{low, r.Rating, high} {
			if !math.IsInf(x, 0) {
				least, greatest = min(least, x), max(greatest, x)
			}
		}
	}
	room := max(50, 0.1*(greatest-least))
	return least - room, greatest + room
}
