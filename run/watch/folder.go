package watch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"tengen/checkpoints"
	"tengen/internal/notation"
	"tengen/replay"
	"tengen/run/history"
	"tengen/vfs"
)

// folderSource watches a run's folder. It only reads, and takes no lock.
type folderSource struct {
	dir  string
	run  *history.Run
	read place
}

func (s *folderSource) Look(ctx context.Context, now time.Time) (*Snapshot, error) {
	r := s.run
	if err := r.Refresh(ctx); err != nil {
		return nil, err
	}
	r.FindHolder()
	x := &Snapshot{
		Source: s.dir, Time: now, Game: r.Game(), State: string(r.State()),
		Iteration: r.Iteration(), Iterations: r.All(), Told: r.Last.Time,
	}
	if r.Config != nil {
		x.Algorithm = string(r.Config.Algorithm)
	}
	if r.Holder != nil {
		holder := *r.Holder
		holder.Command = "" // long, and of little use here
		x.Holder = holder.Describe(now)
	}
	s.progress(x)
	if x.Share = r.Share(r.Took()); r.State() == history.Complete {
		x.Share = 1
	}
	s.strength(x)
	s.warnings(x)
	if list, err := checkpoints.List(r.Folder.Checkpoints()); err == nil && len(list) > 0 {
		if info, err := os.Stat(list[len(list)-1].Path); err == nil {
			x.Saved = info.ModTime()
		}
	}
	if r.Holder == nil {
		return x, nil
	}
	if err := s.stage(ctx, x); err != nil {
		return nil, err
	}
	s.left(x, now)
	return x, nil
}

// progress fills in the figures of the last iteration.
func (s *folderSource) progress(x *Snapshot) {
	t := &s.run.Iterations
	if len(t.Rows) == 0 {
		return
	}
	count := func(name string) int { n, _ := t.Last(name); return int(n) }
	x.Games, x.Steps, x.Window = count("games"), count("steps"), count("window_games")
	took := s.run.Took()
	x.CacheHits, x.Elapsed = last(t, "cache_hits"), &took
	x.GamesRate, x.EvaluationsRate, x.StepsRate = last(t, history.GamesRate),
		last(t, history.EvaluationsRate), last(t, history.StepsRate)
	x.RatesOf = fmt.Sprintf("iteration %d", s.run.Iteration())
	for _, head := range []string{"policy", "value"} {
		l := Loss{Head: head, Training: last(t, "losses/"+head), HeldOut: last(t, "held_out/"+head)}
		if head == "policy" && (l.Training == nil || *l.Training == 0) {
			continue // Descent's network has no policy
		}
		group := "held_out/"
		if l.HeldOut == nil {
			group = "losses/"
		}
		l.Curve = values(s.run.Curve(group+head, history.Iterations), false)
		x.Losses = append(x.Losses, l)
	}
}

// last returns a figure of the last row, nil if there is none.
func last(t *history.Table, name string) *float64 {
	if v, ok := t.Last(name); ok {
		return &v
	}
	return nil
}

// values returns the Y values of a curve, or means of parts of a long one; see history.Thin.
func values(curve []history.Point, evaluations bool) []float64 {
	curve = history.Thin(curve, maxCurve, evaluations)
	list := make([]float64, len(curve))
	for i, p := range curve {
		list[i] = p.Y
	}
	return list
}

// strength fills in the last evaluation.
func (s *folderSource) strength(x *Snapshot) {
	r := s.run
	m := r.Measured()
	if m == nil {
		return
	}
	x.Strength = &Strength{*m, values(r.Curve(history.Sum, history.Iterations), true)}
	if elo := r.RatingOf(m.Iteration); elo != nil {
		x.Rating = &Rating{*elo, values(r.Curve(history.Rating, history.Iterations), true)}
	}
}

// warnings fills in what can't be read, the run's own warnings, and how it ended.
func (s *folderSource) warnings(x *Snapshot) {
	r := s.run
	for _, p := range r.Problems() {
		x.warn(Warning{Text: p})
	}
	if n := len(r.Damaged); n > 0 {
		d := r.Damaged[n-1]
		x.warn(Warning{
			Text: fmt.Sprintf("%d lines of events.jsonl are passed over, the last: line %d: %s",
				r.Skipped, d.Line, d.Problem),
		})
	}
	for _, w := range r.Warnings {
		x.warn(Warning{w.Time, w.Message})
	}
	switch r.State() {
	case history.Stopped:
		text := r.Last.Message
		if !strings.HasPrefix(text, "stopped ") {
			text = "stopped: " + text
		}
		x.warn(Warning{r.Last.Time, text})
	case history.Broken:
		x.warn(Warning{
			r.Last.Time,
			"nothing trains here, and the run did not say that it stops; go on with: " +
				notation.Command("train", "--resume", "--run", notation.Path(s.dir)),
		})
	}
}

// stage infers what the process is doing from the games that were recorded since the last
// iteration.
func (s *folderSource) stage(ctx context.Context, x *Snapshot) error {
	r := s.run
	recorded, err := s.recorded(ctx)
	if err != nil || r.Config == nil {
		return err
	}
	done := max(0, recorded-x.Games)
	c := r.Config
	all := c.Training.Games
	if x.Iteration == 0 {
		all += c.WarmStart.InitialGames
	}
	every := c.Evaluation.Every
	measured := slices.ContainsFunc(r.Evaluations.Rows, func(e history.Row) bool {
		return e.Iteration == x.Iteration
	})
	last := x.Iteration >= x.Iterations
	switch {
	case done == 0 && every > 0 && !measured && (x.Iteration%every == 0 || last):
		x.Stage = "evaluation"
	case last:
	case done < all:
		x.Stage, x.Done, x.All = "self-play", done, all
		x.Games += done
	default:
		x.Stage = "update"
		x.Games += done
	}
	return nil
}

// recorded returns the number of games that the run has recorded, as the last one's number tells.
// It does not read again what it has read before.
func (s *folderSource) recorded(ctx context.Context) (int, error) {
	list, err := replay.Segments(vfs.OS{}, s.run.Folder.Replay())
	if err != nil {
		return 0, fmt.Errorf("look at the games of %s: %w", s.dir, err)
	}
	for _, segment := range slices.Backward(list) {
		if s.read.path != segment.Path {
			s.read = place{path: segment.Path}
		}
		if err := s.read.advance(ctx); err != nil || s.read.recorded > 0 {
			return s.read.recorded, err
		}
	}
	return 0, nil
}

// place is how far a segment was read.
type place struct {
	path     string
	offset   int64 // of the next record
	recorded int   // 1 more than the number of the last game before it; 0: there is none
}

// advance reads the games that were added to a segment.
func (p *place) advance(ctx context.Context) error {
	segment, err := replay.OpenSegment(vfs.OS{}, p.path)
	if err != nil {
		return nil // removed, or not yet written
	}
	defer segment.Close()
	segment.MoveTo(p.offset)
	last := int64(-1) // offset of the last record added
	for err == nil {
		if err := ctx.Err(); err != nil {
			return err
		}
		offset := segment.Offset()
		err = segment.Skip()
		var damage *replay.Damage
		switch {
		case err == nil:
			last, p.offset = offset, segment.Offset()
		case errors.As(err, &damage) && !damage.Torn:
			p.offset, err = segment.Offset(), nil
		}
	}
	if last < 0 {
		return nil
	}
	segment.MoveTo(last)
	if g, err := segment.Next(); err == nil {
		p.recorded = int(g.Number) + 1
	}
	return nil
}

// left estimates the remaining time: that of the remaining iterations, or of the run's time
// limit if that is less.
func (s *folderSource) left(x *Snapshot, now time.Time) {
	r := s.run
	if r.Config == nil {
		return
	}
	if x.Elapsed != nil {
		*x.Elapsed = r.Elapsed(now)
		x.Share = r.Share(*x.Elapsed)
		if limit := r.Config.Training.Minutes * 60; limit > 0 {
			left := max(0, limit-*x.Elapsed)
			x.Left = &left
		}
	}
	if d, ok := r.Left(x.Iterations, now); ok {
		if left := d.Seconds(); x.Left == nil || left < *x.Left {
			x.Left = &left
		}
	}
}
