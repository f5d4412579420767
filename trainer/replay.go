package trainer

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"tengen/internal/notation"
	"tengen/internal/runid"
	"tengen/replay"
	"tengen/replay/record"
)

// noteWindow records the window in the state.
func (r *runner) noteWindow() {
	w := WindowState{
		Games: r.updater.Window.Len(), Capacity: r.plan.Config.Replay.Window(r.state.Games),
	}
	if r.state.Window != nil {
		w.First = r.state.Window.First
	}
	w.First = append(w.First[:len(w.First):len(w.First)], r.updater.Window.Game(0).Number)
	w.First = w.First[max(0, len(w.First)-r.checkpointsNeeded()):]
	r.state.Window = &w
}

// restoreWindow fills the window with the games that it held at the checkpoint, and
// r.pending with those that an interrupted process has played since. It logs games that
// it can't read and continues without them, unless none is left.
func (r *runner) restoreWindow() error {
	now := r.plan.Config.Replay.Window(r.state.Games)
	r.updater.Window.SetCapacity(now)
	first, held, capacity := 0, 0, now
	if w := r.state.Window; w != nil && len(w.First) > 0 {
		first, held, capacity = int(w.First[len(w.First)-1]), w.Games, w.Capacity
	} else { // a checkpoint without WindowState
		held = min(r.state.Games, capacity)
		first = r.state.Games - held
	}
	end := r.state.Games
	for i := range r.ahead() {
		end += r.plan.gamesOf(r.state.Iteration + i)
	}
	before, last := uint64(end), -1
	if r.asynchronous() || r.state.Iteration == 0 {
		before = math.MaxUint64
	}
	from := first
	if now > capacity {
		from = min(from, max(0, r.state.Games-now))
	}
	var err error
	if r.games, err = replay.OpenLog(
		r.folder.FS, r.folder.Replay(), segmentGames(now)); err != nil {
		return fmt.Errorf("resume %s: %w", r.folder.Folder, err)
	}
	r.games.Run = r.folder.Run
	owner := replay.Owner{Run: r.folder.Run, Seed: r.plan.Config.Seed}
	missing := held
	add := func(g *record.Packed) error {
		switch number := int(g.Number); {
		case number >= end && !r.asynchronous():
			last = number
			return nil
		case number >= r.state.Games:
			r.pending = append(r.pending, g.Game())
			return nil
		case number >= first:
			missing--
		}
		if err := r.updater.Window.AddChecked(g); err != nil {
			r.log.Warn("a game of the replay is passed over", "reason", err)
			missing++
		}
		return nil
	}
	damages, err := r.games.Resume(owner, r.plan.Game, uint64(from), before, add)
	for _, d := range damages {
		r.log.Warn("a damaged part of the replay is passed over", "reason", d)
	}
	switch {
	case errors.Is(err, runid.ErrOtherRun):
		return fmt.Errorf("resume %s: %w; put this run's own in its place, or move the file away to go on without its games", r.folder.Folder, err)
	case err != nil:
		return fmt.Errorf(
			"resume %s: %w; mend it, or move the file away to go on without its games",
			r.folder.Folder, err)
	}
	if last >= 0 {
		// Later games mean that there was a checkpoint. Starting over would replace them.
		return fmt.Errorf("resume %s: %s holds games up to number %d, but %s holds no checkpoint: put that folder back, or begin a new run elsewhere",
			r.folder.Folder, r.folder.Replay(), last, r.folder.Checkpoints())
	}
	switch {
	case missing > 0 && r.updater.Window.Len() == 0:
		return fmt.Errorf("resume %s: none of the %d games of the replay window can be read from %s; put that folder back, or begin a new run from this one's network with --init %s",
			r.folder.Folder, held, r.folder.Replay(), notation.Shell(string(r.folder.Folder)))
	case missing > 0:
		r.warn(fmt.Sprintf("%d of the %d games of the replay window can't be read from %s: the run goes on without them, and is no longer the same, to the bit, as one that was not damaged",
			missing, held, r.folder.Replay()), r.state.Iteration)
	}
	return nil
}

// segmentGames returns the number of games in one file of the replay. Since files go as a whole,
// the disk holds an eighth more than the window, or 1,000 games if that is less.
func segmentGames(window int) int { return max(1, min(1000, window/8)) }

const (
	// commitEvery is the time that a finished game may wait until it is durable.
	commitEvery = time.Second
	// commitWanted is that time while the run has nothing to do until it has the game. It bounds
	// the number of fsyncs: games of small networks end every millisecond, and each fsync takes
	// some.
	commitWanted = 20 * time.Millisecond
)

// gameWriter makes the finished games of a run durable: those of an iteration when its last one has
// ended, others at intervals of about commitEvery, or commitWanted. If the disk is full, it waits
// and writes the games that are not durable yet again.
type gameWriter struct {
	where string // the folder of log
	log   *replay.Log
	write func(context.Context, piece, func() error) error // as runner.write
	now   func() time.Time

	durable   func([]*record.Game) // if not nil, called with games that are durable now
	since     []*record.Game       // since the last commit
	appended  int                  // number of games of since that are appended to log
	committed time.Time
	failed    bool
}

// add writes the next game. It commits if the last commit is wait ago.
func (w *gameWriter) add(ctx context.Context, g *record.Game, wait time.Duration) error {
	w.since = append(w.since, g)
	return w.flush(ctx, w.now().Sub(w.committed) >= wait)
}

// end makes all games durable. After a failed add it does nothing.
func (w *gameWriter) end(ctx context.Context) error {
	if w.failed {
		return nil
	}
	return w.flush(ctx, true)
}

// flush writes the games that are not durable yet, and makes them durable if commit is set.
func (w *gameWriter) flush(ctx context.Context, commit bool) error {
	if len(w.since) == 0 {
		return nil
	}
	what := piece{
		name: fmt.Sprintf("games from number %d on", w.since[0].Number), where: w.where,
	}
	err := w.write(ctx, what, func() error {
		err := w.tryFlush(commit)
		if err != nil {
			// It is unknown what the log has left on disk: another segment begins with the first
			// game that is not durable.
			w.log.Reopen()
			w.appended = 0
		}
		return err
	})
	w.failed = err != nil
	return err
}

func (w *gameWriter) tryFlush(commit bool) error {
	for ; w.appended < len(w.since); w.appended++ {
		if err := w.log.Append(w.since[w.appended]); err != nil {
			return err
		}
	}
	if !commit {
		return nil
	}
	if err := w.log.Commit(); err != nil {
		return err
	}
	if w.durable != nil {
		w.durable(w.since)
	}
	clear(w.since)
	w.since, w.appended, w.committed = w.since[:0], 0, w.now()
	return nil
}

// mergeGames merges small segments of the replay until stop is called, which waits for the end.
func (r *runner) mergeGames(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if err := r.games.Merge(ctx); err != nil {
			r.log.Warn("small files of the replay are not merged until the run is resumed",
				"reason", err)
		}
	}()
	return func() {
		cancel()
		<-ended
	}
}
