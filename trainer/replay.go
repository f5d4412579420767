package trainer

import (
	"context"
	"fmt"
	"math"
	"sort"
	"time"

	"tengen/internal/notation"
	"tengen/replay"
	"tengen/replay/record"
	"tengen/run"
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
	if r.asynchronous() {
		// All games that have ended since, however many.
		last, _, err := replay.Load(r.folder.FS, r.folder.Replay(), math.MaxUint64, 1)
		if err != nil {
			return fmt.Errorf("resume %s: %w", r.folder.Folder, err)
		}
		if len(last) > 0 {
			end = max(r.state.Games, int(last[0].Number)+1)
		}
	}
	wanted := end - first
	if r.state.Iteration == 0 && !r.asynchronous() {
		// Later games mean that there was a checkpoint. Starting over would replace them.
		last, _, err := replay.Load(r.folder.FS, r.folder.Replay(), math.MaxUint64, 1)
		if err == nil && len(last) > 0 && last[0].Number >= uint64(end) {
			return fmt.Errorf("resume %s: %s holds games up to number %d, but %s holds no checkpoint: put that folder back, or begin a new run elsewhere",
				r.folder.Folder, r.folder.Replay(), last[0].Number, r.folder.Checkpoints())
		}
	}
	wider := now > capacity
	if wider {
		wanted = max(wanted, now+end-r.state.Games)
	}
	// The games of a killed process may exist only in the page cache. They must be durable
	// before a checkpoint counts them.
	if err := replay.Sync(r.folder.FS, r.folder.Replay()); err != nil {
		return fmt.Errorf("resume %s: %w", r.folder.Folder, err)
	}
	owner := replay.Owner{Run: r.folder.Run, Seed: r.plan.Config.Seed}
	if err := owner.Check(r.folder.FS, r.folder.Replay()); err != nil {
		return fmt.Errorf("resume %s: %w; put this run's own in its place, or move the file away to go on without its games", r.folder.Folder, err)
	}
	games, damages, err := replay.Load(r.folder.FS, r.folder.Replay(), uint64(end), wanted)
	for _, d := range damages {
		r.log.Warn("a damaged part of the replay is passed over", "reason", d)
	}
	if err != nil {
		return fmt.Errorf(
			"resume %s: %w; mend it, or move the file away to go on without its games",
			r.folder.Folder, err)
	}
	for _, g := range games {
		if err := owner.CheckGame(g); err != nil {
			return fmt.Errorf("resume %s: %s: %w; put this run's own segment in its place, or move it away to go on without its games", r.folder.Folder, r.folder.Replay(), err)
		}
	}
	at := func(number int) int {
		return sort.Search(len(games), func(i int) bool {
			return games[i].Number >= uint64(number)
		})
	}
	from, to := at(first), at(r.state.Games)
	missing := held - (to - from)
	if wider {
		from = max(0, to-now)
	}
	for _, g := range games[from:to] {
		if err := r.updater.Window.Add(g); err != nil {
			r.log.Warn("a game of the replay is passed over", "reason", err)
			missing++
		}
	}
	r.pending = games[to:]
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

// gamesPerSegment is the number of games in one file of the replay.
const gamesPerSegment = 1000

// commitEvery is the time that a finished game may wait until it is durable.
const commitEvery = time.Second

// gameWriter makes the finished games of an iteration durable, at intervals of about
// commitEvery. If the disk is full, it waits and writes the games that are not durable
// yet again.
type gameWriter struct {
	folder run.Files
	write  func(context.Context, piece, func() error) error // as runner.write
	now    func() time.Time

	durable   func([]*record.Game) // if not nil, called with games that are durable now
	log       *replay.Log          // nil: not open
	since     []*record.Game       // since the last commit
	appended  int                  // number of games of since that are appended to log
	committed time.Time
	failed    bool
}

// add writes the next game.
func (w *gameWriter) add(ctx context.Context, g *record.Game) error {
	w.since = append(w.since, g)
	return w.flush(ctx, w.now().Sub(w.committed) >= commitEvery)
}

// close makes all games durable. After a failed add it does nothing.
func (w *gameWriter) close(ctx context.Context) error {
	if w.failed {
		return nil
	}
	if err := w.flush(ctx, true); err != nil || w.log == nil {
		return err
	}
	return w.log.Close()
}

func (w *gameWriter) flush(ctx context.Context, commit bool) error {
	if len(w.since) == 0 {
		return nil
	}
	what := piece{
		name: fmt.Sprintf("games from number %d on", w.since[0].Number), where: w.folder.Replay(),
	}
	err := w.write(ctx, what, func() error {
		err := w.tryFlush(commit)
		if err != nil {
			// It is unknown what the log has left on disk: a new one begins with the first
			// game that is not durable.
			if w.log != nil {
				_ = w.log.Close() // it has failed already
			}
			w.log, w.appended = nil, 0
		}
		return err
	})
	w.failed = err != nil
	return err
}

func (w *gameWriter) tryFlush(commit bool) error {
	if w.log == nil {
		var err error
		if w.log, err = replay.OpenLog(w.folder.FS, w.folder.Replay(),
			gamesPerSegment); err != nil {
			return err
		}
		w.log.Run = w.folder.Run
	}
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
