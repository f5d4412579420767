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
	now    func() time.Time
}

// playing holds the values of the counters at the beginning of self-play.
type playing struct {
	began            time.Time
	now              func() time.Time
	done             int // games that earlier processes played
	games, evaluated uint64
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
		m.status.Share = max(m.status.Share, min(1, m.status.Elapsed.Seconds()/m.status.Limit.Seconds()))
	}
	if m.status.Left = 0; !m.ends.IsZero() {
		m.status.Left = max(time.Second, m.ends.Sub(m.now()))
	} else if s := &m.status; !m.last.IsZero() && s.Stage == run.StageEvaluation && s.Done > 0 {
		s.Left = max(time.Second, time.Duration(float64(m.now().Sub(m.last))*float64(s.All-s.Done)/float64(s.Done)))
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
	if m.now, m.ends = now, (time.Time{}); left > 0 {
		m.ends = now().Add(left)
	}
}

// finish says that the last evaluation of the run begins. The time left is then estimated from its games.
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
	m.status.CacheHits = 0
	if hits := lookupsOf(&m.Counters).since(p.lookups).rate(); hits != nil {
		m.status.CacheHits = *hits
	}
}

// beginPlay has Status follow the counters until endPlay.
func (m *Monitor) beginPlay(done int, now func() time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.play = &playing{now(), now, done, m.Counters.Games.Load(), m.Counters.Evaluations.Load(), lookupsOf(&m.Counters)}
}

func (m *Monitor) endPlay() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.live()
	m.play = nil
}

func (m *Monitor) update(f func(*run.Status)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	f(&m.status)
}
