//go:build linux

package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strconv"
	"syscall"
	"time"

	"tengen/internal/random"
	"tengen/nn"
	"tengen/nn/train"
)

// answer is the result of a burst.
type answer struct {
	Positions int     `json:"positions"`
	Wall      float64 `json:"wall"`   // seconds
	User      float64 `json:"user"`   // seconds
	Memory    int64   `json:"memory"` // peak so far, bytes
}

// bursts is Tengen's side of the comparison in torch/compare.py, a worker process.
func bursts(args []string, stdin io.Reader, stdout io.Writer) error {
	if len(args) != 4 {
		return errors.New("bursts infer|train BLOCKS FILTERS BATCH is wanted")
	}
	var numbers [3]int
	for i, text := range args[1:] {
		n, err := strconv.Atoi(text)
		if err != nil || n < 0 {
			return fmt.Errorf("%q: a whole number is wanted", text)
		}
		numbers[i] = n
	}
	work, err := prepare(args[0], numbers[0], numbers[1], numbers[2])
	if err != nil {
		return err
	}
	if err := work(); err != nil { // warms up caches; not measured
		return err
	}
	fmt.Fprintln(stdout, "ready")
	input := bufio.NewScanner(stdin)
	for input.Scan() {
		seconds, err := strconv.ParseFloat(input.Text(), 64)
		if err != nil {
			return fmt.Errorf("%q: a number of seconds is wanted", input.Text())
		}
		a := answer{}
		began, before := time.Now(), usage()
		for a.Positions == 0 || time.Since(began).Seconds() < seconds {
			if err := work(); err != nil {
				return err
			}
			a.Positions += numbers[2]
		}
		after := usage()
		a.Wall = time.Since(began).Seconds()
		a.User = float64(after.Utime.Nano()-before.Utime.Nano()) / 1e9
		a.Memory = after.Maxrss << 10
		text, err := json.Marshal(a)
		if err != nil {
			return err
		}
		fmt.Fprintln(stdout, string(text))
	}
	return input.Err()
}

func usage() (u syscall.Rusage) {
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return u
}

// prepare returns the function that evaluates or trains one batch.
func prepare(kind string, blocks, filters, batch int) (func() error, error) {
	spec := nn.Spec{Planes: 6, Height: 5, Width: 5, Players: 3, Actions: 25, Blocks: blocks,
		Filters: filters,
		Policy:  nn.PolicyConv, Value: nn.ValueCategorical, Hidden: 64}
	for i := range 26 {
		spec.Support = append(spec.Support, float32(i)/25)
	}
	params, err := nn.NewParams(spec)
	if err != nil {
		return nil, err
	}
	rng := random.New(1, random.Weights)
	params.Init(rng)
	switch kind {
	case "infer":
		e := nn.NewEvaluator(nn.Fold(params))
		b := e.NewBatch(batch)
		b.N = batch
		randomBits(b.Observations, rng)
		return func() error { return e.Evaluate(b) }, nil
	case "train":
		config := train.DefaultConfig()
		config.Batch, config.Optimizer, config.LearningRate, config.Workers = batch,
			train.OptimizerAdam, 1e-4, 1
		config.L2, config.GradClipNorm, config.EMADecay = 0, 0, 0 // as on PyTorch's side
		t, err := train.New(params, config)
		if err != nil {
			return nil, err
		}
		b := train.NewBatch(spec, batch)
		randomBits(b.Observations, rng)
		for i := range batch {
			b.PolicyWeight[i] = 1
			b.Policy[i*25+rng.IntN(25)] = 1
			for p := range 3 {
				b.Value[(i*3+p)*26+rng.IntN(26)] = 1
			}
		}
		return func() error { _, err := t.Step(b); return err }, nil
	}
	return nil, fmt.Errorf("%q: infer or train is wanted", kind)
}

// randomBits sets each element of x, which must be 0, to 1 with probability 1/4.
func randomBits(x []float32, rng *rand.Rand) {
	for i := range x {
		if rng.IntN(4) == 0 {
			x[i] = 1
		}
	}
}
