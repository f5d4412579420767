package selfplay

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"sync"
	"testing"
	"time"

	"tengen/nn"
	"tengen/nn/nntest"
	"tengen/replay/record"
	"tengen/search"
	"tengen/search/nneval"
)

// others returns other weights than weights does, unless seed is 1.
func others(t *testing.T, s *Settings, seed uint64) *nn.Weights {
	t.Helper()
	return nn.Fold(params(t, s.Game, seed, nneval.Size{}))
}

// queue is a Source of the games of several jobs, each of which comes when all games of the one
// before the last have ended.
type queue struct {
	mu    sync.Mutex
	pool  *Pool
	jobs  []*Job
	begun int   // jobs whose games are all begun
	next  int   // of the present one
	ended []int // games of each job
}

func (q *queue) Next() (number uint64, job *Job, more bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.begun == len(q.jobs) {
		return 0, nil, false
	}
	if i := q.begun - 2; i >= 0 && q.ended[i] < len(q.jobs[i].Games) {
		return 0, nil, true
	}
	job = q.jobs[q.begun]
	number = job.Games[q.next]
	if q.next++; q.next == len(job.Games) {
		q.begun, q.next = q.begun+1, 0
	}
	return number, job, true
}

func (q *queue) end(g *record.Game) {
	q.mu.Lock()
	q.ended[g.Iteration]++
	q.mu.Unlock()
	q.pool.Wake()
}

// TestPoolPlaysSeveralJobs: games of jobs with different networks, played at the same time, are
// those that each job gives alone, in order, on processors and devices, with a cache and without.
func TestPoolPlaysSeveralJobs(t *testing.T) {
	s := settings("go:size=3,players=3")
	var jobs []*Job
	var want []*record.Game
	for i := range 6 {
		job := &Job{
			Iteration: i, Step: uint64(10 * i), Epsilon: 0.2, Weights: others(t, s, uint64(i)),
		}
		for k := range 7 {
			job.Games = append(job.Games, uint64(100*i+k))
		}
		games, _ := playJob(t, s, *job, 1, 1)
		jobs, want = append(jobs, job), append(want, games...)
	}
	for i, c := range []struct {
		workers, games, mib int
	}{{1, 1, 0}, {1, 5, 1}, {3, 2, 1}, {2, 40, 0}, {2, 3, 0}} {
		devices := make([]*nntest.Device, len(jobs))
		q := &queue{ended: make([]int, len(jobs))}
		for k, job := range jobs {
			own := *job
			if i%2 == 0 {
				devices[k] = &nntest.Device{Network: job.Weights, Delay: 20 * time.Microsecond}
				own.Weights = devices[k]
			}
			q.jobs = append(q.jobs, &own)
		}
		if az(s).Cache = nil; c.mib > 0 {
			az(s).Cache = nneval.NewCache(s.Game, c.mib)
		}
		p := NewPool(s, q, c.workers, c.games, new(Counters))
		q.pool, p.Ordered = p, true
		var got []*record.Game
		err := p.Play(t.Context(), q.jobs[0], func(g *record.Game) error {
			got = append(got, g)
			q.end(g)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%+v: %d games, not the %d of the jobs alone", c, len(got), len(want))
		}
		for k, d := range devices {
			if d != nil && d.Open() != 0 {
				t.Errorf("%+v: %d evaluators of job %d are left open", c, d.Open(), k)
			}
		}
	}
}

// several is a Source of the games of several jobs, all of which may be begun at once.
type several struct {
	mu   sync.Mutex
	jobs []*Job
}

func (x *several) Next() (number uint64, job *Job, more bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if len(x.jobs) == 0 {
		return 0, nil, false
	}
	job, x.jobs = x.jobs[0], x.jobs[1:]
	return job.Games[0], job, true
}

// TestMoreJobsThanNetworks: a game waits while a worker has no room for its network, or begins with
// the worker's newest one (Pool.Newest).
func TestMoreJobsThanNetworks(t *testing.T) {
	s := settings("tictactoe")
	var jobs []*Job
	var want []*record.Game
	for i := range 3 * maxNetworks {
		job := &Job{Games: []uint64{uint64(i)}, Iteration: i, Weights: others(t, s, uint64(i))}
		games, _ := playJob(t, s, *job, 1, 1)
		jobs, want = append(jobs, job), append(want, games...)
	}
	for _, newest := range []bool{false, true} {
		p := NewPool(s, &several{jobs: jobs}, 1, len(jobs), new(Counters))
		p.Ordered, p.Newest = true, newest
		var got []*record.Game
		if err := p.Play(t.Context(), jobs[0], func(g *record.Game) error {
			got = append(got, g)
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		if same := reflect.DeepEqual(got, want); len(got) != len(want) || same == newest {
			t.Errorf("newest %v: %d games, those of the jobs alone: %v", newest, len(got), same)
		}
	}
}

// TestPoolWaits: a pool that has nothing to play sleeps until it is woken, and ends with its
// context.
func TestPoolWaits(t *testing.T) {
	s := settings("tictactoe")
	q := &queue{
		jobs:  []*Job{{Games: numbers(1)}, {Games: numbers(1)}, {Games: numbers(1)}},
		ended: make([]int, 3),
	}
	for _, job := range q.jobs {
		job.Weights = weights(t, s.Game)
	}
	p := NewPool(s, q, 2, 2, new(Counters))
	q.pool = p
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var got []int
	err := p.Play(ctx, q.jobs[0], func(g *record.Game) error {
		if got = append(got, g.Iteration); len(got) == 2 {
			time.AfterFunc(50*time.Millisecond, cancel)
		}
		return nil
	})
	if err != context.Canceled || !slices.Equal(got, []int{0, 0}) {
		t.Errorf("%v after games of %v; the third one never comes", err, got)
	}
}

// TestTicks: OnTick is called for each tick until the games are over, and its error ends the play.
func TestTicks(t *testing.T) {
	s := settings("tictactoe")
	broken := errors.New("broken")
	for _, failing := range []bool{false, true} {
		job := &Job{Games: numbers(30), Epsilon: 1}
		p := NewPool(s, &oneJob{job: job}, 1, 1, new(Counters))
		tick := make(chan time.Time, 3)
		for range 3 {
			tick <- time.Now()
		}
		p.Tick = tick
		ticks, games := 0, 0
		p.OnTick = func() error {
			if ticks++; failing {
				return broken
			}
			return nil
		}
		err := p.Play(t.Context(), job, func(*record.Game) error {
			games++
			return nil
		})
		if failing && !errors.Is(err, broken) ||
			!failing && (err != nil || ticks == 0 || games != 30) {
			t.Errorf("failing %v: %v after %d ticks and %d games", failing, err, ticks, games)
		}
	}
}

// knowing is an evaluator that knows all rows, and works beside its caller.
type knowing struct {
	search.Evaluator
	recalled, started int
}

func (k *knowing) Recall(n int) (search.Evaluations, bool) {
	k.recalled += n
	return search.Evaluations{}, true
}

func (k *knowing) Start() { k.started++ }

// TestReplaceable: what stands for an evaluator can do what that one can.
func TestReplaceable(t *testing.T) {
	var x replaceable
	k, plain := new(knowing), search.NewConstant(settings("tictactoe").Game, 0.5)
	for _, e := range []search.Evaluator{plain, k, plain, k} {
		x.set(e)
		x.Start()
		if _, known := x.Recall(3); known != (e == search.Evaluator(k)) {
			t.Errorf("%T knows rows: %v", e, known)
		}
	}
	if k.recalled != 6 || k.started != 2 {
		t.Errorf("%d rows are recalled, and it is started %d times", k.recalled, k.started)
	}
}
