package cmd

import (
	"bytes"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"

	"tengen/nn/backend"
	"tengen/nn/backend/backendtest"
)

// withDevice has --device cuda open a device, until the test ends.
func withDevice(t *testing.T, d *backendtest.Device) {
	t.Helper()
	backend.Register(func(backend.Spec, *slog.Logger) (backend.Backend, error) { return d, nil })
	t.Cleanup(func() { backend.Register(nil) })
}

// TestLostDevice: training whose device is lost ends with status 1 and one line that says what
// happened and how to go on; and goes on where it is told to.
func TestLostDevice(t *testing.T) {
	d := &backendtest.Device{LostAtStep: 3}
	withDevice(t, d)
	dir := filepath.Join(t.TempDir(), "run")
	train := func(args ...string) (int, string) {
		var stderr bytes.Buffer
		status := execute(t.Context(), append([]string{"train", "--run", dir, "--listen", "none"}, args...), nil, &bytes.Buffer{}, &stderr)
		return status, stderr.String()
	}
	set := func(args ...string) []string {
		for _, x := range []string{
			"game=tictactoe", "network.blocks=1", "network.filters=4", "network.hidden=4", "search.simulations=2",
			"warm_start.initial_games=0", "warm_start.initial_epochs=0", "training.iterations=3", "training.games=4", "training.batch=8", "training.max_steps=2", "evaluation.every=0",
		} {
			args = append(args, "--set", x)
		}
		return args
	}
	status, said := train(set("--device", "cuda")...)
	lines := strings.Split(strings.TrimSpace(said), "\n")
	last := lines[len(lines)-1]
	if status != exitFailed || !strings.HasPrefix(last, "tengen: ") {
		t.Fatalf("status %d\n%s", status, said)
	}
	for _, want := range []string{"device lost: test:0", "--device cpu continues without it", "the run stands at iteration 1 of 3", "go on with: tengen train --resume --run " + dir} {
		if !strings.Contains(last, want) {
			t.Errorf("%q is missing in %s", want, last)
		}
	}
	if !strings.Contains(said, `is="a device for tests"`) || !strings.Contains(said, "kernels=test") {
		t.Errorf("the log does not say what is used:\n%s", said)
	}
	if status, said = train("--resume", "--device", "cpu"); status != 0 || !strings.Contains(said, "not be the same to the bit") || !strings.Contains(said, "trained for 3 iterations") {
		t.Errorf("on the processor: status %d\n%s", status, said)
	}
	if d.Open() != 0 {
		t.Errorf("%d evaluators and trainers are left open", d.Open())
	}
}

// TestPlayersOnADevice: eval and arena have networks evaluated there, with the results of the
// processor where the device computes what that does.
func TestPlayersOnADevice(t *testing.T) {
	d := new(backendtest.Device)
	withDevice(t, d)
	results := func(device string, args ...string) string {
		var stdout, stderr bytes.Buffer
		if status := execute(t.Context(), append(args, "--device", device), nil, &stdout, &stderr); status != 0 {
			t.Fatalf("%v: status %d\n%s", args, status, &stderr)
		}
		lines := strings.Split(stdout.String(), "\n")
		var kept []string
		for _, l := range lines {
			if !strings.Contains(l, " played in ") && !strings.HasPrefix(l, "seed ") { // how long it took
				kept = append(kept, l)
			}
		}
		return strings.Join(kept, "\n")
	}
	for _, args := range [][]string{
		{"eval", "az:go-5x5x3,simulations=4", "--games", "2", "--against", "random"},
		{"arena", "az:go-5x5x3,simulations=4", "random", "--games", "6"},
	} {
		if got, want := results("cuda", args...), results("cpu", args...); got != want {
			t.Errorf("%v on a device:\n%s\non the processor:\n%s", args, got, want)
		}
		all, _ := d.Batches()
		if all == 0 {
			t.Errorf("%v: nothing was evaluated on the device", args)
		}
	}
	if d.Open() != 0 {
		t.Errorf("%d evaluators are left open", d.Open())
	}
}
