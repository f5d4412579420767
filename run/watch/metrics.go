package watch

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strings"
	"time"

	"tengen/game"
	"tengen/internal/interval"
	"tengen/run"
	"tengen/run/history"
)

// window is the time over which rates are measured.
const window = 15 * time.Second

// maxCurve is the number of points of a curve that a snapshot has.
const maxCurve = 1000

// metricsSource watches the metrics of a process that trains.
type metricsSource struct {
	text, address string
	client        *http.Client
	scrapes       []*scrape // of the current process, within the window, oldest first
	curves        map[string][]float64
	iteration     int // the last one with losses in the curves
	measured      int // the last evaluated iteration in the curves
	began         bool
}

func newMetricsSource(text string) (*metricsSource, error) {
	address, err := metricsAddress(text)
	if err != nil {
		return nil, err
	}
	// No proxy and no redirects: they would lead to another program.
	client := &http.Client{
		Transport: &http.Transport{},
		CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse
		},
	}
	return &metricsSource{
		text: text, address: address, client: client, curves: map[string][]float64{},
	}, nil
}

func (s *metricsSource) Look(ctx context.Context, now time.Time) (*Snapshot, error) {
	got, err := fetch(ctx, s.client, s.address, now)
	if err != nil {
		return nil, err
	}
	s.take(got)
	x := &Snapshot{
		Source: s.text, Time: now, State: "running",
		Iteration:  whole(got.get("tengen_iteration")),
		Iterations: whole(got.get("tengen_iterations")),
		Steps:      whole(got.get("tengen_newest_network_step")),
		Window:     whole(got.get("tengen_replay_games")),
	}
	if x.Iterations > 0 {
		x.Share = float64(x.Iteration) / float64(x.Iterations)
	}
	for _, m := range got.series("tengen_run_info") {
		x.Game, x.Algorithm = label(m, "game"), label(m, "algorithm")
	}
	if t := got.get("tengen_checkpoint_timestamp_seconds"); t > 0 {
		x.Saved = time.Unix(0, int64(t*1e9))
	}
	if t := got.get("process_start_time_seconds"); t > 0 {
		elapsed := now.Sub(time.Unix(0, int64(t*1e9))).Seconds()
		x.Elapsed = &elapsed
	}
	s.stage(x, got)
	s.rates(x)
	s.losses(x, got)
	s.strength(x, got)
	x.Left = left(x, got)
	s.warnings(x, got)
	return x, nil
}

// take remembers a scrape. If counters have decreased, another process answers, and take
// forgets the earlier scrapes.
func (s *metricsSource) take(got *scrape) {
	if n := len(s.scrapes); n > 0 {
		before := s.scrapes[n-1]
		again := got.get("process_start_time_seconds") > before.get("process_start_time_seconds")
		for _, name := range []string{"tengen_steps_total", "tengen_games_finished_total"} {
			again = again || got.get(name) < before.get(name)
		}
		if again {
			s.scrapes = nil
		}
	}
	s.scrapes = append(s.scrapes, got)
	for len(s.scrapes) > 2 && got.at.Sub(s.scrapes[0].at) > window {
		s.scrapes = s.scrapes[1:]
	}
}

// stage fills in the stages in progress. Evaluation may be concurrent with another.
func (s *metricsSource) stage(x *Snapshot, got *scrape) {
	var names []string
	for _, m := range got.series("tengen_stage_in_progress") {
		if m.GetGauge().GetValue() == 0 {
			continue
		}
		names = append(names, run.Stage(label(m, "stage")).Title())
	}
	// Evaluation last, since it may be concurrent.
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(compareBool(a == "evaluation", b == "evaluation"), strings.Compare(a, b))
	})
	x.Stage = strings.Join(names, ", ")
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

// rates fills in the rates over the window. After a single scrape there are none.
func (s *metricsSource) rates(x *Snapshot) {
	last := s.scrapes[len(s.scrapes)-1]
	first := s.scrapes[0]
	seconds := last.at.Sub(first.at).Seconds()
	if seconds <= 0 {
		return
	}
	grown := func(name string) float64 { return last.get(name) - first.get(name) }
	x.GamesRate = interval.OrNull(grown("tengen_games_finished_total") / seconds)
	x.EvaluationsRate = interval.OrNull(grown("tengen_inference_positions_total") / seconds)
	x.StepsRate = interval.OrNull(grown("tengen_steps_total") / seconds)
	if lookups := grown("tengen_inference_cache_lookups_total"); lookups > 0 {
		x.CacheHits = interval.OrNull(grown("tengen_inference_cache_hits_total") / lookups)
	}
	x.RatesOf = fmt.Sprintf("the last %.0f s", seconds)
}

// losses fills in the losses of the last update, with the curves seen so far.
func (s *metricsSource) losses(x *Snapshot, got *scrape) {
	if x.Iteration == 0 {
		return // the gauges are 0 before the first update
	}
	fresh := !s.began || x.Iteration != s.iteration
	for _, head := range []string{"policy", "value"} {
		training, held := got.get("tengen_loss", "data", "training", "head", head),
			got.get("tengen_loss", "data", "held_out", "head", head)
		if training == 0 || math.IsNaN(training) && head == "policy" && held == 0 {
			continue // no such head, or no update in this process yet
		}
		l := Loss{Head: head, Training: interval.OrNull(training)}
		seen := training
		if held != 0 {
			l.HeldOut, seen = interval.OrNull(held), held
		}
		if fresh {
			s.remember(head, seen)
		}
		l.Curve = slices.Clone(s.curves[head])
		x.Losses = append(x.Losses, l)
	}
	if len(x.Losses) > 0 {
		s.began, s.iteration = true, x.Iteration
	}
}

func (s *metricsSource) remember(name string, y float64) {
	if math.IsNaN(y) || math.IsInf(y, 0) {
		return
	}
	list := append(s.curves[name], y)
	s.curves[name] = list[max(0, len(list)-maxCurve):]
}

// strength fills in the last evaluation of the process. Before the first, the metrics are
// 0.
func (s *metricsSource) strength(x *Snapshot, got *scrape) {
	games := got.get("tengen_evaluation_games_total")
	found := &Strength{
		Measurement: history.Measurement{Iteration: whole(got.get("tengen_evaluation_iteration"))},
	}
	told, anchored := false, false
	variance := 0.0
	for _, m := range got.series("tengen_evaluation_points") {
		seat := label(m, "seat")
		points := m.GetGauge().GetValue()
		low, high := got.get("tengen_evaluation_points_low", "seat", seat),
			got.get("tengen_evaluation_points_high", "seat", seat)
		anchor := got.get("tengen_evaluation_anchor_points", "seat", seat)
		half := max(high-points, points-low)
		variance += half * half
		told = told || points != 0 || low != 0 || high != 0
		anchored = anchored || anchor != 0
		found.Seats = append(found.Seats, history.SeatPoints{
			Seat: seat, Points: points, CI95: interval.OrNull(half),
			Baseline: interval.OrNull(anchor),
		})
		found.Sum += points
	}
	if games == 0 || !told && !anchored {
		return
	}
	// The games of different seats are independent.
	found.CI95 = interval.OrNull(math.Sqrt(variance))
	if !anchored {
		for i := range found.Seats {
			found.Seats[i].Baseline = nil
		}
	}
	inOrder(found.Seats, x.Game)
	elo := got.get("tengen_rating_elo")
	rated := elo != 0 || got.get("tengen_rating_low_elo") != 0
	if len(s.curves["sum"]) == 0 || found.Iteration != s.measured {
		s.remember("sum", found.Sum)
		if rated {
			s.remember("rating", elo)
		}
		s.measured = found.Iteration
	}
	found.Curve = slices.Clone(s.curves["sum"])
	x.Strength = found
	if rated && !math.IsNaN(elo) {
		x.Rating = &Rating{
			Elo: run.Elo{
				Rating: elo, Low: interval.OrNull(got.get("tengen_rating_low_elo")),
				High: interval.OrNull(got.get("tengen_rating_high_elo")),
			},
			Curve: slices.Clone(s.curves["rating"]),
		}
	}
}

// inOrder sorts seats in the order of the game, if this program knows it. Metrics are in
// alphabetical order.
func inOrder(seats []history.SeatPoints, name string) {
	g, err := game.New(name)
	if err != nil {
		return
	}
	place := map[string]int{}
	for p := range g.Players() {
		place[game.SeatName(g, game.Player(p))] = p
	}
	slices.SortStableFunc(seats, func(a, b history.SeatPoints) int {
		return place[a.Seat] - place[b.Seat]
	})
}

// left estimates the remaining time from the durations of the stages in this process.
func left(x *Snapshot, got *scrape) *float64 {
	_, updates := got.total("tengen_stage_duration_seconds", "stage", "update")
	if updates == 0 || x.Iterations <= x.Iteration {
		return nil
	}
	sum := 0.0
	for _, stage := range []string{"self_play", "replay", "update", "checkpoint"} {
		seconds, _ := got.total("tengen_stage_duration_seconds", "stage", stage)
		sum += seconds
	}
	return interval.OrNull(sum / updates * float64(x.Iterations-x.Iteration))
}

// warnings fills in the problems that the metrics show.
func (s *metricsSource) warnings(x *Snapshot, got *scrape) {
	if got.get("tengen_waiting_for_disk") == 1 {
		x.warn(Warning{Text: "the run waits: its disk has no room"})
	}
	if got.get("tengen_stalled") == 1 {
		x.warn(Warning{Text: "the run makes no progress: its log says more"})
	}
	if n := got.get("tengen_write_failures_total"); n > 0 {
		x.warn(Warning{Text: fmt.Sprintf("%.0f writes to the run's folder failed", n)})
	}
	if n := got.get("tengen_bad_updates_total"); n > 0 {
		x.warn(Warning{
			Text: fmt.Sprintf("%.0f updates came to no finite numbers and were taken back", n),
		})
	}
	if x.Iteration > 0 && len(got.series("tengen_loss")) > 0 && !finiteLoss(got) {
		x.warn(Warning{Text: "the loss is not a finite number"})
	}
}

func finiteLoss(got *scrape) bool {
	loss := got.get("tengen_loss", "data", "training", "head", "total")
	return !math.IsNaN(loss) && !math.IsInf(loss, 0)
}

// whole converts a count; it returns 0 if there is none.
func whole(x float64) int {
	if math.IsNaN(x) || math.Abs(x) > 1e15 {
		return 0
	}
	return int(x)
}
