package trainer

import (
	"path/filepath"
	"testing"
	"time"

	"tengen/checkpoints"
	"tengen/game"
	"tengen/nn"
	"tengen/replay/record"
	"tengen/trainer/learn"
)

// TestLoadedNetworks: the networks that were used last are known with their parameters.
func TestLoadedNetworks(t *testing.T) {
	type network struct{ nn.Network }
	var networks []*network
	var params []*nn.Params
	var l loadedNetworks
	for range keptNetworks + 2 {
		n, p := new(network), new(nn.Params)
		networks, params = append(networks, n), append(params, p)
	}
	known := func(from, to int) {
		t.Helper()
		for i, n := range networks {
			got, want := l.of(n), params[i]
			if i < from || i >= to {
				want = nil
			}
			if got != want {
				t.Errorf("network %d has %p, want %p", i, got, want)
			}
		}
	}
	for i, n := range networks[:keptNetworks] {
		l.add(n, params[i])
		known(0, i+1)
	}
	l.add(networks[keptNetworks], params[keptNetworks])
	known(1, keptNetworks+1)
	l.of(networks[1]) // used last, so that the second goes
	l.add(networks[keptNetworks+1], params[keptNetworks+1])
	if l.of(networks[1]) != params[1] || l.of(networks[2]) != nil {
		t.Error("a network that was used last is gone, or one that was not is known")
	}
}

// TestSizes: what is written of the size of a piece of work.
func TestSizes(t *testing.T) {
	for n, want := range map[int64]string{
		1: "1 bytes", 10<<10 - 1: "10239 bytes", 10 << 10: "10 KiB",
		10<<20 - 1: "10239 KiB", 10 << 20: "10 MiB", 3 << 30: "3072 MiB",
	} {
		if got := size(n); got != want {
			t.Errorf("%d bytes are %q, want %q", n, got, want)
		}
	}
	for _, c := range []struct {
		bytes int64
		want  string
	}{{0, "it to runs/x"}, {1, "it to runs/x (about 1 bytes)"}} {
		if got := (piece{"it", "runs/x", c.bytes}).String(); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
	tensors := func(sizes ...int) (list []nn.Tensor) {
		for _, n := range sizes {
			list = append(list, nn.Tensor{Data: make([]float32, n)})
		}
		return list
	}
	c := &checkpoints.Checkpoint{
		Params: &nn.Params{Tensors: tensors(3, 5)}, Optimizer: tensors(3, 5, 7),
		State: []byte("state"),
	}
	if n := bytesOf(c); n != 4*(8+15)+5 {
		t.Errorf("a checkpoint has about %d bytes, want %d", n, 4*(8+15)+5)
	}
	c.Average = &nn.Params{Tensors: tensors(3, 5)}
	if n := bytesOf(c); n != 4*(8+15+8)+5 {
		t.Errorf("a checkpoint with averages has about %d bytes, want %d", n, 4*(8+15+8)+5)
	}
}

// TestPlaces: the games of a run follow each other from iteration to iteration.
func TestPlaces(t *testing.T) {
	p := tiny(t, "training.games=3", "warm_start.initial_games=2")
	at := p.placeAt(0, 0)
	for number, want := range []int{0, 0, 0, 0, 0, 1, 1, 1, 2, 2, 2, 3} {
		if at.number != uint64(number) || at.iteration != want {
			t.Fatalf("game %d of iteration %d, want game %d of iteration %d",
				at.number, at.iteration, number, want)
		}
		at = at.next()
	}
}

// TestProgress: how much of a run is done, by the limit that schedules follow, whether one is
// reached, and what is left until then.
func TestProgress(t *testing.T) {
	limits := func(iterations, evaluations, minutes string) []string {
		return []string{
			"training.iterations=" + iterations, "training.evaluations=" + evaluations,
			"training.minutes=" + minutes,
		}
	}
	for _, c := range []struct {
		set         []string
		iteration   int
		evaluations uint64
		elapsed     time.Duration
		progress    float64 // half an iteration later, for which 100 evaluations were asked
		at, of      int     // of schedules now
		spent, over bool
		left        time.Duration // since a pace is known: 1000 evaluations of the last 10 s
	}{
		{limits("10", "0", "0"), 4, 3000, time.Hour, 0.45, 4, 10, false, false, 0},
		{limits("10", "0", "0"), 10, 0, 0, 1.05, 10, 10, false, true, 0},
		{limits("10", "4000", "0"), 4, 3000, 0, 3050.0 / 4000, 7500, 10_000,
			false, false, 10 * time.Second},
		{limits("10", "4000", "0"), 4, 3999, 0, 1, 9997, 10_000,
			false, false, 10 * time.Millisecond},
		{limits("10", "4000", "0"), 4, 4000, 0, 1, 10_000, 10_000, true, false, 0},
		{limits("10", "0", "2"), 4, 3000, 30 * time.Second, 0.25, 2500, 10_000,
			false, false, 90 * time.Second},
		{limits("10", "0", "2"), 4, 3000, 2 * time.Minute, 1, 10_000, 10_000, true, false, 0},
		{limits("10", "0", "2"), 4, 3000, 3 * time.Minute, 1, 10_000, 10_000, true, false, 0},
		{limits("10", "0", "2"), 4, 3000, 2*time.Minute - 1, 1, 9999, 10_000, false, false, 1},
	} {
		o := options(t, tiny(t, c.set...), filepath.Join(t.TempDir(), "run"))
		at := time.Unix(1000, 0)
		o.Now = func() time.Time { return at }
		r := newRunner(&o)
		r.updater, r.asked = &learn.Updater{}, 100
		r.state.Iteration, r.state.Evaluations = c.iteration, c.evaluations
		r.before = 7
		r.waited.Store(int64(7 * time.Second))
		r.evaluationPace = pace{at.Add(c.elapsed - 10*time.Second), float64(c.evaluations) - 1000}
		at = at.Add(c.elapsed)
		progress := r.progressAt(float64(c.iteration) + 0.5)
		now, of := r.clock(c.iteration, c.evaluations)
		if d := progress - c.progress; d < -1e-9 || d > 1e-9 || now != c.at || of != c.of {
			t.Errorf("%v, iteration %d, %d evaluations, %v: progress %v, schedules at %d of %d",
				c.set, c.iteration, c.evaluations, c.elapsed, progress, now, of)
		}
		left := r.left()
		if r.spent() != c.spent || r.over() != c.over || left != c.left {
			t.Errorf("%v, iteration %d, %d evaluations, %v: spent %v, over %v, %v left",
				c.set, c.iteration, c.evaluations, c.elapsed, r.spent(), r.over(), left)
		}
		r.evaluationPace = pace{}
		want := max(0, r.limit()-c.elapsed)
		if left := r.left(); left != want {
			t.Errorf("%v, after %v: %v left, want %v where no pace is known",
				c.set, c.elapsed, left, want)
		}
	}
}

// TestLagCountsDecisionsOfNetworks: the mean lag is over decisions that networks made, of whichever
// seat, and over no others.
func TestLagCountsDecisionsOfNetworks(t *testing.T) {
	value := []float32{0, 0}
	g := &record.Game{
		Seats: []record.SeatRecord{{Kind: record.Network, Step: 7}, {Kind: record.UCT}},
		Moves: []record.Move{
			{Mover: 0, Value: value}, {Mover: 1, Value: value}, {Mover: 0},
			{Mover: game.Chance, Value: value},
			{Mover: 0, Value: value},
		},
	}
	var l lagMean
	if l.mean() != 0 {
		t.Errorf("without games %g", l.mean())
	}
	l.add(g, 10)
	if l.n != 2 || l.mean() != 3 {
		t.Errorf("%g decisions, %g steps behind in the mean, want 2 and 3", l.n, l.mean())
	}
}
