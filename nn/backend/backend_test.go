package backend

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"tengen/nn"
	"tengen/nn/cuda/driver"
	"tengen/nn/nntest"
	"tengen/nn/train"
)

func TestParse(t *testing.T) {
	for _, c := range []struct {
		text string
		want Spec
	}{
		{"auto", Spec{Kind: Auto}},
		{"cpu", Spec{Kind: CPU}},
		{"cuda", Spec{Kind: CUDA}},
		{"cuda:3", Spec{Kind: CUDA, Ordinals: []int{3}}},
		{"cuda:1,0", Spec{Kind: CUDA, Ordinals: []int{1, 0}}},
		{"cuda:0-2,5", Spec{Kind: CUDA, Ordinals: []int{0, 1, 2, 5}}},
		{"cuda:0-3,train=3", Spec{Kind: CUDA, Ordinals: []int{0, 1, 2, 3}, Train: []int{3}}},
		{"cuda:train=3,training=fp32", Spec{Kind: CUDA, Train: []int{3}, Training: FP32}},
		{"cuda:0-7,train=4-7", Spec{Kind: CUDA, Ordinals: []int{0, 1, 2, 3, 4, 5, 6, 7},
			Train: []int{4, 5, 6, 7}}},
		{"cuda:0-3,train=1,3,training=tf32", Spec{Kind: CUDA, Ordinals: []int{0, 1, 2, 3},
			Train: []int{1, 3}, Training: TF32}},
		{"cuda:0,1,train=0,1", Spec{Kind: CUDA, Ordinals: []int{0, 1}, Train: []int{0, 1}}},
		{"cuda:inference=tf32", Spec{Kind: CUDA, Inference: TF32}},
		{"cuda:inference=fp16", Spec{Kind: CUDA, Inference: FP16}},
		{"cuda:0,inference=bf16,training=fp32",
			Spec{Kind: CUDA, Ordinals: []int{0}, Inference: BF16, Training: FP32}},
	} {
		got, err := Parse(c.text)
		if err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %+v, %v", c.text, got, err)
		}
		if again, err := Parse(got.String()); err != nil || !reflect.DeepEqual(again, got) ||
			len(got.String()) > len(c.text) {
			t.Errorf("%s is written %s", c.text, got)
		}
	}
	for text, want := range map[string]string{
		"":                     `device ""; auto, cpu, cuda or cuda:N is wanted`,
		"cudda":                `did you mean`,
		"cpu:0":                `cpu takes nothing after a colon`,
		"cuda:":                `"" is not the number of a device`,
		"cuda:-1":              `"-1" is not the number of a device`,
		"cuda:0,0":             `device 0 is named twice`,
		"cuda:0,inference=int": `inference=int; bf16, fp16, tf32 or fp32 is wanted`,
		"cuda:0,training=fp16": `training=fp16; bf16, tf32 or fp32 is wanted`,
		"cuda:training=":       `training=; bf16, tf32 or fp32 is wanted`,
		"cuda:training=3":      `bf16, tf32 or fp32 is wanted (did you mean train=3?)`,
		"cuda:trainin=tf32":    `no setting is called "trainin" (did you mean "training"?)`,
		"cuda:0-":              `"0-" is not the number of a device; 0 is the first, 0-3 the first four`,
		"cuda:0-3-4":           `"0-3-4" is not the number of a device`,
		"cuda:0-1024":          `"0-1024" is not the number of a device`,
		"cuda:3-0":             `3-0 runs backwards; 0-3 is wanted`,
		"cuda:0-2,1":           `device 1 is named twice`,
		"cuda:0-3,train=x":     `train=x; numbers of devices are wanted, as in cuda:0-3,train=2-3`,
		"cuda:0-3,train=":      `train=; numbers of devices are wanted`,
		"cuda:0-3,train=bf16":  `numbers of devices are wanted (did you mean training=bf16?)`,
		"cuda:0-2,train=3":     `is not among the others; cuda:0-3,train=3 is wanted`,
		"cuda:3,train=3":       `no device is left to play; cuda:3 uses the device for both`,
		"cuda:0-3,train=2-4":   `is not among the others; cuda:0-4,train=2-4 is wanted`,
		"cuda:0-3,train=1,1":   `device 1 is named twice`,
		"cuda:0-3,train=3-1":   `3-1 runs backwards; 1-3 is wanted`,
		"cuda:0-3,train=-":     `"-" is not the number of a device`,
		"auto:train=3":         `auto takes nothing after a colon`,
	} {
		if _, err := Parse(text); err == nil || !strings.Contains(err.Error(), want) ||
			strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// TestOpen checks which backend is opened and what is logged, with and without devices.
func TestOpen(t *testing.T) {
	was := openCUDA
	defer func() { openCUDA = was }()
	device := struct{ cpu }{}
	found := func(Spec, *slog.Logger) (Backend, error) { return device, nil }
	none := func(Spec, *slog.Logger) (Backend, error) {
		return nil, fmt.Errorf("libcuda.so.1 was not found")
	}
	for _, c := range []struct {
		spec string
		open func(Spec, *slog.Logger) (Backend, error)
		cuda bool
		says string // the log or the error
		fail bool
	}{
		{"auto", nil, false, "this binary has no CUDA", false},
		{"cpu", found, false, "name=cpu", false},
		{"cuda", nil, false, "cuda: " + errNoCUDA, true},
		{"auto", found, true, "found on this machine", false},
		{"auto", none, false, "no CUDA device can be used: libcuda.so.1 was not found", false},
		{"cuda:1", found, true, "name=", false},
		{"cuda:1", none, false, "cuda:1: libcuda.so.1 was not found", true},
		{"cdua", found, false, "is wanted", true},
	} {
		openCUDA = c.open
		var log bytes.Buffer
		b, err := Open(c.spec, slog.New(slog.NewTextHandler(&log, nil)))
		if (err != nil) != c.fail {
			t.Errorf("%s: %v", c.spec, err)
			continue
		}
		if err != nil {
			if !strings.Contains(err.Error(), c.says) {
				t.Errorf("%s: %v, want %s", c.spec, err, c.says)
			}
			continue
		}
		if !strings.Contains(log.String(), c.says) || (b == Backend(device)) != c.cuda {
			t.Errorf("%s: %v, %s", c.spec, b, &log)
		}
		if again, err := Open(b.Name(), nil); err != nil || again.Name() != b.Name() {
			t.Errorf("%s is opened by its name as %v, %v", b.Name(), again, err)
		}
	}
}

// shallow is a device that evaluates networks of no more than two blocks.
type shallow struct {
	cpu
	closed *int
}

func (d shallow) Prepare(s nn.Spec) error {
	if s.Blocks > 2 {
		return errors.New("more than two blocks")
	}
	return nil
}

func (d shallow) Close() error {
	*d.closed++
	return nil
}

// TestOpenForNetworks checks that auto opens the processor for a network that the device can't
// evaluate, and that a device that is named is opened.
func TestOpenForNetworks(t *testing.T) {
	was := openCUDA
	defer func() { openCUDA = was }()
	closed := 0
	openCUDA = func(Spec, *slog.Logger) (Backend, error) { return shallow{closed: &closed}, nil }
	plain, deep := nntest.Specs()[0], nntest.Specs()[0]
	deep.Blocks = 3
	for _, c := range []struct {
		spec     string
		networks []nn.Spec
		cuda     bool
		says     string
	}{
		{"auto", nil, true, "found on this machine"},
		{"auto", []nn.Spec{plain}, true, "found on this machine"},
		{"auto", []nn.Spec{plain, deep}, false,
			"no CUDA device can be used: more than two blocks"},
		{"cuda", []nn.Spec{deep}, true, "name="},
		{"cpu", []nn.Spec{deep}, false, "name=cpu"},
	} {
		var log bytes.Buffer
		before := closed
		b, err := Open(c.spec, slog.New(slog.NewTextHandler(&log, nil)), c.networks...)
		if said := log.String(); err != nil || !strings.Contains(said, c.says) ||
			strings.Count(strings.TrimSpace(said), "\n") > 0 {
			t.Errorf("%s: %v, %s; want %s", c.spec, err, said, c.says)
		}
		if _, ok := b.(shallow); ok != c.cuda {
			t.Errorf("%s for %d networks: %T", c.spec, len(c.networks), b)
		}
		if passed := c.spec != "cpu" && !c.cuda; (closed > before) != passed {
			t.Errorf("%s for %d networks: the device was closed: %v",
				c.spec, len(c.networks), closed > before)
		}
	}
}

// TestCPU checks that the processor's backend gives the results of packages nn and train.
func TestCPU(t *testing.T) {
	b := NewCPU()
	rng := rand.New(rand.NewPCG(1, 2))
	p := nntest.Random(nntest.Specs()[0], rng)
	n, err := b.Load(p)
	if err != nil {
		t.Fatal(err)
	}
	e, direct := n.NewEvaluator(), nn.NewEvaluator(nn.Fold(p))
	rows := [2]*nn.Batch{e.NewBatch(5), direct.NewBatch(5)}
	for i := range rows[0].Observations {
		rows[0].Observations[i] = rng.Float32()
	}
	copy(rows[1].Observations, rows[0].Observations)
	rows[0].N, rows[1].N = 5, 5
	if err := errors.Join(e.Evaluate(rows[0]), direct.Evaluate(rows[1])); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(rows[0].Policy, rows[1].Policy) ||
		!slices.Equal(rows[0].Values, rows[1].Values) {
		t.Error("other results than package nn's")
	}
	if b.Rows() != 0 || len(Readings(b)) != 0 {
		t.Errorf("the processor: batches of %d, readings %v", b.Rows(), Readings(b))
	}
	if s, err := b.NewTrainer(p, train.Config{}); err == nil || s != nil {
		t.Errorf("a trainer of no configuration: %v, %v", s, err)
	}
	s, err := b.NewTrainer(p, train.DefaultConfig())
	if err != nil || !reflect.DeepEqual(must(s.Params()).Tensors, p.Tensors) {
		t.Errorf("a trainer: %v", err)
	}
	train.Close(s)
}

func TestAdvice(t *testing.T) {
	lost := fmt.Errorf("self-play: %w", &driver.LostError{Device: "cuda:0"})
	memory := fmt.Errorf("load: %w", &driver.MemoryError{Wanted: 9, Free: 1})
	pinned := fmt.Errorf("load: %w", &driver.MemoryError{Wanted: 9, Free: -1, Host: true})
	other := fmt.Errorf("disk full")
	if !Lost(lost) || Lost(memory) || Lost(nil) {
		t.Error("Lost is wrong")
	}
	for _, c := range []struct {
		err  error
		says string
	}{
		{lost, "--device cpu"}, {memory, "training.batch"},
		{pinned, "selfplay.device_games_per_worker"},
	} {
		if got := Advice(c.err); !strings.Contains(got, c.says) {
			t.Errorf("%v: %q", c.err, got)
		}
	}
	if Advice(other) != "" || Advice(nil) != "" {
		t.Error("advice for an error that is not of a device")
	}
}

func must[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}
