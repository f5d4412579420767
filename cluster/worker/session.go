package worker

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"tengen/cluster"
	"tengen/replay/record"
	"tengen/selfplay"
	"tengen/trainer"
)

// session is the play on one configuration of one run.
type session struct {
	w     *worker
	hello cluster.Hello // what stays the same
	run   string
	text  string // the configuration
	plan  *trainer.Plan
	pool  *selfplay.Pool
	nets  *networks
	games int // played at a time

	mu       sync.Mutex
	id       string // of the trainer's session
	blocks   []*held
	byNumber map[uint64]*held
	jobs     []cachedJob
	closed   bool // no more games begin
	unwanted atomic.Pointer[map[uint64]bool]
	wanting  chan struct{} // receives a value when more blocks are wanted
	sending  sync.WaitGroup
	end      context.CancelCauseFunc // ends the session
	first    chan *selfplay.Job      // receives the first job
	match    string                  // token of the games of a match that it plays; "" for none
	endMatch context.CancelFunc      // ends them
}

// join says hello until the trainer answers, and plays for as long as its run lasts.
func (w *worker) join(ctx context.Context) error {
	hello := cluster.Hello{
		Games: 1, Build: cluster.Build{Build: w.o.Build, Records: record.Version},
	}
	welcome, err := w.greet(ctx, &hello)
	if err != nil {
		return err
	}
	if welcome.Finished {
		return errFinished
	}
	w.over = false
	if w.isRefused(ctx, welcome) {
		return nil
	}
	plan, err := planOf(welcome.Config, w.o.Set)
	if err != nil {
		return err
	}
	b, err := w.o.Device(plan)
	if err != nil {
		return err
	}
	defer b.Close()
	plan.Backend = b
	s := &session{
		w: w, run: welcome.Run, text: welcome.Config, id: welcome.Session, plan: plan,
		games:    plan.ConcurrentGames(),
		byNumber: map[uint64]*held{}, wanting: make(chan struct{}, 1),
		first: make(chan *selfplay.Job, 1),
	}
	s.nets = newNetworks(s)
	hello.Games, hello.Kernels, hello.Rules, hello.Session = s.games, plan.Backend.Kernels(),
		cluster.RulesDigest(plan.Game), welcome.Session
	s.hello = hello
	if welcome, err = w.greet(ctx, &hello); err != nil {
		return err
	}
	if welcome.Finished {
		return errFinished
	}
	if w.isRefused(ctx, welcome) || !s.same(welcome) {
		return nil
	}
	w.o.Log.Info("playing for", "run", welcome.Run, "game", plan.Game.Name(), "workers",
		plan.Workers, "games_at_a_time", s.games, "kernels", plan.Backend.Kernels())
	err = s.play(ctx)
	if errors.Is(err, errSession) {
		w.o.Log.Info("the trainer has another run or configuration now")
		return nil
	}
	return err
}

// isRefused reports whether the trainer refuses the worker. Then it waits for a while.
func (w *worker) isRefused(ctx context.Context, answer *cluster.Welcome) bool {
	if answer.Refused == "" {
		return false
	}
	w.o.Log.Warn("the trainer refuses this worker", "reason", answer.Refused)
	pause(ctx, refusedWait)
	return true
}

// same reports whether an answer is of the same run and configuration. The trainer may have been
// started anew.
func (s *session) same(answer *cluster.Welcome) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if answer.Session == s.id {
		return true
	}
	if answer.Run != s.run || answer.Config != s.text {
		return false
	}
	s.id = answer.Session
	// What the broker had of this worker may be lost.
	for _, b := range s.blocks {
		if !b.sent.IsZero() {
			b.sent = time.Time{}
			s.sending.Go(func() { s.send(b) })
		}
	}
	return true
}

// play plays until ctx ends or the trainer has another run.
func (s *session) play(ctx context.Context) error {
	w := s.w
	inner, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	s.end = cancel
	for _, subject := range []string{w.o.Names.DoneSubject(w.o.ID), w.o.Names.OverSubject()} {
		sub, err := w.o.Conn.Subscribe(subject, s.done)
		if err != nil {
			return err
		}
		defer func() { _ = sub.Unsubscribe() }() // nothing is lost
	}
	ended := func() error {
		if err := context.Cause(inner); ctx.Err() == nil && err != nil &&
			!errors.Is(err, context.Canceled) {
			return err
		}
		return nil
	}
	consumer, err := s.consumer(inner, w.o.Names.Work(), cluster.WorkConsumer)
	if err != nil {
		return ended() // inner has, perhaps since the run is over
	}
	var group sync.WaitGroup
	group.Go(func() {
		if err := s.fetch(inner, consumer); err != nil {
			cancel(err)
		}
	})
	group.Go(func() { s.matches(inner) })
	group.Go(func() {
		if err := s.keep(inner); err != nil {
			cancel(err)
		}
	})
	select {
	case first := <-s.first:
		pool := selfplay.NewPool(&s.plan.Play, s, s.plan.Workers,
			s.plan.GamesPerWorker(), w.counters)
		pool.Unwanted = s.isUnwanted
		s.mu.Lock()
		s.pool = pool
		s.mu.Unlock()
		if err := pool.Play(inner, first, s.emit); err != nil && inner.Err() == nil {
			cancel(err)
		}
	case <-inner.Done():
	}
	s.leave(ctx.Err() != nil || errors.Is(context.Cause(inner), errFinished))
	group.Wait()
	return ended()
}

// Next implements selfplay.Source.
func (s *session) Next() (number uint64, job *selfplay.Job, more bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, b := range s.blocks {
		if b.begun < len(b.Numbers) && !s.closed {
			b.begun++
			s.want()
			return b.Numbers[b.begun-1], b.job, true
		}
	}
	s.want()
	return 0, nil, !s.closed
}

func (s *session) want() {
	select {
	case s.wanting <- struct{}{}:
	default:
	}
}

// keep says hello, reports, and keeps blocks of long games from being given to others.
func (s *session) keep(ctx context.Context) error {
	w := s.w
	hello := time.NewTicker(w.o.HelloEvery)
	defer hello.Stop()
	report := time.NewTicker(reportEvery)
	defer report.Stop()
	working := time.NewTicker(progress)
	defer working.Stop()
	last, at := w.counters.Evaluations.Load(), w.o.Now()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-report.C:
			now, n := w.o.Now(), w.counters.Evaluations.Load()
			rate := float64(n-last) / max(now.Sub(at).Seconds(), 1e-3)
			last, at = n, now
			w.rate.Store(uint64(rate))
			s.mu.Lock()
			blocks := len(s.blocks)
			s.mu.Unlock()
			w.o.Log.Info("played", "games", w.counters.Games.Load(), "confirmed", w.finished.Load(),
				"evaluations_per_second", uint64(rate), "blocks", blocks, "games_of_matches",
				w.matchGames.Load())
		case <-working.C:
			s.mu.Lock()
			var again []*held
			for _, b := range s.blocks {
				_ = b.m.InProgress() // otherwise another worker gets it too
				if !b.sent.IsZero() && w.o.Now().Sub(b.sent) > resend {
					b.sent = time.Time{}
					again = append(again, b)
				}
			}
			s.mu.Unlock()
			for _, b := range again {
				s.sending.Go(func() { s.send(b) })
			}
		case <-hello.C:
			s.mu.Lock()
			h := s.hello
			h.Session = s.id
			s.mu.Unlock()
			answer, err := w.hello(ctx, &h)
			switch {
			case err != nil && cluster.Refused(w.o.Conn) != nil:
				return err
			case err != nil:
				w.o.Log.Debug("the trainer does not answer", "reason", err)
			case answer.Finished:
				return errFinished
			case answer.Refused != "":
				w.o.Log.Warn("the trainer refuses this worker", "reason", answer.Refused)
				return errSession
			case !s.same(answer):
				return errSession
			}
		}
	}
}

// leave hands back what is not finished. For a moment it waits until the trainer has confirmed what
// was sent.
func (s *session) leave(forever bool) {
	s.mu.Lock()
	s.closed = true
	for _, b := range s.blocks {
		if len(b.finished) < len(b.Numbers) {
			_ = b.m.Nak() // otherwise it comes again after AckWait
		}
	}
	s.blocks = slices.DeleteFunc(s.blocks, func(b *held) bool {
		return len(b.finished) < len(b.Numbers)
	})
	s.mu.Unlock()
	for end := time.Now().Add(leaveTime); time.Now().Before(end); time.Sleep(
		20 * time.Millisecond) {
		s.mu.Lock()
		n := len(s.blocks)
		s.mu.Unlock()
		if n == 0 {
			break
		}
	}
	s.mu.Lock()
	s.blocks = nil // ends what is being sent
	h := s.hello
	h.Session = s.id
	s.mu.Unlock()
	if forever {
		h.Leaving = true
		limited, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		if _, err := s.w.hello(limited, &h); err != nil {
			s.w.o.Log.Debug("the trainer is not told that this worker leaves", "reason", err)
		}
	}
}
