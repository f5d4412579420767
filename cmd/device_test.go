package cmd

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tengen/cmd/internal/cmdtest"
	"tengen/nn/backend"
	"tengen/nn/backend/fake"
	"tengen/nn/cuda/driver"
)

// TestLostDevice: training whose device is lost ends with status 1 and one line that says what
// happened and how to go on; and goes on where it is told to.
func TestLostDevice(t *testing.T) {
	d := &fake.Device{LostAtStep: 3}
	cmdtest.WithDevice(t, d)
	dir := filepath.Join(t.TempDir(), "run")
	train := func(args ...string) (int, string) {
		var stderr bytes.Buffer
		status := program.Execute(t.Context(),
			append([]string{"train", "--run", dir, "--listen", "none"}, args...), nil,
			&bytes.Buffer{}, &stderr)
		return status, stderr.String()
	}
	set := func(args ...string) []string {
		for _, x := range []string{
			"game=tictactoe", "network.blocks=1", "network.filters=4", "network.hidden=4",
			"search.simulations=2", "selfplay.cache_mib=1",
			"warm_start.initial_games=0", "warm_start.initial_epochs=0", "training.iterations=3",
			"training.games=4", "training.batch=8", "training.max_steps=2", "evaluation.every=0",
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
	for _, want := range []string{
		"device lost: test:0", "--device cpu continues without it",
		"the run stands at iteration 1 of 3", "go on with: tengen train --resume --run " + dir,
	} {
		if !strings.Contains(last, want) {
			t.Errorf("%q is missing in %s", want, last)
		}
	}
	if !strings.Contains(said, `is="a device for tests"`) ||
		!strings.Contains(said, "kernels=test") {
		t.Errorf("the log does not say what is used:\n%s", said)
	}
	if status, said = train("--resume", "--device", "cpu"); status != 0 ||
		!strings.Contains(said, "not be the same to the bit") ||
		!strings.Contains(said, "trained for 3 iterations") {
		t.Errorf("on the processor: status %d\n%s", status, said)
	}
	if d.Open() != 0 {
		t.Errorf("%d evaluators and trainers are left open", d.Open())
	}
}

// threeTrain are devices of which three share each training step.
type threeTrain struct{ *fake.Device }

func (threeTrain) InUse() (evaluate, train int) { return 4, 3 }

// TestUndividedBatch: devices refuse a batch that they can't divide among themselves in one line,
// before there is a folder, for the broker too.
func TestUndividedBatch(t *testing.T) {
	backend.Register(func(backend.Spec, *slog.Logger) (backend.Backend, error) {
		return threeTrain{new(fake.Device)}, nil
	})
	t.Cleanup(func() { backend.Register(nil) })
	t.Chdir(t.TempDir())
	status, _, stderr := tengen(t, "",
		"train quick --run new --share 127.0.0.1:0 --listen none --device cuda --set training.batch=64")
	_, told, _ := strings.Cut(stderr, "tengen: ") // after the log
	if want := "training on 3 devices: a batch of 64 rows can't be divided by 3; 63 or 66 rows would do (training.batch)\n"; status != exitFailed || told != want {
		t.Errorf("status %d, %q, want %q", status, told, want)
	}
	if _, err := os.Stat("new"); !os.IsNotExist(err) {
		t.Errorf("the folder of a refused run: %v", err)
	}
}

// on runs a command with --device, and returns its output without the times that it took.
func on(t *testing.T, device, input string, args ...string) string {
	t.Helper()
	var stdout, stderr bytes.Buffer
	if status := program.Execute(t.Context(), append(args, "--device", device),
		strings.NewReader(input), &stdout, &stderr); status != 0 {
		t.Fatalf("%v: status %d\n%s", args, status, &stderr)
	}
	var kept []string
	for line := range strings.Lines(stdout.String()) {
		if !strings.Contains(line, " played in ") && !strings.HasPrefix(line, "seed ") &&
			!strings.Contains(line, "econds") && !strings.Contains(line, " s on ") &&
			!strings.Contains(line, `"machine"`) && !strings.Contains(line, "--device") {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "")
}

// queries are lines for tengen analysis, about two games.
const queries = `{"id":"a","rules":{},"komi":0.5,"boardXSize":5,"boardYSize":5,"moves":[["B","C3"],["W","C2"]],"analyzeTurns":[0,1,2],"includePolicy":true}
{"id":"b","rules":{},"komi":3,"boardXSize":5,"boardYSize":5,"moves":[],"avoidMoves":[{"player":"B","moves":["C3"],"untilDepth":1}]}
`

// TestPlayersOnADevice: networks are evaluated there, with the results of the processor where the
// device computes what that does, and leave nothing on it.
func TestPlayersOnADevice(t *testing.T) {
	d := new(fake.Device)
	cmdtest.WithDevice(t, d)
	t.Chdir(t.TempDir())
	newRun(t, "net", "turtle:players=2", "alphazero")
	before := int64(0)
	for _, c := range []struct{ args, input string }{
		{"eval az:go-5x5x3,simulations=4 --games 2 --against random", ""},
		{"arena az:go-5x5x3,simulations=4 random --games 6", ""},
		{"play az:go-5x5x3,simulations=5,leaves=2 az:go-5x5x3,simulations=3 ubfm:go-5x5x3-descent,iterations=2 --seed 3", ""},
		{"play turtle human az:net,simulations=5,leaves=2 --seed 7",
			strings.Repeat(everyCard(), 60)},
		{"gtp go-5x5x2 --simulations 6",
			"komi 3\ngenmove b\nkomi 5\ngenmove w\nundo\ngenmove w\nshowboard\nquit\n"},
		{"analysis go-5x5x2 --simulations 6 --parallel 1", queries},
		{"analyze az:go-5x5x3,simulations=10 --moves c3 --game go:size=5,players=3", ""},
		{"analyze --moves c3,d3 go-5x5x3-descent --simulations 5 --json", ""},
	} {
		args := strings.Fields(c.args)
		got := on(t, "cuda", c.input, args...)
		if got == "" {
			t.Errorf("%s: no output", c.args)
		}
		if want := on(t, "cpu", c.input, args...); got != want {
			t.Errorf("%s on a device:\n%s\non the processor:\n%s", c.args, got, want)
		}
		all, _ := d.Batches()
		if all == before {
			t.Errorf("%s: nothing was evaluated on the device", c.args)
		}
		if before = all; d.Open() != 0 {
			t.Fatalf("%s: %d evaluators are left open", c.args, d.Open())
		}
	}
}

// TestLostWhileMeasuring: a match whose device is lost ends with status 1 and one line that says
// what to do.
func TestLostWhileMeasuring(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, args := range []string{
		"eval az:go-5x5x3,simulations=4 --games 2 --against random",
		"arena az:go-5x5x3,simulations=4 random --games 6",
		"analyze az:go-5x5x3,simulations=10,leaves=1 --moves c3 --game go:size=5,players=3",
	} {
		cmdtest.WithDevice(t, &fake.Device{LostAfterBatches: 2})
		status, stdout, stderr := tengen(t, "", args+" --device cuda")
		_, told, _ := strings.Cut(stderr, "tengen: ") // after the log
		if status != exitFailed || stdout != "" || strings.Count(told, "\n") != 1 ||
			!strings.Contains(told, "device lost: test:0") || !strings.HasSuffix(told, "; the device can't be used again in this process; --device cpu continues without it\n") {
			t.Errorf("%s: status %d, %q\n%s", args, status, stdout, stderr)
		}
	}
}

// TestLostWhilePlaying: a game whose device is lost is played to its end on the processor, with the
// same moves. One line says so.
func TestLostWhilePlaying(t *testing.T) {
	for _, c := range []struct{ args, input string }{
		{"play az:go-5x5x3,simulations=5,leaves=2 az:go-5x5x3,simulations=3 ubfm:go-5x5x3-descent,iterations=2 --seed 3", ""},
		{"analysis go-5x5x2 --simulations 6 --parallel 1", queries},
		{"gtp go-5x5x2 --simulations 6",
			"komi 3\ngenmove b\ngenmove w\nkomi 5\ngenmove b\nshowboard\nquit\n"},
	} {
		d := &fake.Device{LostAfterBatches: 4}
		cmdtest.WithDevice(t, d)
		status, stdout, stderr := tengen(t, c.input, c.args+" --device cuda")
		limit := "tengen: at most 6 simulations a move, whatever a clock allows\n" // of gtp
		_, told, _ := strings.Cut(strings.Replace(stderr, limit, "", 1), "tengen: ")
		if status != 0 || strings.Count(told, "\n") != 1 ||
			!strings.HasPrefix(told, "device lost: test:0") ||
			!strings.HasSuffix(told, "; networks are evaluated on the processor from here on\n") {
			t.Errorf("%s: status %d\n%s", c.args, status, stderr)
		}
		if want := on(t, "cpu", c.input, strings.Fields(c.args)...); stdout != want {
			t.Errorf("%s on a device that is lost:\n%s\non the processor:\n%s",
				c.args, stdout, want)
		}
		if d.Open() != 0 {
			t.Errorf("%s: %d evaluators are left open", c.args, d.Open())
		}
	}
}

// TestLostWhileServing: the page plays on, on the processor, and the log has one line.
func TestLostWhileServing(t *testing.T) {
	t.Chdir(t.TempDir())
	newRun(t, "net", "tictactoe", "alphazero")
	d := &fake.Device{LostAfterBatches: 5}
	cmdtest.WithDevice(t, d)
	ctx, cancel := context.WithCancel(t.Context())
	out, in := io.Pipe()
	var stderr bytes.Buffer
	status := make(chan int, 1)
	go func() {
		status <- program.Execute(ctx,
			[]string{"serve", "net", "--device", "cuda", "--listen", "127.0.0.1:0"}, nil,
			in, &stderr)
		in.Close()
	}()
	url, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	url = strings.TrimSpace(url) + "api/v1/play"
	ask := func(path, body string) (answer struct {
		ID    string
		Ready bool
		Error string
	}) {
		r, err := http.Post(url+path, "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		defer r.Body.Close()
		if err := json.NewDecoder(r.Body).Decode(&answer); err != nil || r.StatusCode != 200 {
			t.Fatalf("%s: %d %s, %v", path, r.StatusCode, answer.Error, err)
		}
		return answer
	}
	x := ask("", `{"seats": ["network", "network"], "simulations": 20}`)
	steps := 0
	for id := x.ID; !x.Ready; steps++ {
		x = ask("/"+id+"/step", "{}")
	}
	cancel()
	if got := <-status; got != 0 || steps < 5 {
		t.Errorf("status %d after %d moves", got, steps)
	}
	all, _ := d.Batches()
	if log := stderr.String(); all < 6 ||
		strings.Count(log, "the network is evaluated on the processor from here on") != 1 ||
		!strings.Contains(log, "device lost: test:0") {
		t.Errorf("%d batches on the device\n%s", all, log)
	}
	if d.Open() != 0 {
		t.Errorf("%d evaluators are left open", d.Open())
	}
}

// TestRefusedByADevice: what a device that was asked for can't load or train is not done on the
// processor. The command ends with status 1 and one line that says why and what to do.
func TestRefusedByADevice(t *testing.T) {
	t.Chdir(t.TempDir())
	cmdtest.WithDevice(t, &fake.Device{
		Refuses: &driver.MemoryError{Wanted: 5 << 20, Free: 1 << 20},
	})
	for _, args := range []string{
		"eval az:go-5x5x3,simulations=4 --games 2 --against random",
		"play az:go-5x5x3,simulations=5 random random",
		"gtp go-5x5x2 --simulations 6",
		"analysis go-5x5x2 --simulations 6",
		"analyze az:go-5x5x3,simulations=10 --moves c3 --game go:size=5,players=3",
		"train kuhn --run new --listen none",
	} {
		status, _, stderr := tengen(t, "", args+" --device cuda")
		lines := strings.Split(strings.TrimSpace(stderr), "\n")
		last := lines[len(lines)-1]
		if status != exitFailed || !strings.HasPrefix(last, "tengen: ") ||
			!strings.Contains(last, "out of memory") ||
			!strings.Contains(last, "need less of the device's memory") ||
			strings.Contains(stderr, "processor") {
			t.Errorf("%s: status %d\n%s", args, status, stderr)
		}
	}
}

// TestBeliefsOnTheProcessor: a line says that beliefs are evaluated on the processor wherever the
// networks that play are.
func TestBeliefsOnTheProcessor(t *testing.T) {
	cmdtest.WithDevice(t, new(fake.Device))
	for belief, want := range map[string]int{",belief=turtle-belief": 1, "": 0} {
		status, _, stderr := tengen(t, "", "eval az:turtle-belief,simulations=2"+belief+
			" --games 2 --against random --device cuda")
		if n := strings.Count(stderr, "beliefs are evaluated on the processor"); status != 0 ||
			n != want {
			t.Errorf("belief %q: status %d, %d lines\n%s", belief, status, n, stderr)
		}
	}
}

// TestNoDeviceIsOpened: where the device is left open and nobody has a network, none is opened.
func TestNoDeviceIsOpened(t *testing.T) {
	backend.Register(func(backend.Spec, *slog.Logger) (backend.Backend, error) {
		t.Error("a device is opened")
		return nil, errors.New("no device")
	})
	t.Cleanup(func() { backend.Register(nil) })
	for _, args := range []string{
		"play --game tictactoe random random",
		"gtp random",
		"analyze uct:simulations=10 --moves a3 --game tictactoe",
		"arena random random --game tictactoe --games 2",
		"eval random --game tictactoe --games 2 --against random",
	} {
		if status, _, stderr := tengen(t, "", args); status != 0 || stderr != "" {
			t.Errorf("%s: status %d, %q", args, status, stderr)
		}
	}
}
