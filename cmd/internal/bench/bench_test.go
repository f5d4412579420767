package bench

import (
	"context"
	"math"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"tengen/cmd/internal/cli"
	"tengen/game"
	_ "tengen/game/all"
	"tengen/internal/random"
	"tengen/nn"
	"tengen/nn/backend"
	training "tengen/nn/train"
)

// Counted by hand: multiplications and additions of a network with 2 planes
// and 3 filters on 2×2 cells, with 5 hidden units for 2 players.
func TestOperations(t *testing.T) {
	s := nn.Spec{Planes: 2, Height: 2, Width: 2, Players: 2, Blocks: 1, Filters: 3,
		Hidden: 5, Actions: 4,
		Policy: nn.PolicyConv, Value: nn.ValueLinear}
	trunk := 9*2*3*4 + 2*9*3*3*4     // stem, block
	value := 2 * (3*4*5 + 5*1)       // hidden layer and output, two players
	categorical := 2 * (3*4*5 + 5*7) // seven outputs
	for _, test := range []struct {
		policy, value string
		want          int
	}{
		{nn.PolicyConv, nn.ValueLinear, trunk + 3*4 + value},
		{nn.PolicyConvPass, nn.ValueLinear, trunk + 3*4 + 3 + value},
		{nn.PolicyDense, nn.ValueLinear, trunk + 2*3*4 + 8*4 + value},
		{nn.PolicyConv, nn.ValueCategorical, trunk + 3*4 + categorical},
	} {
		s.Policy, s.Value, s.Support = test.policy, test.value, nil
		if test.value == nn.ValueCategorical {
			s.Support = make([]float32, 7)
		}
		if got := operations(s); got != 2*float64(test.want) {
			t.Errorf("%s, %s: %v, want %d", test.policy, test.value, got, 2*test.want)
		}
	}
}

// The rates are set beside the peak where there is one.
func TestSpeed(t *testing.T) {
	peakOne, peakAll := 100.0, 160.0
	s := newSpeed(&processor{OneCore: &peakOne, All: &peakAll}, 32, 3000, 5600, 1e8)
	if s.OneGFLOPS != 300 || s.AllGFLOPS != 560 || *s.OneOfPeak != 3 || *s.AllOfPeak != 3.5 {
		t.Errorf("%+v, of the peak %v and %v", s, *s.OneOfPeak, *s.AllOfPeak)
	}
	if got := s.figures("positions/s")[0][1]; got != "3,000 (300.0 GFLOP/s, 3.00 × peak)" {
		t.Errorf("it is written %q", got)
	}
	s = newSpeed(&processor{}, 32, 3000, 5600, 1e8)
	if s.OneOfPeak != nil || s.AllOfPeak != nil {
		t.Error("rates are compared with a peak that was not measured")
	}
	if got := s.figures("positions/s")[0][1]; got != "3,000 (300.0 GFLOP/s)" {
		t.Errorf("it is written %q", got)
	}
}

// The peak is measured before anything else, on one core and on all, no longer than other
// measurements take.
func TestMeasureMachine(t *testing.T) {
	var calls atomic.Int64
	defer func(f func(time.Duration) float64) { peakFLOPS = f }(peakFLOPS)
	var longest atomic.Int64
	peakFLOPS = func(d time.Duration) float64 {
		calls.Add(1)
		longest.Store(int64(d))
		return 5e9
	}
	for asked, want := range map[time.Duration]time.Duration{
		time.Hour: peakTime, time.Millisecond: time.Millisecond,
	} {
		if _, err := measureMachine(t.Context(), asked); err != nil ||
			time.Duration(longest.Load()) != want {
			t.Errorf("%v, it takes %v where %v are asked for", err,
				time.Duration(longest.Load()), asked)
		}
	}
	calls.Store(0)
	m, err := measureMachine(t.Context(), time.Second)
	if err != nil || *m.OneCore != 5 || *m.All != 5*float64(cli.Cores()) ||
		int(calls.Load()) != 1+cli.Cores() {
		t.Errorf("%v, %v after %d measurements", m, err, calls.Load())
	}
	if !strings.Contains(m.String(), "peak of FP32: 5.0 GFLOP/s on one core") {
		t.Errorf("it is written %q", m)
	}
	peakFLOPS = nil
	if m, err := measureMachine(t.Context(), time.Second); err != nil || m.OneCore != nil ||
		m.All != nil {
		t.Errorf("without a measurement: %v, %v", m, err)
	}
}

// A batch to train on is one that the trainer takes, whatever the heads.
func TestTrainingBatch(t *testing.T) {
	for _, value := range []string{nn.ValueCategorical, nn.ValueLinear} {
		var f cli.ConfigFlags
		f.Set = []string{"network.blocks=0", "network.filters=4", "network.value=" + value}
		list, err := newSubjects(&f, nil, []int{8}, 1)
		if err != nil || len(list) != 1 {
			t.Fatal(list, err)
		}
		b := trainingBatch(list[0], 8, random.New(1, random.Test))
		for i := range 8 {
			sum := float32(0)
			for _, p := range b.Policy[i*25 : (i+1)*25] {
				sum += p
			}
			if math.Abs(float64(sum)-1) > 1e-5 {
				t.Errorf("row %d: policies sum to %v", i, sum)
			}
		}
		got, err := measureSteps(t.Context(), time.Millisecond, backend.NewCPU(), list[0], 1, 1)
		if err != nil || got.units == 0 || got.units%8 != 0 {
			t.Errorf("%s: %+v, %v", value, got, err)
		}
	}
}

// TestLosses checks that a preset's steps have its losses, and targets for all its heads.
func TestLosses(t *testing.T) {
	tiny := cli.ConfigFlags{Set: []string{
		"network.blocks=0", "network.filters=4", "network.hidden=4",
	}}
	for preset, has := range map[string]func(c training.Config) bool{
		"quick": func(c training.Config) bool {
			return !c.PolicyLogits && c.LabelWeight == 0 && c.BeliefWeight == 0
		},
		"kuhn":   func(c training.Config) bool { return c.PolicyLogits },
		"go9":    func(c training.Config) bool { return c.LabelWeight > 0 },
		"turtle": func(c training.Config) bool { return c.BeliefWeight > 0 },
	} {
		list, err := newSubjects(&tiny, []string{preset}, []int{4, 8}, 1)
		if err != nil {
			t.Fatal(err)
		}
		for i, s := range list {
			if n := []int{4, 8}[i]; !has(s.train) || s.train.Batch != n {
				t.Errorf("%s is trained with %+v, batch %d", preset, s.train, n)
			}
			b := trainingBatch(s, s.train.Batch, random.New(1, random.Test))
			if rows, err := b.Rows(s.spec); err != nil || rows != s.train.Batch ||
				s.train.LabelWeight > 0 && b.AuxiliaryWeight[0] == 0 ||
				s.train.BeliefWeight > 0 && b.FactWeight[0] == 0 {
				t.Errorf("%s: %d rows, %v", preset, rows, err)
			}
		}
	}
}

func TestBusy(t *testing.T) {
	if text := busy(tally{share: 1}, tally{share: 0.96}); text != "" {
		t.Errorf("a quiet machine: %q", text)
	}
	if text := busy(tally{share: 1}, tally{
		share: 0.4,
	}); text !=
		"the machine was busy: only 40 % of the cores' time was had, so the rates are too low" {
		t.Errorf("a busy machine: %q", text)
	}
}

// Every unit is counted, whichever worker did it, and the first call of each is not.
func TestMeasure(t *testing.T) {
	calls := make([]int, 3)
	got, err := measure(t.Context(), 20*time.Millisecond, 3, func(i int) func() int {
		return func() int {
			calls[i]++
			time.Sleep(time.Millisecond)
			return 10
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	want := 0
	for _, n := range calls {
		want += 10 * (n - 1)
	}
	if got.units != want || want == 0 || got.elapsed < 20*time.Millisecond {
		t.Errorf("%+v after calls %v", got, calls)
	}
	if rate := got.rate(); rate <= 0 || rate > 30*1000 {
		t.Errorf("%v units a second, though each ten took a millisecond", rate)
	}
}

// What is measured allocates nothing itself.
func TestMeasuredWorkAllocatesNothing(t *testing.T) {
	g := game.Must(game.New(cli.DefaultGame))
	rng := random.New(1, random.Test)
	params, err := nn.NewParams(nn.Spec{Planes: 6, Height: 5, Width: 5, Players: 3, Actions: 25,
		Blocks: 1, Filters: 4, Hidden: 4,
		Policy: nn.PolicyConv, Value: nn.ValueLinear})
	if err != nil {
		t.Fatal(err)
	}
	for name, work := range map[string]func() int{
		"games":       randomGames(g, rng),
		"PUCT":        constantSearches(g, 50, rng),
		"UCT":         uctGame(g, rng),
		"evaluations": evaluations(g, nn.Fold(params), 4, 1, 0),
	} {
		// The runtime may allocate meanwhile, and a tree may grow for a larger search than those
		// before.
		n := 1.0
		for try := 0; n != 0 && try < 8; try++ {
			n = testing.AllocsPerRun(3, func() { work() })
		}
		if n != 0 {
			t.Errorf("%s: %v allocations a call", name, n)
		}
	}
}

// plain is a game without a playout of its own.
type plain struct{ game.Game }

func (p plain) NewState() game.State { return plainState{p.Game.NewState()} }

type plainState struct{ game.State }

func (s plainState) CopyFrom(src game.State) { s.State.CopyFrom(src.(plainState).State) }

func TestPliesOf(t *testing.T) {
	rng := random.New(1, random.Test)
	if plies, known := pliesOf(plain{
		game.Must(game.New("mnk:rows=1,columns=3")),
	}, rng, 100); !known || plies != 3 {
		t.Errorf("a game of three actions has %v, known %v", plies, known)
	}
	g := game.Must(game.New(cli.DefaultGame))
	// A random game lasts 73.5 plies, with a standard deviation of about 15.
	if plies, known := pliesOf(g, rng, 400); !known || plies < 70 || plies > 77 {
		t.Errorf("random games of %s have %v plies, known %v; about 73.5 are wanted",
			cli.DefaultGame, plies, known)
	}
}

func TestMeasureStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	_, err := measure(ctx, time.Hour, 2, func(int) func() int {
		return func() int {
			cancel()
			return 1
		}
	})
	if err != context.Canceled {
		t.Errorf("the error is %v", err)
	}
}
