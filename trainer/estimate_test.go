package trainer

import (
	"context"
	"testing"
	"time"

	"tengen/nn"
	"tengen/nn/backend"
	"tengen/nn/backend/fake"
)

// TestMeasure: an estimate covers every part of the run, and its whole is the sum.
func TestMeasure(t *testing.T) {
	p := tiny(t, "training.games=100", "warm_start.initial_epochs=0")
	e, err := Measure(context.Background(), p, time.Second)
	if err != nil {
		t.Fatal(err)
	}
	if e.Parameters != p.NewParams().Count() || e.Games != 10+4*100 || e.Steps != 4*6 {
		t.Errorf("%d parameters, %d games, %d steps; want %d, 410, 24",
			e.Parameters, e.Games, e.Steps, p.NewParams().Count())
	}
	for name, x := range map[string]float64{
		"UCT's games a second": e.UCTGamesPerSecond, "evaluations a second": e.EvaluationsPerSecond,
		"evaluations a game": e.EvaluationsPerGame, "plies": e.PliesPerGame,
		"steps a second": e.StepsPerSecond,
		"self-play":      e.SelfPlaySeconds, "updates": e.UpdateSeconds,
		"memory": e.Memory.All(), "a game's memory": e.Memory.Game,
	} {
		if !(x > 0) {
			t.Errorf("%s: %g", name, x)
		}
	}
	if d := e.TotalSeconds - e.SelfPlaySeconds - e.UpdateSeconds; d > 1e-9 || d < -1e-9 {
		t.Errorf("the whole is %g s, its parts %g and %g",
			e.TotalSeconds, e.SelfPlaySeconds, e.UpdateSeconds)
	}
	// All iterations of a long run count, of which few are looked at.
	p.Config.Training.Iterations = 1_000_000
	long, err := Measure(t.Context(), p, 300*time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	if long.Iterations != 1_000_000 || long.Games != 10+100_000_000 || long.Steps != 6_000_000 {
		t.Errorf("%d iterations, %d games and %d steps of a million iterations",
			long.Iterations, long.Games, long.Steps)
	}
	p.Config.Training.Iterations = 4
	// A run with a limit of evaluations has as many games as ask for them.
	short, err := Measure(t.Context(),
		tiny(t, "training.iterations=1000000", "training.evaluations=20000"), 300*time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	// what the cache answers counts too
	if n := float64(short.Games-10) * short.EvaluationsPerGame; short.Games < 22 || n < 500 ||
		n > 60_000 {
		t.Errorf("%d games of %g evaluations", short.Games, short.EvaluationsPerGame)
	}
	// A run with a limit of time ends in the iteration that reaches it.
	timed, err := Measure(t.Context(),
		tiny(t, "training.iterations=1000000", "training.minutes=20"), 300*time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	if all := timed.SelfPlaySeconds + timed.UpdateSeconds; timed.TotalSeconds != 1200 ||
		all < 1200 || timed.Iterations < 2 || all > 1200*(1+2/float64(timed.Iterations))+2 ||
		timed.Games != 10+timed.Iterations*(short.Games-10)/short.Iterations {
		t.Errorf("%d iterations, %d games and %g s of work in 1200 s",
			timed.Iterations, timed.Games, all)
	}
	// A time in which hardly a game ends: UCT plays until one has.
	if _, err := Measure(t.Context(), p, 5*time.Millisecond); err != nil {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Measure(ctx, p, time.Second); err == nil {
		t.Error("a cancelled measurement returns no error")
	}
}

// loading counts the networks that a backend loads.
type loading struct {
	backend.Backend
	loads int
}

func (l *loading) Load(p *nn.Params) (nn.Network, error) {
	l.loads++
	return l.Backend.Load(p)
}

// TestMeasuredUpdate checks that steps are measured in one update, as a run makes it: each update
// loads its network, and ends with no step under way.
func TestMeasuredUpdate(t *testing.T) {
	p, device := tiny(t, "training.batch=8"), new(fake.Device)
	l := &loading{Backend: device}
	p.Backend = l
	e, err := Measure(t.Context(), p, time.Second)
	if err != nil {
		t.Fatal(err)
	}
	if l.loads > 3 || !(e.StepsPerSecond > 0) {
		t.Errorf("%d networks were loaded, %g steps a second", l.loads, e.StepsPerSecond)
	}
	if n := device.Open(); n != 0 {
		t.Errorf("%d evaluators and trainers are left open", n)
	}
}
