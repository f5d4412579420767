package trainer

import (
	"context"
	"fmt"
	"time"

	"tengen/replay"
)

// keeper makes the finished games of an iteration durable, about every
// commitEvery. Where the disk is full it waits; games not yet durable are then written anew.
type keeper struct {
	run       *runner
	ctx       context.Context // of the iteration
	log       *replay.Log     // nil: to be opened
	since     []*replay.Game  // since the last commit
	appended  int             // of these, to log
	committed time.Time
	failed    bool // what came after it is not to be written
}

func (r *runner) keep(ctx context.Context) *keeper {
	return &keeper{run: r, ctx: ctx, committed: r.now()}
}

// add takes the next game.
func (k *keeper) add(g *replay.Game) error {
	k.since = append(k.since, g)
	return k.write(k.run.now().Sub(k.committed) >= commitEvery)
}

// close makes all games durable.
func (k *keeper) close() error {
	if k.failed {
		return nil // add has returned the error
	}
	if err := k.write(true); err != nil || k.log == nil {
		return err
	}
	return k.log.Close()
}

func (k *keeper) write(commit bool) error {
	if len(k.since) == 0 {
		return nil
	}
	what := piece{name: fmt.Sprintf("games from number %d on", k.since[0].Number), where: k.run.folder.Replay()}
	err := k.run.write(k.ctx, what, func() error {
		err := k.put(commit)
		if err != nil {
			// What the log has left on disk is not known: another one begins with the
			// first game that is not durable.
			if k.log != nil {
				_ = k.log.Close() // it has failed already
			}
			k.log, k.appended = nil, 0
		}
		return err
	})
	k.failed = err != nil
	return err
}

func (k *keeper) put(commit bool) error {
	if k.log == nil {
		var err error
		if k.log, err = replay.OpenLog(k.run.folder.FS, k.run.folder.Replay(), gamesPerSegment); err != nil {
			return err
		}
	}
	for ; k.appended < len(k.since); k.appended++ {
		if err := k.log.Append(k.since[k.appended]); err != nil {
			return err
		}
	}
	if !commit {
		return nil
	}
	if err := k.log.Commit(); err != nil {
		return err
	}
	clear(k.since)
	k.since, k.appended, k.committed = k.since[:0], 0, k.run.now()
	return nil
}
