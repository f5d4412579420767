package watch

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"time"

	"tengen/checkpoints"
	"tengen/history"
	"tengen/internal/atomicfile"
	"tengen/internal/lockfile"
	"tengen/replay"
	"tengen/trainer"
)

// folderSource watches a run's folder. It reads, and takes no lock.
type folderSource struct {
	dir     string
	run     *history.Run
	seen    [3]stamp // of the files behind run
	offsets map[string]place
}

// stamp tells whether a file has changed.
type stamp struct {
	size int64
	time time.Time
}

// place is how far a segment of games has been counted.
type place struct {
	offset int64
	games  int
}

func (s *folderSource) Look(ctx context.Context, now time.Time) (*Snapshot, error) {
	if err := s.read(); err != nil {
		return nil, err
	}
	r := s.run
	x := &Snapshot{
		Source: s.dir, Time: now, Game: r.Game(), State: string(r.State()),
		Iteration: r.Iteration(), Iterations: r.All(), Told: r.Last.Time,
	}
	if r.Config != nil {
		x.Algorithm = r.Config.Algorithm
	}
	if r.Holder != nil {
		holder := *r.Holder
		holder.Command = "" // it is long, and says little that the rest does not
		x.Holder = holder.Describe(now)
	}
	s.progress(x)
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

// read reads the history anew where its files have changed; who holds the run
// is asked each time.
func (s *folderSource) read() error {
	f := trainer.Folder(s.dir)
	var seen [3]stamp
	for i, path := range []string{f.Events(), f.Ratings(), f.Config()} {
		if info, err := os.Stat(path); err == nil {
			seen[i] = stamp{info.Size(), info.ModTime()}
		}
	}
	if s.run == nil || seen != s.seen {
		run, err := history.Read(s.dir)
		if err != nil {
			return err
		}
		s.run, s.seen = run, seen
		return nil
	}
	holder, err := lockfile.Holder(filepath.Join(s.dir, "LOCK"))
	if err == nil {
		s.run.Holder = holder
	}
	return nil
}

// progress fills in what the last iteration brought.
func (s *folderSource) progress(x *Snapshot) {
	r := s.run
	n := len(r.Iterations)
	if n == 0 {
		return
	}
	last := &r.Iterations[n-1]
	p := last.Progress
	x.Games, x.Steps, x.Window, x.CacheHits = p.Games, int(p.Steps), p.Window, p.CacheHits
	x.Elapsed = &p.Elapsed
	x.GamesRate, x.EvaluationsRate, x.StepsRate = rate(last, history.GamesRate), rate(last, history.EvaluationsRate), rate(last, history.StepsRate)
	x.RatesOf = fmt.Sprintf("iteration %d", last.Iteration)
	for _, head := range []string{"policy", "value"} {
		l := Loss{Head: head, Training: rate(last, "losses/"+head), HeldOut: rate(last, "held_out/"+head)}
		if head == "policy" && (l.Training == nil || *l.Training == 0) {
			continue // Descent's network has none
		}
		if l.Curve = values(r.Curve("held_out/"+head, history.Iterations)); l.HeldOut == nil {
			l.Curve = values(r.Curve("losses/"+head, history.Iterations))
		}
		x.Losses = append(x.Losses, l)
	}
}

// rate is a figure of the record; nil without one.
func rate(x *history.Record, name string) *float64 {
	if v, ok := x.Value(name); ok {
		return &v
	}
	return nil
}

// values are the heights of a curve's points.
func values(curve []history.Point) []float64 {
	list := make([]float64, len(curve))
	for i, p := range curve {
		list[i] = p.Y
	}
	return list
}

// strength fills in what the last evaluation found.
func (s *folderSource) strength(x *Snapshot) {
	r := s.run
	n := len(r.Evaluations)
	if n == 0 {
		return
	}
	e := r.Evaluations[n-1]
	found := e.Strength
	x.Strength = &Strength{
		Iteration: e.Iteration, Against: found.Against, Games: found.Games,
		Sum: found.Sum, Half: finite(float64(found.SumCI)), Curve: values(r.Curve(history.Sum, history.Iterations)),
	}
	for i, points := range found.Points {
		seat := Seat{Points: points, Half: finite(float64(found.CI[i]))}
		if i < len(r.Seats) {
			seat.Seat = r.Seats[i]
		}
		if i < len(found.Baseline) {
			seat.Baseline = finite(found.Baseline[i])
		}
		x.Strength.Seats = append(x.Strength.Seats, seat)
	}
	if elo := r.RatingOf(e.Iteration); elo != nil {
		x.Rating = &Rating{Elo: elo.Rating, Low: elo.Low, High: elo.High, Curve: values(r.Curve(history.Rating, history.Iterations))}
	}
}

// finite is nil for what is no number.
func finite(x float64) *float64 {
	if math.IsInf(x, 0) || math.IsNaN(x) {
		return nil
	}
	return &x
}

// warnings are the run's own, what can't be read, and how it ended.
func (s *folderSource) warnings(x *Snapshot) {
	r := s.run
	for _, p := range r.Problems {
		x.warn(Warning{Text: p})
	}
	if n := len(r.Damaged); n > 0 {
		d := r.Damaged[n-1]
		x.warn(Warning{Text: fmt.Sprintf("%d lines of events.jsonl are passed over, the last: line %d: %s", n, d.Line, d.Problem)})
	}
	for _, w := range r.Warnings {
		x.warn(Warning{w.Time, w.Message})
	}
	switch r.State() {
	case history.Stopped:
		x.warn(Warning{r.Last.Time, "stopped: " + r.Last.Message})
	case history.Broken:
		x.warn(Warning{r.Last.Time, "nothing trains here, and the run did not say that it stops; tengen train --resume goes on"})
	}
}

// stage concludes what the process is doing from the games that were recorded
// since the last iteration.
func (s *folderSource) stage(ctx context.Context, x *Snapshot) error {
	r := s.run
	since := time.Time{}
	if n := len(r.Iterations); n > 0 {
		since = r.Iterations[n-1].Time
	}
	done, err := s.recorded(ctx, since)
	if err != nil || r.Config == nil {
		return err
	}
	c := r.Config
	all := c.Training.Games
	if x.Iteration == 0 {
		all += c.WarmStart.InitialGames
	}
	every := c.Evaluation.Every
	measured := slices.ContainsFunc(r.Evaluations, func(e history.Record) bool { return e.Iteration == x.Iteration })
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

// recorded counts the games in segments that were written after a time. What
// was counted before is not read again.
func (s *folderSource) recorded(ctx context.Context, since time.Time) (int, error) {
	list, err := replay.Segments(atomicfile.OS{}, s.run.Folder.Replay())
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("look at the games of %s: %w", s.dir, err)
	}
	offsets := map[string]place{}
	sum := 0
	for _, segment := range list {
		info, err := os.Stat(segment.Path)
		if err != nil || !info.ModTime().After(since) {
			continue // of an iteration before, or removed meanwhile
		}
		p := s.offsets[segment.Path]
		if p.offset < info.Size() {
			if p, err = count(ctx, segment.Path, p); err != nil {
				return 0, err
			}
		}
		offsets[segment.Path] = p
		sum += p.games
	}
	s.offsets = offsets
	return sum, nil
}

// count goes on counting a segment's games from a place.
func count(ctx context.Context, path string, p place) (place, error) {
	segment, err := replay.OpenSegment(atomicfile.OS{}, path)
	if err != nil {
		return p, nil // removed, or not yet begun
	}
	defer segment.Close()
	segment.MoveTo(p.offset)
	for {
		if err := ctx.Err(); err != nil {
			return p, err
		}
		err := segment.Skip()
		var damage *replay.Damage
		switch {
		case err == nil:
			p.games++
			p.offset = segment.Offset()
		case errors.As(err, &damage) && !damage.Torn:
			p.offset = segment.Offset()
		default:
			return p, nil // the end, or a record that is being written
		}
	}
}

// left estimates the time that the run will take yet, from the iterations of
// this sitting. The first of a run, with UCT's games, says little about the others.
func (s *folderSource) left(x *Snapshot, now time.Time) {
	r := s.run
	if r.Config == nil {
		return
	}
	since := now.Sub(r.Last.Time).Seconds()
	if !x.Told.IsZero() && x.Elapsed != nil {
		elapsed := *x.Elapsed + max(0, now.Sub(r.Iterations[len(r.Iterations)-1].Time).Seconds())
		if r.Began.After(r.Iterations[len(r.Iterations)-1].Time) {
			elapsed = *x.Elapsed + max(0, now.Sub(r.Began).Seconds())
		}
		x.Elapsed = &elapsed
		if limit := r.Config.Training.Minutes * 60; limit > 0 {
			left := max(0, limit-elapsed)
			x.Left = &left
		}
	}
	var sitting []history.Record
	for _, e := range r.Iterations {
		if !e.Time.Before(r.Began) && e.Iteration > 1 {
			sitting = append(sitting, e)
		}
	}
	if len(sitting) < 2 || x.Iterations <= x.Iteration || since < 0 {
		return
	}
	first, last := sitting[0], sitting[len(sitting)-1]
	each := last.Time.Sub(first.Time).Seconds() / float64(len(sitting)-1)
	left := max(0, each*float64(x.Iterations-x.Iteration)-now.Sub(last.Time).Seconds())
	if x.Left == nil || left < *x.Left {
		x.Left = &left
	}
}
