package lab

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"tengen/arena"
	"tengen/configs"
	"tengen/research"
	"tengen/run"
	"tengen/trainer"
	"tengen/vfs"
)

// Options say where and how a lab is run.
type Options struct {
	Dir      string // of runs and matches
	Parallel int    // runs, and matches, side by side
	Cores    int    // divided among them
	Device   research.Device
	Log      *slog.Logger
	// Share, if not nil, lets others play games of the runs of a plan, whose folder is given, and
	// of matches: it sets Remote and Matches of the plan. What an earlier call has let them do
	// ends. Parallel is 1 then.
	Share   func(ctx context.Context, folder run.Folder, plan *trainer.Plan) error
	Command string // shown to others that want the folder's lock
	// Progress, if not nil, is called from one goroutine at a time with what this call has done of
	// what it will do in a stage: to train the networks of some seeds, or to play their matches.
	Progress func(what, unit string, done, all int)
	// Finished is called from one goroutine at a time after each run and each match that this call
	// has finished, with the result so far.
	Finished func(*Result) error
}

// running is a lab that is being run.
type running struct {
	*Lab
	Options
	mu        sync.Mutex // of what follows
	networks  map[place]*network
	standings map[match]*arena.Standings
	counts    map[any]int // what the present stage's pieces have done
	// plays games of matches too; nil: nobody. It is set between stages.
	remoteMatches trainer.RemoteMatches
}

// place is an arm and a seed.
type place struct{ arm, seed int }

// Run trains the networks that are not trained and plays the games that are not played. If ctx
// ends it returns the result so far and an error that wraps the context's; a later call goes on.
func (l *Lab) Run(ctx context.Context, o Options) (_ *Result, err error) {
	if err := vfs.MkdirAll(vfs.OS{}, o.Dir); err != nil {
		return nil, fmt.Errorf("lab: %w", err)
	}
	lock, err := vfs.OS{}.Lock(filepath.Join(o.Dir, lockFile), o.Command)
	if err != nil {
		return nil, fmt.Errorf("lab: %w", err)
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	r := &running{
		Lab: l, Options: o, networks: map[place]*network{}, standings: map[match]*arena.Standings{},
	}
	r.Parallel = max(1, r.Parallel)
	if err := r.collect(ctx); err != nil {
		return nil, err
	}
	for s := range l.File.Seeds {
		if err = r.train(ctx, s); err != nil {
			break
		}
		if err = r.play(ctx, s); err != nil {
			break
		}
	}
	result, failed := r.result()
	return result, errors.Join(err, failed)
}

// cores returns the number of cores for each of what runs side by side.
func (r *running) cores() int { return max(1, r.Cores/r.Parallel) }

// collect reads the networks and matches that are finished.
func (r *running) collect(ctx context.Context) error {
	for arm := range r.Arms {
		for s, seed := range r.File.Seeds {
			folder, changes, err := r.folder(r.Dir, arm, seed)
			if err != nil {
				return err
			}
			if len(changes) > 0 && s == 0 {
				r.Log.Warn(
					"an arm has changed since its run: it is trained anew, and the old run stays",
					"arm", r.Arms[arm].Name, "run", string(folder), "changed", text(changes))
			}
			ended, err := research.Ended(folder)
			if err == nil && ended {
				err = r.read(place{arm, s}, folder)
			}
			if err != nil {
				return err
			}
		}
	}
	for _, m := range r.matches() {
		if err := r.playMatch(ctx, m, false, nil); err != nil {
			return err
		}
	}
	return nil
}

// text returns changes as one line.
func text(changes []configs.Change) string {
	var list []string
	for _, c := range changes {
		list = append(list, c.String())
	}
	return strings.Join(list, "; ")
}

// read reads the network of a finished run.
func (r *running) read(p place, folder run.Folder) error {
	plan, err := r.Arms[p.arm].plan(r.File.Seeds[p.seed], r.cores(), r.Device)
	if err != nil {
		return err
	}
	trained, err := research.Read(folder, plan)
	if err != nil {
		return fmt.Errorf("arm %s, seed %d: %w", r.Arms[p.arm].Name, r.File.Seeds[p.seed], err)
	}
	n := newNetwork(folder, trained)
	if err := r.exploit(n); err != nil {
		return fmt.Errorf("arm %s, seed %d: %w", r.Arms[p.arm].Name, r.File.Seeds[p.seed], err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.networks[p] = n
	return nil
}

// train trains the networks of a seed.
func (r *running) train(ctx context.Context, s int) error {
	var missing []place
	all := 0
	for arm := range r.Arms {
		if p := (place{arm, s}); r.networks[p] == nil {
			missing = append(missing, p)
			all += r.Arms[arm].budget().all
		}
	}
	if len(missing) == 0 {
		return nil
	}
	report := r.stage(fmt.Sprintf("training, seed %d of %d", s+1, len(r.File.Seeds)),
		r.Arms[0].budget().unit, all)
	return each(ctx, r.Parallel, missing, func(ctx context.Context, p place) error {
		if err := r.trainOne(ctx, p, func(done int) { report(p, done) }); err != nil {
			return err
		}
		return r.finished()
	})
}

// trainOne trains one network.
func (r *running) trainOne(ctx context.Context, p place, report func(done int)) error {
	arm, seed := &r.Arms[p.arm], r.File.Seeds[p.seed]
	folder, _, err := r.folder(r.Dir, p.arm, seed)
	if err != nil {
		return err
	}
	plan, err := arm.plan(seed, r.cores(), r.Device)
	if err != nil {
		return err
	}
	if r.Share != nil {
		if err := r.Share(ctx, folder, plan); err != nil {
			return fmt.Errorf("arm %s: %w", arm.Name, err)
		}
	}
	verb := "training"
	if folder.Exists() {
		verb = "training goes on"
	}
	r.Log.Info(verb, "arm", arm.Name, "seed", seed, "run", string(folder))
	began := time.Now()
	o := trainer.Options{
		Plan: plan, Folder: folder, Monitor: new(trainer.Monitor), Command: r.Command,
		Log: slog.New(warnings{r.Log.Handler()}).With("arm", arm.Name, "seed", seed),
	}
	stop := poll(func() { report(arm.budget().done(o.Monitor.Status())) })
	err = research.Finish(ctx, o)
	stop()
	if err != nil {
		return fmt.Errorf("arm %s, seed %d: %w", arm.Name, seed, err)
	}
	report(arm.budget().all)
	r.Log.Info("trained", "arm", arm.Name, "seed", seed, "iterations",
		o.Monitor.Status().Iteration, "took", time.Since(began).Round(time.Second))
	return r.read(p, folder)
}

// play plays the matches for which the networks of a seed were missing.
func (r *running) play(ctx context.Context, s int) error {
	var missing []match
	all := 0
	for _, m := range r.matches() {
		if m.stage() == s && r.standings[m] == nil {
			missing = append(missing, m)
			t, err := r.open(m, false)
			if err != nil {
				return err
			}
			all += t.missing
			if err := t.close(); err != nil {
				return err
			}
		}
	}
	if len(missing) == 0 {
		return nil
	}
	if err := r.shareMatches(ctx); err != nil {
		return err
	}
	report := r.stage(fmt.Sprintf("matches, seed %d of %d", s+1, len(r.File.Seeds)), "games", all)
	return each(ctx, r.Parallel, missing, func(ctx context.Context, m match) error {
		if err := r.playMatch(ctx, m, true, func(done int) { report(m, done) }); err != nil {
			return err
		}
		return r.finished()
	})
}

// finished reports the result so far.
func (r *running) finished() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.Finished == nil {
		return nil
	}
	result, err := r.resultLocked()
	if err != nil {
		return err
	}
	return r.Finished(result)
}

// stage begins the progress of a stage and returns a function that notes what a piece has done.
func (r *running) stage(what, unit string, all int) func(piece any, done int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.counts = map[any]int{}
	return func(piece any, done int) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.counts[piece] = max(done, r.counts[piece])
		sum := 0
		for _, n := range r.counts {
			sum += n
		}
		if r.Progress != nil && sum > 0 {
			r.Progress(what, unit, min(sum, all), all)
		}
	}
}

// each calls work for each piece, n at a time. After an error it begins no more and cancels those
// under way. It returns the first error, or that of ctx if it ends before all pieces are done.
func each[T any](
	ctx context.Context, n int, pieces []T, work func(context.Context, T) error,
) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var group sync.WaitGroup
	var once sync.Once
	var first error
	slots := make(chan struct{}, n)
	begun := 0
	for _, p := range pieces {
		slots <- struct{}{}
		if ctx.Err() != nil {
			break
		}
		begun++
		group.Go(func() {
			defer func() { <-slots }()
			if err := work(ctx, p); err != nil {
				once.Do(func() { first = err })
				cancel()
			}
		})
	}
	group.Wait()
	if first == nil && begun < len(pieces) {
		first = ctx.Err()
	}
	return first
}

// poll calls f twice a second until the function that it returns is called.
func poll(f func()) (stop func()) {
	end, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		ticker := time.NewTicker(time.Second / 2)
		defer ticker.Stop()
		for {
			select {
			case <-end:
				return
			case <-ticker.C:
				f()
			}
		}
	}()
	return func() {
		close(end)
		<-ended
	}
}

// warnings is a handler that passes on warnings and errors.
type warnings struct{ slog.Handler }

func (w warnings) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= slog.LevelWarn && w.Handler.Enabled(ctx, level)
}

func (w warnings) WithAttrs(attrs []slog.Attr) slog.Handler {
	return warnings{w.Handler.WithAttrs(attrs)}
}
