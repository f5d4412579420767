package trainer

import (
	"sync"
	"time"

	"tengen/run"
	"tengen/selfplay"
)

// Monitor gives other goroutines the status of a run. It is safe for concurrent use.
type Monitor struct {
	Counters selfplay.Counters

	mu     sync.Mutex
	status run.Status
	play   *playing             // nil outside self-play
	clock  func() time.Duration // the run's time; nil before it begins and after its end
	ends   time.Time            // estimate of the run's end; zero while unknown
	last   time.Time            // when the last evaluation of the run began; zero before
	early  *early               // within the first iteration of a process, nil after it
	now    func() time.Time
}

// playing holds the values of the counters at the beginning of self-play.
type playing struct {
	began            time.Time
	now              func() time.Time
	done             int // games that earlier processes played
	games, evaluated uint64
	positions        uint64 // of finished games
	lookups          lookups
}

// Status returns the current status.
func (m *Monitor) Status() run.Status {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.play != nil {
		m.live()
	}
	if m.clock == nil {
		return m.status
	}
	if m.status.Elapsed = m.clock(); m.status.Limit > 0 {
		m.status.Share = max(m.status.Share,
			min(1, m.status.Elapsed.Seconds()/m.status.Limit.Seconds()))
	}
	if m.status.Left = 0; !m.ends.IsZero() {
		m.status.Left = max(time.Second, m.ends.Sub(m.now()))
	} else if s := &m.status; !m.last.IsZero() && s.Stage == run.StageEvaluation && s.Done > 0 {
		s.Left = max(time.Second,
			time.Duration(float64(m.now().Sub(m.last))*float64(s.All-s.Done)/float64(s.Done)))
	}
	return m.status
}

// begin says that the run trains. clock is its time over all processes.
func (m *Monitor) begin(clock func() time.Duration, limit time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.clock, m.status.State, m.status.Limit = clock, run.Training, limit
}

// stopping says that the run was asked to stop.
func (m *Monitor) stopping() {
	m.update(func(s *run.Status) {
		if s.State == run.Training {
			s.State = run.Stopping
		}
	})
}

// end says how the run has ended. Nothing is left to wait for then.
func (m *Monitor) end(state run.State, message string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := &m.status
	s.State, s.Message, s.Left, s.Stage, s.Elapsed = state, message, 0, "", m.clock()
	m.clock = nil
	if state == run.Complete {
		s.Share = 1
	}
}

// expect has Status count down the time left, from the estimate of this moment; 0: unknown.
func (m *Monitor) expect(left time.Duration, now func() time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.early = nil
	if m.now, m.ends = now, (time.Time{}); left > 0 {
		m.ends = now().Add(left)
	}
}

// foresee has Status estimate the time left from what the first iteration of a process has done so
// far, until expect.
func (m *Monitor) foresee(e *early, now func() time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.early, m.now = e, now
}

// foresees reports whether Status wants the time of a training step for its first estimate.
func (m *Monitor) foresees() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.early != nil && m.early.play.step == 0
}

// measured takes the seconds of a training step. What an update's own steps tell is better.
func (m *Monitor) measured(step float64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.early != nil && m.early.play.step == 0 {
		m.early.play.step = step
		m.reckon()
	}
}

// reckon estimates the end of the run within the first iteration.
func (m *Monitor) reckon() {
	left := m.early.left()
	if limit := m.early.limit; limit > 0 && m.clock != nil {
		if rest := max(time.Second, limit-m.clock()); left == 0 || rest < left {
			left = rest
		}
	}
	if left > 0 {
		m.ends = m.now().Add(left)
	}
}

// step notes that an update has made some of its steps.
func (m *Monitor) step(done, all int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.status.Done, m.status.All = done, all
	e := m.early
	if e == nil {
		return
	}
	if done == 1 {
		e.updates = m.now()
		return
	}
	e.steps, e.play.step = done, m.now().Sub(e.updates).Seconds()/float64(done-1)
	m.reckon()
}

// finish says that the last evaluation of the run begins. The time left is then estimated from its
// games.
func (m *Monitor) finish() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.now != nil {
		m.ends, m.last = time.Time{}, m.now()
	}
}

// live updates the figures of self-play from its counters.
func (m *Monitor) live() {
	p := m.play
	seconds := max(p.now().Sub(p.began).Seconds(), 1e-3)
	games := m.Counters.Games.Load() - p.games
	if m.status.Stage == run.StageSelfPlay {
		m.status.Done = min(m.status.All, p.done+int(games))
	}
	m.status.GamesPerSecond = float64(games) / seconds
	m.status.EvaluationsPerSecond = float64(m.Counters.Evaluations.Load()-p.evaluated) / seconds
	if e := m.early; e != nil && games > 0 {
		e.done, e.play.game = p.done+int(games), seconds/float64(games)
		e.positions = float64(m.Counters.Positions.Load()-p.positions) / float64(games) *
			(1 - e.plan.Config.Replay.HeldOut)
		m.reckon()
	}
	m.status.CacheHits = 0
	if hits := lookupsOf(&m.Counters).since(p.lookups).rate(); hits != nil {
		m.status.CacheHits = *hits
	}
}

// beginPlay has Status follow the counters until endPlay.
func (m *Monitor) beginPlay(done int, now func() time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.play = &playing{
		now(), now, done, m.Counters.Games.Load(), m.Counters.Evaluations.Load(),
		m.Counters.Positions.Load(), lookupsOf(&m.Counters),
	}
}

// endPlay ends what beginPlay began, if it is not ended.
func (m *Monitor) endPlay() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.play != nil {
		m.live()
		m.play = nil
	}
}

func (m *Monitor) update(f func(*run.Status)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	f(&m.status)
}
