package main

import (
	"bytes"
	"os"
	"strings"
	"testing"
	"time"

	"tengen/cmd"
	"tengen/cmd/internal/cmdtest"
	"tengen/nn/backend/fake"
)

func TestMain(m *testing.M) {
	cmdtest.Main(m, map[string]func(){"tengen-lab": func() {
		dryRunTime = 100 * time.Millisecond
		main()
	}})
}

func TestScripts(t *testing.T) { cmdtest.Run(t, "testdata/script") }

// said runs a command, which is to end with one line on the standard error and nothing else, and
// returns that line.
func said(t *testing.T, args ...string) string {
	t.Helper()
	var out, problem bytes.Buffer
	status := program().Execute(t.Context(), args, strings.NewReader(""), &out, &problem)
	text := problem.String()
	if status != 1 && status != 2 || out.Len() > 0 || strings.Count(text, "\n") != 1 ||
		!strings.HasPrefix(text, "tengen-lab: ") {
		t.Errorf("%q: status %d, %q%q", args, status, out.String(), text)
	}
	return text
}

// TestWrongInputs: each gives one clear line and writes nothing.
func TestWrongInputs(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, args := range []string{
		"loss nosuch", "loss random --table nowhere", "gnubg nosuch", "belief", "belief nowhere",
		"lab", "lab nowhere", "lab " + os.Args[0], "reproduce nosuch",
		"reproduce connect-four nowhere",
	} {
		said(t, strings.Fields(args)...)
	}
	if entries, err := os.ReadDir("."); err != nil || len(entries) > 0 {
		t.Errorf("%v, %v", entries, err)
	}
}

// TestHostileLab: control characters in a lab's file do not reach the terminal.
func TestHostileLab(t *testing.T) {
	t.Chdir(t.TempDir())
	const hostile = `"x\e[2J\u202Eevil\x7F"`
	for _, text := range []string{
		hostile + ": 1\n", "name: " + hostile + "\narms: [{name: " + hostile + "}]\n",
		"title: x\nbase: y.yaml\narms: [{name: " + hostile +
			"}, {name: b}]\nseeds: 2\nmatch: {games: 2, simulations: 2}\n",
	} {
		if err := os.WriteFile("x.yaml", []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if got := said(t, "lab", "x.yaml", "--dry-run"); strings.ContainsAny(got,
			"\x1b\u202e\x7f") {
			t.Errorf("%s: %q", text, got)
		}
	}
}

// TestNetworksThatAreNotFinite: they are neither measured against the truth nor asked what they
// believe.
func TestNetworksThatAreNotFinite(t *testing.T) {
	t.Chdir(t.TempDir())
	cmdtest.NotFinite(t)
	for args, want := range map[string]string{
		"belief belief.safetensors --games 1":           "network's belief for a position is ",
		"loss infinite.safetensors --game connect-four": "value.1.output.bias is +Inf",
		"loss policy.safetensors --game connect-four":   "network's policy for a position is ",
	} {
		if got := said(t, strings.Fields(args)...); !strings.Contains(got, want) {
			t.Errorf("%s: %q, not %q", args, got, want)
		}
	}
}

// TestPlayersOnADevice: the networks of experiments are evaluated there, and leave nothing on it.
func TestPlayersOnADevice(t *testing.T) {
	d := new(fake.Device)
	cmdtest.WithDevice(t, d)
	t.Chdir(t.TempDir())
	cmdtest.NewRun(t, "net", "turtle:players=2", "alphazero", 3)
	cmdtest.NewRun(t, "cards", "tcg:hand=2,hp=9", "alphazero", 3)
	cmdtest.NewRun(t, "go3", "go:size=5,players=3", "alphazero", 3)
	if err := os.WriteFile("go3/events.jsonl", nil, 0o644); err != nil {
		t.Fatal(err)
	}
	before := int64(0)
	for _, args := range []string{
		"reproduce go-table4 --games 2 --alphazero az:go-5x5x3,simulations=2 --descent ubfm:go-5x5x3-descent,iterations=2 --out go.md",
		"reproduce go-figure3 go3 --games 2 --simulations 2 --out go.md",
		"reproduce turtle-beyond time --games 2 --simulations 3 --time 100us --alphazero net --out t.md --json",
		"reproduce rm-beyond --games 2 --time 100us --alphazero cards --game tcg:hand=2,hp=9 --out rm.md",
		"reproduce search-sweep --games 12 --simulations 2 --arm fpu=zero",
		"reproduce descent-ablation --minutes 0.002 --seeds 1 --games 2 --iterations 2 --set selfplay.cache_mib=1 --set network.blocks=0 --set network.filters=4 --set training.games=4 --set training.max_steps=2",
	} {
		var out, problem bytes.Buffer
		if status := program().Execute(t.Context(),
			append(strings.Fields(args), "--device", "cuda"), nil, &out, &problem); status != 0 ||
			out.Len() == 0 {
			t.Fatalf("%s: status %d\n%s", args, status, &problem)
		}
		all, _ := d.Batches()
		if all == before || d.Open() != 0 {
			t.Errorf("%s: %d batches, and %d evaluators are left open", args, all-before, d.Open())
		}
		before = all
	}
}

// TestLostWhileMeasuring: an experiment whose device is lost ends with one line that says what to
// do, and writes no page.
func TestLostWhileMeasuring(t *testing.T) {
	t.Chdir(t.TempDir())
	cmdtest.WithDevice(t, &fake.Device{LostAfterBatches: 2})
	var out, problem bytes.Buffer
	status := program().Execute(t.Context(), strings.Fields("reproduce go-table4 --games 2 --alphazero az:go-5x5x3,simulations=2 --out go.md --device cuda"), nil, &out, &problem)
	_, told, _ := strings.Cut(problem.String(), "tengen-lab: ") // after the log
	if status != 1 || out.Len() > 0 || !strings.Contains(told, "device lost: test:0") ||
		!strings.HasSuffix(told, "; --device cpu continues without it\n") {
		t.Errorf("status %d, %q\n%s", status, &out, &problem)
	}
	if _, err := os.Stat("go.md"); err == nil {
		t.Error("a page is written of a table that was not finished")
	}
}

// TestCommands: tengen-lab has all commands of tengen.
func TestCommands(t *testing.T) {
	root := program().Root()
	for _, own := range cmd.Root().Commands() {
		if c, _, err := root.Find([]string{own.Name()}); err != nil || c.Name() != own.Name() {
			t.Errorf("%s: %v", own.Name(), err)
		}
	}
	if n, m := len(root.Commands()), len(cmd.Root().Commands()); n != m+len(program().More) {
		t.Errorf("%d commands, %d of tengen", n, m)
	}
}
