package trainer

import (
	"context"
	"errors"
	"log/slog"
	"math"
	"math/rand/v2"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"tengen/nn"
	"tengen/nn/backend"
	"tengen/nn/backend/fake"
	"tengen/nn/train"
	"tengen/trainer/learn"
)

func TestRates(t *testing.T) {
	var r rates
	r.note(100, 50, 10, 2)
	if r.game != 0.5 || r.step != 0.2 {
		t.Errorf("%+v", r)
	}
	r.note(100, 70, 0, 9) // no step was made
	if math.Abs(r.game-0.6) > 1e-9 || r.step != 0.2 {
		t.Errorf("%+v", r)
	}
}

// TestForecast: from the end of the first iteration on the time left is told, and it is right
// within a third, also while the window and with it the updates grow. By the test's clock, which
// goes on whenever it is read, a training step takes three seconds.
func TestForecast(t *testing.T) {
	p := tiny(t, "training.iterations=12", "training.games=20", "warm_start.initial_games=20",
		"training.max_steps=0", "training.batch=16", "replay.games=400",
		"evaluation.every=0", "selfplay.workers=1", "replay.held_out=0")
	var at atomic.Int64 // ms
	c := &counting{Backend: p.device(), cancel: func() {}}
	c.onCall = func() { at.Add(3000) }
	p.Backend = c
	o := options(t, p, filepath.Join(t.TempDir(), "run"))
	o.Now = func() time.Time { return time.UnixMilli(at.Add(100)) }
	type estimate struct{ at, left time.Duration }
	var list []estimate
	o.Log = slog.New(told(func(message string) {
		if s := o.Monitor.Status(); message == "iteration" && s.Iteration > 0 {
			list = append(list, estimate{time.Duration(at.Load()) * time.Millisecond, s.Left})
		}
	}))
	if err := Run(context.Background(), o); err != nil {
		t.Fatal(err)
	}
	end := list[len(list)-1].at // of the last iteration
	for k, x := range list[:len(list)-1] {
		if want := end - x.at; x.left < want*2/3 || x.left > want*4/3 {
			t.Errorf("in iteration %d about %v are left, and it takes %v", k+2, x.left, want)
		}
	}
	if len(list) != 11 {
		t.Errorf("%d estimates", len(list))
	}
}

// TestForesee: within the first iteration the time left is told as soon as a training step was
// measured, from the games that have ended; and the update's own steps correct it.
func TestForesee(t *testing.T) {
	p := tiny(t, "training.iterations=10", "training.games=100", "warm_start.initial_games=100",
		"warm_start.initial_epochs=0",
		"training.max_steps=50", "training.batch=10", "replay.games=100", "evaluation.every=0",
		"replay.held_out=0")
	at := time.Unix(100, 0)
	now := func() time.Time { return at }
	var m Monitor
	m.begin(func() time.Duration { return at.Sub(time.Unix(100, 0)) }, 0)
	m.foresee(&early{plan: p}, now)
	m.beginPlay(0, now)
	m.Counters.Games.Store(10)
	// 6 a game, so that 100 games make 60 steps, of which 50 are made
	m.Counters.Positions.Store(60)
	at = at.Add(5 * time.Second)
	if left := m.Status().Left; left != 0 || !m.foresees() {
		t.Errorf("%v left, when the time of a step is not known", left)
	}
	m.measured(2)
	// 1,100 games at half a second, less 10, and ten updates of 50 steps.
	if left, want := m.Status().Left,
		545*time.Second+1000*time.Second; left.Round(time.Second) != want {
		t.Errorf("%v left, want %v", left, want)
	}
	m.Counters.Games.Store(200)
	m.Counters.Positions.Store(1200)
	at = at.Add(95 * time.Second)
	m.endPlay()
	m.step(1, 50)
	at = at.Add(27 * time.Second)
	m.step(10, 50) // three seconds each
	if left, want := m.Status().Left,
		450*time.Second+490*3*time.Second; left.Round(time.Second) != want {
		t.Errorf("%v left in the update, want %v", left, want)
	}
	m.expect(0, now)
	if left := m.Status().Left; left != 0 || m.foresees() {
		t.Errorf("%v left after the iteration, of which nothing is known", left)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if _, err := p.stepSeconds(ended, time.Now); !errors.Is(err, context.Canceled) {
		t.Errorf("after the run's end a step is measured: %v", err)
	}
	if step, err := p.stepSeconds(t.Context(), time.Now); err != nil || !(step > 0) {
		t.Errorf("a step of %v s: %v", step, err)
	}
}

// TestPace: the time left follows what was done since the second iteration began.
func TestPace(t *testing.T) {
	at := time.Unix(1000, 0)
	var p pace
	for _, c := range []struct {
		later     time.Duration
		done, all float64
		want      time.Duration
	}{
		{0, 5, 20, 0},
		{10 * time.Second, 5, 20, 0}, // nothing was done
		{10 * time.Second, 9, 20, 55 * time.Second},
		{20 * time.Second, 15, 20, 20 * time.Second},
		{0, 20, 20, 0},
		{0, 21, 20, 0},
	} {
		at = at.Add(c.later)
		if got := p.left(c.done, c.all, at); got != c.want {
			t.Errorf("%v of %v done: %v left, want %v", c.done, c.all, got, c.want)
		}
	}
}

// TestForeseeToALimit: within the first iteration the time left is that of the games and steps, and
// of a share of evaluations, but no more than is left to the run's limit.
func TestForeseeToALimit(t *testing.T) {
	plan := func(set ...string) *Plan {
		return tiny(t, append(set, "training.iterations=2", "training.games=20",
			"warm_start.initial_games=0", "training.max_steps=5", "training.batch=10",
			"warm_start.initial_epochs=0", "replay.games=100")...)
	}
	alone, with := plan("evaluation.every=0"), plan("evaluation.every=1")
	// 40 games of a second, less 10, and two updates of 5 steps of two seconds.
	all := 50 * time.Second
	for _, c := range []struct {
		plan           *Plan
		limit, elapsed time.Duration
		step           float64
		want           time.Duration
	}{
		{alone, 0, 0, 2, all},
		{with, 0, 0, 2, time.Duration(float64(all) / 0.9)},
		{alone, time.Hour, time.Minute, 2, all},
		{alone, time.Minute, 30 * time.Second, 2, 30 * time.Second},
		{alone, time.Minute, 90 * time.Second, 2, time.Second},
		{alone, time.Minute, 10 * time.Second, 2, all},
		{alone, 0, 0, 0, 0}, // nobody knows how long a step takes
		{alone, time.Hour, time.Minute, 0, 59 * time.Minute},
	} {
		at := time.Unix(100, 0)
		now := func() time.Time { return at }
		var m Monitor
		m.begin(func() time.Duration { return c.elapsed }, c.limit)
		e := &early{plan: c.plan, limit: c.limit}
		e.play.step = c.step
		m.foresee(e, now)
		m.Counters.Games.Store(100)
		m.Counters.Positions.Store(100)
		m.beginPlay(0, now)
		m.Counters.Games.Add(10)
		m.Counters.Positions.Add(80)
		at = at.Add(10 * time.Second)
		if left := m.Status().Left; left.Round(time.Second) != c.want.Round(time.Second) {
			t.Errorf("limit %v, %v elapsed, steps of %v s: %v left, want %v",
				c.limit, c.elapsed, c.step, left, c.want)
		}
		if want := 8 * (1 - c.plan.Config.Replay.HeldOut); e.positions != want {
			t.Errorf("%v positions of a game are learned from, want %v", e.positions, want)
		}
	}
	var m Monitor // before its run begins
	e := &early{plan: alone, limit: time.Minute, done: 10, positions: 8, play: rates{1, 0}}
	m.foresee(e, func() time.Time { return time.Unix(100, 0) })
	if m.measured(2); m.foresees() || m.ends != time.Unix(100, 0).Add(all) {
		t.Errorf("it ends at %v", m.ends)
	}
	m.measured(200) // what was measured first stays
	m.step(1, 5)
	if e.play.step != 2 {
		t.Errorf("a step takes %v s", e.play.step)
	}
}

// overlapping is a device on which a step takes 20 ms, by its own clock, before which the host
// prepares for 5 ms; the first step takes a second longer. Two steps may be under way.
type overlapping struct {
	backend.Backend
	clock, free time.Duration
	ends        []time.Duration // of the steps under way
	steps, open int
	alone       bool // its trainer has no two steps under way
	lostAt      int  // step; 0: never
}

func (*overlapping) Rows() int { return 8 }

func (o *overlapping) now() time.Time { return time.Unix(0, 0).Add(o.clock) }

func (o *overlapping) NewTrainer(p *nn.Params, c train.Config) (train.Trainer, error) {
	t, err := o.Backend.NewTrainer(p, c)
	o.open++
	if o.alone {
		return &alone{t, o}, err
	}
	return &pair{alone{t, o}, p.Spec}, err
}

func (o *overlapping) start() error {
	if len(o.ends) == 2 {
		return errors.New("two steps are under way")
	}
	if o.steps++; o.steps == o.lostAt {
		return fake.Lost
	}
	o.clock += 5 * time.Millisecond
	o.free = max(o.free, o.clock) + 20*time.Millisecond
	if o.steps == 1 {
		o.free += time.Second
	}
	o.ends = append(o.ends, o.free)
	return nil
}

func (o *overlapping) wait() (nn.Losses, error) {
	o.clock = max(o.clock, o.ends[0])
	o.ends = o.ends[1:]
	return nn.Losses{}, nil
}

type alone struct {
	train.Trainer
	on *overlapping
}

func (a *alone) Step(*train.Batch) (nn.Losses, error) {
	if err := a.on.start(); err != nil {
		return nn.Losses{}, err
	}
	return a.on.wait()
}

func (a *alone) Close() { a.on.open-- }

type pair struct {
	alone
	spec nn.Spec
}

func (p *pair) NewBatch() *train.Batch { return train.NewBatch(p.spec, 10) }

func (p *pair) Start(*train.Batch) error { return p.on.start() }

func (p *pair) Wait() (nn.Losses, error) { return p.on.wait() }

// TestStepSeconds checks that a step is measured as training makes it: with the next one under way
// when it ends, where the device can have two.
func TestStepSeconds(t *testing.T) {
	p := tiny(t, "training.batch=10")
	for _, c := range []struct {
		alone  bool
		lostAt int
		want   float64
	}{{true, 0, 0.025}, {false, 0, 0.020}, {true, 2, 0}, {false, 1, 0}, {false, 4, 0}} {
		o := &overlapping{Backend: backend.NewCPU(), alone: c.alone, lostAt: c.lostAt}
		p.Backend = o
		got, err := p.stepSeconds(t.Context(), o.now)
		if (err != nil) != (c.lostAt > 0) || math.Abs(got-c.want) > 1e-9 {
			t.Errorf("alone %v, lost at %d: a step of %g s, want %g; %v",
				c.alone, c.lostAt, got, c.want, err)
		}
		if o.open != 0 {
			t.Errorf("%d trainers are left open", o.open)
		}
	}
}

// TestRemaining: the time of the iterations to come is that of a loop over all of them, within half
// a hundredth where updates have more than 128 steps, where the window is full, fills and grows;
// and however many they are, few are looked at.
func TestRemaining(t *testing.T) {
	slow := func(p *Plan, iteration, games int, positions float64, r rates,
	) (sum float64, most int) {
		c := p.Config
		played, steps := games, 0
		for i := iteration; i < c.Training.Iterations; i++ {
			played += p.gamesOf(i)
			epochs, bound := p.epochs(i)
			held := positions * float64(min(played, c.Replay.Window(played)))
			n := learn.Steps(epochs, bound, int(held), c.Training.Batch)
			steps, most = steps+n, max(most, n)
		}
		return float64(played-games)*r.game + float64(steps)*r.step, most
	}
	rng := rand.New(rand.NewPCG(3, 4))
	for k := range 300 {
		p := tiny(t)
		c := p.Config
		c.Training.Iterations = 1 + rng.IntN(3000)
		c.Training.Games = 1 + rng.IntN(50)
		c.Training.Batch = 1 + rng.IntN(300)
		c.Training.Epochs = 3 * rng.Float64()
		c.Training.MaxSteps = rng.IntN(2) * rng.IntN(100)
		c.WarmStart.InitialGames = rng.IntN(2) * rng.IntN(1000)
		c.WarmStart.InitialEpochs = 5 * rng.Float64()
		c.Replay.Games = 1 + rng.IntN(20_000)
		c.Replay.Growth = float64(rng.IntN(2)) * rng.Float64()
		iteration := rng.IntN(2) * rng.IntN(c.Training.Iterations+2)
		games := 0
		for i := range iteration {
			games += p.gamesOf(i)
		}
		positions, r := 1+50*rng.Float64(), rates{rng.Float64(), rng.Float64()}
		got := p.remaining(iteration, games, positions, r)
		want, most := slow(p, iteration, games, positions, r)
		within := want / 200
		if most <= 128 {
			within = want * 1e-12 // only sums are rounded otherwise
		}
		if math.Abs(got-want) > within {
			t.Fatalf("%d: from %d on %g s are left, want %g: %+v %+v", k, iteration, got, want,
				c.Training, c.Replay)
		}
	}
	for _, n := range []int{1000, 1_000_000} {
		asked := 0
		sum := sumMonotone(func(k int) float64 {
			asked++
			return math.Floor(100 * math.Sqrt(1+float64(k)/float64(n)))
		}, 0, n)
		want := (100*(math.Sqrt(8)-1)*2/3 - 0.5) * float64(n)
		if math.Abs(sum-want) > want/200 || asked > 1000 {
			t.Errorf("of %d the sum is %g, want %g; %d were looked at", n, sum, want, asked)
		}
	}
}
