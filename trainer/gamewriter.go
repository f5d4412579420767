package trainer

import (
	"context"
	"fmt"
	"time"

	"tengen/replay"
	"tengen/replay/record"
	"tengen/run"
)

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
