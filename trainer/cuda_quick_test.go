package trainer

import (
	"math"
	"path/filepath"
	"slices"
	"testing"

	"tengen/nn/backend"
	"tengen/nn/backend/cudabackend"
	"tengen/nn/cuda/driver/fake"
	"tengen/replay/record"
)

// TestQuickOnCUDA runs two iterations of the preset quick, whole (UCT's games, the network's,
// updates, evaluations, checkpoints), with a tiny network in fp32, on an emulated device and on the
// processor: the games are the same, action by action with the same visits, and the networks are
// near each other.
func TestQuickOnCUDA(t *testing.T) {
	if testing.Short() {
		t.Skip("long: the emulation of a device")
	}
	t.Parallel()
	device := fake.New(fake.Ampere(t, 1))
	b, err := cudabackend.New(device,
		backend.Spec{Kind: backend.CUDA, Inference: backend.FP32, Training: backend.FP32},
		cudabackend.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	set := []string{
		"search.root=gumbel", "network.filters=16", "search.simulations=4",
		"warm_start.initial_games=4", "warm_start.initial_epochs=1",
		"training.iterations=2", "training.games=5", "training.batch=16", "training.max_steps=2",
		"evaluation.every=2", "evaluation.games=1", "evaluation.simulations=1",
		"selfplay.workers=2",
	}
	folder := t.TempDir()
	onDevice, onCPU := filepath.Join(folder, "device"), filepath.Join(folder, "processor")
	if _, err := runOn(t, b, onDevice, false, set...); err != nil {
		t.Fatal(err)
	}
	launches := device.Calls("Launch")
	if _, err := runOn(t, nil, onCPU, false, set...); err != nil {
		t.Fatal(err)
	}
	if launches < 100 {
		t.Errorf("the device launches %d kernels", launches)
	}
	got, want := games(t, onDevice), games(t, onCPU)
	if len(got) != len(want) || len(got) == 0 {
		t.Fatalf("%d games, on the processor %d", len(got), len(want))
	}
	networks := 0
	for i, g := range got {
		w := want[i]
		if g.Number != w.Number || len(g.Moves) != len(w.Moves) ||
			!slices.Equal(g.Returns, w.Returns) {
			t.Errorf("game %d has %d moves, on the processor %d has %d",
				g.Number, len(g.Moves), w.Number, len(w.Moves))
			continue
		}
		for j, m := range g.Moves {
			n := w.Moves[j]
			if m.Action != n.Action || !slices.Equal(m.Visits, n.Visits) ||
				!near(m.Probabilities(), n.Probabilities()) || !near(m.Value, n.Value) {
				t.Errorf("game %d, move %d: %+v, on the processor %+v", g.Number, j+1, m, n)
				break
			}
		}
		if slices.ContainsFunc(g.Seats, func(s record.SeatRecord) bool {
			return s.Kind == record.Network
		}) {
			networks++
		}
	}
	if networks == 0 {
		t.Error("no game of the network")
	}
	x, y := newest(t, onDevice), newest(t, onCPU)
	if x.Iteration != 2 || x.Step != y.Step {
		t.Errorf("it ends at iteration %d, step %d, on the processor %d, %d",
			x.Iteration, x.Step, y.Iteration, y.Step)
	}
	for i, p := range x.Params.Tensors {
		if !near(p.Data, y.Params.Tensors[i].Data) {
			t.Errorf("%s is not the processor's", p.Name)
		}
	}
}

// near reports whether numbers differ by rounding only.
func near(a, b []float32) bool {
	for i, v := range a {
		if len(a) != len(b) || !(math.Abs(float64(v-b[i])) <= 2e-3*(1+math.Abs(float64(v)))) {
			return false
		}
	}
	return len(a) == len(b)
}
