package selfplay

import (
	"context"
	"reflect"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"tengen/replay/record"
)

// otherPool is RemoteWorkers that plays with a Pool of its own. It never hands in every third game
// that it takes, and hands in the others twice.
type otherPool struct {
	t     *testing.T
	s     Settings // without RemoteWorkers
	early map[uint64]*record.Game

	mu     sync.Mutex
	begun  bool // Play has begun
	taken  int
	opened int
}

// remoteFirst is a Source of the games of a job that has none before its remote workers play.
type remoteFirst struct {
	oneJob
	remote *otherPool
}

func (s *remoteFirst) Next() (number uint64, job *Job, more bool) {
	s.remote.mu.Lock()
	defer s.remote.mu.Unlock()
	if !s.remote.begun {
		return 0, nil, true
	}
	return s.oneJob.Next()
}

func (c *otherPool) Durable([]*record.Game) {}

func (c *otherPool) Games() int { return 4 }

func (c *otherPool) Early(number uint64, _ *Job) *record.Game { return c.early[number] }

func (c *otherPool) Play(ctx context.Context, t *WorkQueue) error {
	c.mu.Lock()
	c.begun = true
	c.mu.Unlock()
	for first := true; ; first = false {
		job := t.Next()
		numbers := t.Take(job, 4)
		if len(numbers) > 4 {
			c.t.Errorf("4 games are wanted, and %d taken", len(numbers))
		}
		if first {
			t.pool.Wake() // the workers had nothing to do so far
		}
		if len(numbers) == 0 {
			select {
			case <-ctx.Done():
				return nil
			case <-t.Changed():
			}
			continue
		}
		own := *job
		own.Games = nil
		var lost []uint64
		for i, n := range numbers {
			if i%3 == 2 {
				lost = append(lost, n)
			} else {
				own.Games = append(own.Games, n)
			}
		}
		err := Play(ctx, &c.s, own, 1, 2, new(Counters), func(g *record.Game) error {
			if !t.Wanted(g.Number) {
				c.t.Errorf("game %d, which was taken, is not wanted", g.Number)
			}
			if !t.Finish(g) {
				c.t.Errorf("game %d is refused", g.Number)
			}
			if t.Finish(g) {
				c.t.Errorf("game %d counts twice", g.Number)
			}
			return nil
		})
		if err != nil {
			return nil
		}
		t.Open(lost)
		c.mu.Lock()
		c.taken += len(numbers)
		c.opened += len(lost)
		c.mu.Unlock()
	}
}

// TestRemoteWorkers: games are the same, and in the same order, with remote workers that play some
// of them and lose others.
func TestRemoteWorkers(t *testing.T) {
	s := settings("go:size=3,players=3")
	s.CountEvaluations = true
	job := Job{Iteration: 3, Step: 7, Epsilon: 0.3, Weights: others(t, s, 1)}
	for i := range 24 {
		job.Games = append(job.Games, uint64(100+i))
	}
	want, _ := playJob(t, s, job, 1, 3)
	for _, workers := range []int{1, 3} {
		with := *s
		remote := &otherPool{t: t, s: *s, early: map[uint64]*record.Game{}}
		for _, i := range []int{0, 1, 11, 23} {
			remote.early[want[i].Number] = want[i]
		}
		with.Remote = remote
		pool := NewPool(&with, &remoteFirst{
			oneJob: oneJob{job: &job}, remote: remote,
		}, workers, 3, new(Counters))
		pool.Ordered = true
		var got []*record.Game
		err := pool.Play(t.Context(), &job, func(g *record.Game) error {
			got = append(got, g)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%d workers: the games differ", workers)
		}
		remote.mu.Lock()
		if remote.taken == 0 || remote.opened == 0 {
			t.Errorf("the remote workers took %d games and lost %d", remote.taken, remote.opened)
		}
		remote.mu.Unlock()
	}
}

// racing is RemoteWorkers that takes all games, lets workers play them too, and hands them in while
// they do.
type racing struct{ games map[uint64]*record.Game }

func (racing) Durable([]*record.Game)          {}
func (racing) Games() int                      { return 1000 }
func (racing) Early(uint64, *Job) *record.Game { return nil }
func (r racing) Play(ctx context.Context, t *WorkQueue) error {
	numbers := t.Take(t.Next(), 1000)
	t.Open(numbers)
	for i := len(numbers) - 1; i >= 0 && ctx.Err() == nil; i-- {
		t.Finish(r.games[numbers[i]])
		if i%4 == 0 {
			time.Sleep(200 * time.Microsecond)
		}
	}
	<-ctx.Done()
	return nil
}

// TestRemoteAndOwnWorkersPlayTheSame: a game that both play counts once, and workers drop it when
// it is over elsewhere.
func TestRemoteAndOwnWorkersPlayTheSame(t *testing.T) {
	s := settings("go:size=3,players=3")
	job := Job{Epsilon: 0.2, Weights: others(t, s, 1)}
	for i := range 30 {
		job.Games = append(job.Games, uint64(i))
	}
	want, _ := playJob(t, s, job, 1, 3)
	games := map[uint64]*record.Game{}
	for _, g := range want {
		games[g.Number] = g
	}
	with := *s
	with.Remote = racing{games}
	counters := new(Counters)
	begun, ended := 0, 0
	var mu sync.Mutex
	counters.OnBegin = func() { mu.Lock(); begun++; mu.Unlock() }
	counters.OnEnd = func() { mu.Lock(); ended++; mu.Unlock() }
	var got []*record.Game
	if err := Play(context.Background(), &with, job, 2, 3, counters, func(g *record.Game) error {
		got = append(got, g)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Error("the games differ")
	}
	if n := counters.Games.Load(); n != 30 {
		t.Errorf("%d games are counted, want 30", n)
	}
	if begun != ended {
		t.Errorf("%d games begun, %d ended", begun, ended)
	}
}

// handing is RemoteWorkers that take all games while the workers of the Pool sleep, and hand them
// in one after another. It is the Source too, and has no games before.
type handing struct {
	racing
	oneJob
	ready atomic.Bool
}

func (r *handing) Play(_ context.Context, q *WorkQueue) error {
	time.Sleep(5 * time.Millisecond)
	r.ready.Store(true)
	for _, n := range q.Take(q.Next(), len(r.games)) {
		time.Sleep(5 * time.Millisecond)
		q.Finish(r.games[n])
	}
	return nil
}

func (r *handing) Next() (number uint64, job *Job, more bool) {
	if !r.ready.Load() {
		return 0, nil, true
	}
	return r.oneJob.Next()
}

// TestRemoteWorkersPlayAll: a Pool ends when others have handed in all of its games.
func TestRemoteWorkersPlayAll(t *testing.T) {
	s := settings("tictactoe")
	job := Job{Games: numbers(6), Epsilon: 1}
	want, _ := playJob(t, s, job, 1, 1)
	r := &handing{oneJob: oneJob{job: &job}, racing: racing{map[uint64]*record.Game{}}}
	for _, g := range want {
		r.games[g.Number] = g
	}
	with := *s
	with.Remote = r
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	pool, got := NewPool(&with, r, 2, 1, new(Counters)), 0
	err := pool.Play(ctx, &job, func(*record.Game) error { got++; return nil })
	if err != nil || got != len(want) {
		t.Errorf("%d games of %d: %v", got, len(want), err)
	}
}
