package trainer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"tengen/nn"
	"tengen/replay/record"
	"tengen/selfplay"
)

// source plays the games of a run, and gives them to its iterations.
//
// With a bounded lag the games of iteration k are played with the network that iteration k-1-lag
// has given (before that one, with the run's first), and have their numbers before they begin. So
// they are the same however long anything takes. Without a lag they are played while the run
// waits for them in take. With a lag of 1 they begin while those of iteration k-1 end and while the
// network learns from these.
//
// With an unbounded lag games begin with the newest network, as long as no more than an iteration's
// games are finished and not taken. They get numbers as they end.
//
// Only games that are durable are taken. The methods are called by the goroutine of the run, except
// Next, emit and durable.
type source struct {
	r      *runner
	lag    int
	pool   *selfplay.Pool // nil without a lag, and before start
	stop   context.CancelFunc
	ended  chan struct{} // closed when no more games are played
	err    error         // why, once ended is closed
	writer *gameWriter   // belongs to the goroutine that plays

	mu sync.Mutex
	// jobs are those of the games to begin. With a bounded lag Games lists these. With an unbounded
	// one there are two, of the games that UCT plays alone and of the others.
	jobs    []*selfplay.Job
	place   place          // of the next game that ends
	ready   []*record.Game // durable, and not taken
	closed  bool           // no more games begin
	wanted  bool           // with an unbounded lag: the run waits for a game
	idle    idleTime       // of the workers
	arrived chan struct{}  // receives a value after games have become ready

	// With a bounded lag:
	queued   int // iterations whose games are in jobs
	numbered int // games of these, which is the number of the first one that is in none

	// With an unbounded lag:
	streams uint64 // games begun, over all processes
	ahead   int    // games that have begun, or were on disk, and that the run has not taken
	room    int    // from which no more begin: those of an iteration, and those played at a time
}

// newSource returns the source of the run's games, which has those that an earlier process has left
// on disk. It does not play yet.
func (r *runner) newSource() *source {
	s := &source{
		r: r, lag: r.plan.lag(), ended: make(chan struct{}), arrived: make(chan struct{}, 1),
		place:  r.plan.placeAt(r.state.Iteration, r.state.Games),
		queued: r.state.Iteration, numbered: r.state.Games,
	}
	s.writer = &gameWriter{
		where: r.folder.Replay(), log: r.games, write: r.write, now: r.now, committed: r.now(),
		durable: s.durable,
	}
	if s.lag == 0 {
		close(s.ended)
	}
	if s.lag == unbounded {
		if r.state.Asynchronous == nil {
			r.state.Asynchronous = &AsynchronousState{}
		}
		s.streams = r.state.Asynchronous.Streams
	}
	for _, g := range r.pending {
		if s.lag != unbounded && (g.Number != s.place.number || g.Iteration != s.place.iteration) {
			break // a gap, or another number of games: those after it are played again
		}
		s.place = s.place.next()
		s.place.number = g.Number + 1
		s.streams = max(s.streams, g.Stream+1)
		s.ready = append(s.ready, g)
	}
	s.ahead, r.pending = len(s.ready), nil
	return s
}

// start begins to play. weights is the newest network, and before is what the games of the next
// iteration depend on if there is a lag; nil: the newest network too.
func (s *source) start(ctx context.Context, weights nn.Network, before *inputs) error {
	now := s.r.inputsNow(weights)
	if before == nil {
		before = now
	}
	var err error
	switch s.lag {
	case 0:
		return s.add(now)
	case unbounded:
		err = s.set(now)
	default:
		if err = s.add(before); err == nil {
			err = s.add(now)
		}
	}
	if err != nil {
		return err
	}
	var inner context.Context
	inner, s.stop = context.WithCancel(ctx)
	s.pool = selfplay.NewPool(&s.r.plan.Play, s, s.r.plan.Workers, s.r.plan.GamesPerWorker(),
		&s.r.monitor.Counters)
	s.pool.Ordered, s.pool.Newest = s.lag != unbounded, s.lag == unbounded
	first := &selfplay.Job{Weights: before.weights}
	if s.lag == unbounded {
		first = s.jobs[1]
	} else if len(s.jobs) > 0 {
		first = s.jobs[0]
	}
	go func() {
		defer close(s.ended)
		s.err = s.writing(ctx, func() error {
			ticker := time.NewTicker(commitWanted)
			defer ticker.Stop()
			s.pool.Tick = ticker.C
			ticks := 0
			s.pool.OnTick = func() error {
				if ticks++; s.waitOf() == commitEvery && ticks < int(commitEvery/commitWanted) {
					return nil
				}
				ticks = 0
				return s.writer.flush(inner, true)
			}
			err := s.pool.Play(inner, first, func(g *record.Game) error { return s.emit(inner, g) })
			if inner.Err() != nil && ctx.Err() == nil && errors.Is(err, context.Canceled) {
				return nil // the run is over
			}
			return err
		})
	}()
	return nil
}

// writing calls play, which emits games, and makes all of them durable.
func (s *source) writing(ctx context.Context, play func() error) error {
	defer s.r.metrics.GamesRunning.Set(0) // games that were cut short are not reported
	err := play()
	return errors.Join(err, s.writer.end(ctx))
}

// waitOf returns the time that the next finished game may wait until it is durable.
func (s *source) waitOf() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.wanted {
		return commitWanted
	}
	return commitEvery
}

// follow tells that the run has a newest network, unless it ends: more games begin.
func (s *source) follow(weights nn.Network) error {
	b := s.r.inputsNow(weights)
	switch {
	case s.lag == unbounded:
		return s.set(b)
	case s.r.spent():
		return nil
	}
	return s.add(b)
}

// add adds the games of the next iteration that is in no job, unless it is none of the run's.
func (s *source) add(b *inputs) error {
	if s.queued >= s.r.plan.Config.Training.Iterations {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var numbers []uint64
	for range s.r.plan.gamesOf(s.queued) {
		if n := uint64(s.numbered); n >= s.place.number { // else it is on disk already
			numbers = append(numbers, n)
		}
		s.numbered++
	}
	jobs, err := s.r.jobs(s.queued, numbers, b)
	if err != nil {
		return err
	}
	s.queued++
	s.jobs = append(s.jobs, jobs...)
	if s.pool != nil {
		defer s.pool.Wake()
	}
	s.idle.end(s.r.now)
	return nil
}

// set makes a network the one with which games begin.
func (s *source) set(b *inputs) error {
	r := s.r
	job, err := r.networkJob(r.state.Iteration, b)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.room = r.plan.gamesOf(r.state.Iteration) + r.plan.ConcurrentGames()
	if s.jobs == nil {
		s.jobs = []*selfplay.Job{uctAlone(job), nil}
	}
	s.jobs[1] = job
	return nil
}

// Next implements selfplay.Source.
func (s *source) Next() (number uint64, job *selfplay.Job, more bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return 0, nil, false
	}
	if s.lag == unbounded {
		number, job = s.nextStream()
	} else {
		number, job = s.nextNumber()
	}
	if job == nil {
		s.idle.begin(s.r.now)
	} else {
		s.r.metrics.PlayingStep.Set(float64(job.Step))
	}
	return number, job, true
}

// nextNumber returns the next game of the jobs.
func (s *source) nextNumber() (number uint64, job *selfplay.Job) {
	for len(s.jobs) > 0 {
		job := s.jobs[0]
		if len(job.Games) > 0 {
			number, job.Games = job.Games[0], job.Games[1:]
			return number, job
		}
		s.jobs = s.jobs[1:]
	}
	return 0, nil
}

// nextStream returns another game with the newest network, if there is room for it.
func (s *source) nextStream() (number uint64, job *selfplay.Job) {
	if !s.hasRoom() {
		return 0, nil
	}
	number = s.streams
	s.streams++
	s.ahead++
	if number < uint64(s.r.plan.Config.WarmStart.InitialGames) {
		return number, s.jobs[0]
	}
	return number, s.jobs[1]
}

// hasRoom reports whether another game may begin with an unbounded lag.
func (s *source) hasRoom() bool {
	room := s.room
	if c := s.r.plan.Play.Remote; c != nil {
		room += c.Games() // which others than this process play at a time
	}
	return s.ahead < room
}

// emit writes a game. The last one of an iteration is durable then, and so are all before it.
func (s *source) emit(ctx context.Context, g *record.Game) error {
	observeGame(s.r.metrics, g)
	s.mu.Lock()
	at := s.place
	s.place = at.next()
	s.mu.Unlock()
	if s.lag == unbounded {
		g.Stream, g.EndOrder = g.Number, true
		g.Number, g.Iteration = at.number, at.iteration
	}
	if err := s.writer.add(ctx, g, s.waitOf()); err != nil || at.left > 1 {
		return err
	}
	return s.writer.flush(ctx, true)
}

// durable hands games to the run that are durable now.
func (s *source) durable(games []*record.Game) {
	if c := s.r.plan.Play.Remote; c != nil {
		c.Durable(games)
	}
	s.mu.Lock()
	s.ready = append(s.ready, games...)
	s.mu.Unlock()
	select {
	case s.arrived <- struct{}{}:
	default:
	}
}

// take returns games in order of number: those that are ready, at most most. It waits until there
// are least.
func (s *source) take(ctx context.Context, least, most int) ([]*record.Game, error) {
	if s.lag == 0 {
		if err := s.playRound(ctx); err != nil {
			return nil, err
		}
	}
	for ended := false; ; {
		if games := s.taken(least, most); len(games) > 0 {
			return games, nil
		}
		switch {
		case ended && s.err != nil:
			return nil, s.err
		case ended:
			return nil, fmt.Errorf("iteration %d: self-play has ended before its games",
				s.r.state.Iteration)
		case least == 0:
			select {
			case <-s.ended:
				ended = true
				continue
			default:
			}
			return nil, nil
		}
		select {
		case <-s.arrived:
		case <-s.ended:
			ended = true
		}
	}
}

// taken returns the games that are ready, at most most, if there are least; otherwise none.
func (s *source) taken(least, most int) []*record.Game {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := min(most, len(s.ready))
	s.wanted = n < least && s.lag == unbounded
	if n < least {
		return nil
	}
	games := s.ready[:n:n]
	s.ready = append([]*record.Game(nil), s.ready[n:]...)
	s.ahead -= n
	if s.lag == unbounded && s.idle.running() && s.hasRoom() {
		s.idle.end(s.r.now)
		defer s.pool.Wake()
	}
	return games
}

// playRound plays the games of all jobs. The workers share those of a job evenly, which they do not
// where more games are to come.
func (s *source) playRound(ctx context.Context) error {
	jobs := s.jobs
	s.jobs = nil
	if len(jobs) == 0 {
		return nil // all games were on disk
	}
	emit := func(g *record.Game) error { return s.emit(ctx, g) }
	return s.writing(ctx, func() error {
		for _, job := range jobs {
			s.r.metrics.PlayingStep.Set(float64(job.Step))
			if err := selfplay.Play(ctx, &s.r.plan.Play, *job, s.r.plan.Workers,
				s.r.plan.GamesPerWorker(), &s.r.monitor.Counters, emit); err != nil {
				return err
			}
		}
		return nil
	})
}

// there returns the number of games that are finished and that no iteration before the present one
// has taken.
func (s *source) there() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return int(s.place.number) - s.r.state.Games
}

// begun returns the number of games begun with an unbounded lag, over all processes.
func (s *source) begun() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.streams
}

// idled returns the time for which workers have found no game to begin, since the last call.
func (s *source) idled() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.idle.take(s.r.now)
}

// close ends the play, keeps the finished games, and returns the error of writing them.
func (s *source) close() error {
	if s.pool != nil {
		s.mu.Lock()
		s.closed = true
		s.mu.Unlock()
		s.stop()
		<-s.ended
	}
	return cmp.Or(s.err, s.r.games.Close())
}

// idleTime sums up the time for which workers find no game to begin. Its zero value has none.
type idleTime struct {
	since time.Time     // when a worker found none; zero: games are being begun
	sum   time.Duration // before since
}

// begin notes that a worker has found no game. It asks for the time if no worker has before.
func (t *idleTime) begin(now func() time.Time) {
	if t.since.IsZero() {
		t.since = now()
	}
}

// running reports whether workers find no game.
func (t *idleTime) running() bool { return !t.since.IsZero() }

// end notes that there are games again.
func (t *idleTime) end(now func() time.Time) {
	if t.running() {
		t.sum += now().Sub(t.since)
		t.since = time.Time{}
	}
}

// take returns the time since the last call.
func (t *idleTime) take(now func() time.Time) time.Duration {
	if t.running() {
		now := now()
		t.sum += now.Sub(t.since)
		t.since = now
	}
	d := t.sum
	t.sum = 0
	return d
}
