package training

import (
	"errors"
	"fmt"
	"log/slog"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"tengen/nn"
	"tengen/nn/cuda"
	"tengen/nn/cuda/driver"
	"tengen/nn/cuda/kernels"
	"tengen/nn/train"
)

// WrongError reports that a device, or its kernels, compute something else than is wanted.
type WrongError struct{ What string }

func (e *WrongError) Error() string {
	return e.What + ": this device, or its kernels, can't be trusted; --device cpu trains on the processor"
}

// stages logs how long each stage of the beginning of training takes.
type stages struct {
	log    *slog.Logger
	device string
	since  time.Time
}

func newStages(d *cuda.Device) *stages {
	return &stages{d.Options().Log, d.Info().Name, time.Now()}
}

// done logs that a stage has ended.
func (s *stages) done(what string, more ...any) {
	now := time.Now()
	s.log.Info("training begins", append([]any{"device", s.device, "did", what, "seconds",
		math.Round(1000*now.Sub(s.since).Seconds()) / 1000}, more...)...)
	s.since = now
}

// try runs the plan's kernels for the first time: on a context of their own each tiled kernel
// beside the plain one, which replaces it where they disagree, then a step of a few rows beside the
// processor's trainer. At last, on the device's own context, which has memory for it, a step of all
// rows.
func (plan *Plan) try(d *cuda.Device) error {
	info, log := d.Info(), d.Options().Log
	for {
		like, err := plan.tryOnce(d)
		if err == nil {
			if err = plan.tryFull(d, like); err != nil {
				err = fmt.Errorf("training on %s: %w", info.Name, err)
			}
			return err
		}
		err = fmt.Errorf("training on %s: %w", info.Name, err)
		if !driver.Lost(err) {
			return err
		}
		if e := d.Survived(); e != nil {
			return fmt.Errorf("%w; %w", err, e)
		}
		var bad *checkError
		if !errors.As(err, &bad) {
			return cuda.TrialLost(err)
		}
		log.Warn("training: a slow kernel replaces a fast one", "of", bad.what, "why", err)
	}
}

// tryOnce tries the kernels on a new context.
func (plan *Plan) tryOnce(d *cuda.Device) (*reference, error) {
	s := newStages(d)
	trial, err := d.Trial()
	if err != nil {
		return nil, fmt.Errorf("open a context for trials: %w", err)
	}
	defer trial.Close() // its errors repeat what the trial returned
	session := trial.Session()
	stream, err := session.NewStream(false)
	if err != nil {
		return nil, err
	}
	b := newBuilder(plan, session, stream, trial.Compile, map[string]driver.Module{})
	n := b.compile()
	s.done("compile", "sources", n)
	if err := b.check(d.Options().Log, s); err != nil {
		return nil, err
	}
	if err := plan.tryStep(trial); err != nil {
		return nil, err
	}
	s.done("a step beside the processor's")
	like, err := plan.refer(trial)
	s.done("a step of few rows")
	return like, err
}

// stepRows returns the number of rows of the step that is compared with the processor's: about as
// many positions for every board, as the processor takes minutes for many of the largest.
func stepRows(spec *nn.Spec) int { return max(2, min(16, (399+spec.Cells())/spec.Cells())) }

// stepBlocks is the greatest number of residual blocks in that step: all have the same kernels.
const stepBlocks = 3

// stepLimits are the greatest differences from the processor's step, relative to its numbers. In
// so small a batch a rounded activation may open or close a ReLU, which changes a gradient
// noticeably; a kernel that computes something else differs by about 1 or more.
var stepLimits = map[kernels.Precision]float64{
	kernels.FP32: 0.01, kernels.TF32: 0.4, kernels.BF16: 0.7,
}

// apart returns the root mean square of the differences between two tensors, relative to that of
// want and a share of the typical number of all tensors.
func apart(got, want []float32, typical float64) float64 {
	off, size := 0.0, 0.0
	for i, v := range want {
		off += (float64(got[i]) - float64(v)) * (float64(got[i]) - float64(v))
		size += float64(v) * float64(v)
	}
	n := float64(max(1, len(want)))
	return math.Sqrt(off/n) / (math.Sqrt(size/n) + typical/4 + 1e-9)
}

// typicalOf returns the root mean square of all numbers of tensors.
func typicalOf(tensors []nn.Tensor) float64 {
	squares, n := 0.0, 0
	for _, t := range tensors {
		for _, v := range t.Data {
			squares += float64(v) * float64(v)
			n++
		}
	}
	return math.Sqrt(squares / float64(max(1, n)))
}

// tryStep takes a step of a few rows with random parameters, and compares losses, statistics and
// gradients (the optimizer's first moments) with the processor's. It detects kernels that compute
// something else, not a lack of precision.
func (plan *Plan) tryStep(d *cuda.Device) error {
	info := d.Info()
	config, spec := plan.config, plan.spec
	spec.Blocks = min(spec.Blocks, stepBlocks)
	rows := stepRows(&spec)
	config.Batch, config.Workers, config.GradClipNorm, config.L2 = rows, 0, 0, 0
	config.Schedule = train.Schedule{Kind: train.ScheduleConstant}
	small, err := NewPlan(spec, config, plan.precision, &info)
	if err != nil {
		return err
	}
	if plan.general {
		small.generalise(&info)
	}
	small.adopt(plan)
	rng := rand.New(rand.NewPCG(5, 6)) // the same numbers on every device
	p, err := nn.NewParams(spec)
	if err != nil {
		return err
	}
	p.Init(rng)
	batch := train.RandomBatch(spec, rows, rng)
	device, err := newTrainer([]*cuda.Device{d}, []*Plan{small}, p, (*Plan).make)
	if err != nil {
		return err
	}
	defer device.Close()
	host, err := train.New(p, config)
	if err != nil {
		return err
	}
	defer train.Close(host)
	got, err := device.Step(batch)
	if err != nil {
		return err
	}
	want, err := host.Step(batch)
	if err != nil {
		return err
	}
	limit := stepLimits[plan.precision]
	differs := func(what string, by float64) error {
		return &WrongError{fmt.Sprintf(
			"a step's %s differs from the processor's by %.3g times its size", what, by)}
	}
	for _, l := range []struct {
		what      string
		got, want float64
	}{
		{"policy loss", got.Policy, want.Policy}, {"value loss", got.Value, want.Value},
		{"loss of cells' targets", got.Cells, want.Cells},
		{"loss of seats' targets", got.Seats, want.Seats},
		{"belief's loss", got.Belief, want.Belief},
		{"gradient", got.GradientNorm, want.GradientNorm},
	} {
		if by := math.Abs(l.got-l.want) / (math.Abs(l.want) + 1e-3); !(by <= limit) {
			return differs(l.what, by)
		}
	}
	gotState, err := device.State()
	if err != nil {
		return err
	}
	wantState, err := host.State()
	if err != nil {
		return err
	}
	gotParams, err := device.Params()
	if err != nil {
		return err
	}
	wantParams, err := host.Params()
	if err != nil {
		return err
	}
	for _, c := range []struct{ got, want []nn.Tensor }{
		{first(gotState.Tensors), first(wantState.Tensors)},
		{statistics(gotParams.Tensors), statistics(wantParams.Tensors)},
	} {
		if len(c.got) != len(c.want) {
			return fmt.Errorf("a step's state has %d tensors, the processor's %d",
				len(c.got), len(c.want))
		}
		typical := typicalOf(c.want)
		for i, t := range c.got {
			if by := apart(t.Data, c.want[i].Data, typical); t.Name != c.want[i].Name ||
				!(by <= limit) {
				return differs(t.Name, by)
			}
		}
	}
	return small.tryUpdate(p, gotParams, gotState, got.LearningRate)
}

// first returns the tensors of a state that are linear in the gradient: after a first step from 0
// they are a multiple of it.
func first(tensors []nn.Tensor) []nn.Tensor {
	return named(tensors, func(name string) bool {
		return strings.HasPrefix(name, "sgd.velocity/") || strings.HasPrefix(name, "adam.first/")
	})
}

// statistics returns BatchNorm's running statistics.
func statistics(tensors []nn.Tensor) []nn.Tensor {
	return named(tensors, func(name string) bool {
		return strings.HasSuffix(name, ".mean") || strings.HasSuffix(name, ".variance")
	})
}

// named returns the tensors with the names that are wanted.
func named(tensors []nn.Tensor, wanted func(name string) bool) []nn.Tensor {
	return slices.DeleteFunc(slices.Clone(tensors), func(t nn.Tensor) bool {
		return !wanted(t.Name)
	})
}

// tryUpdate checks that the first step changed the parameters as its state says.
func (p *Plan) tryUpdate(before, after *nn.Params, s train.State, rate float64) error {
	moments := map[string][]float32{}
	for _, t := range s.Tensors {
		moments[t.Name] = t.Data
	}
	for i, t := range after.Tensors {
		v, sgd := moments["sgd.velocity/"+t.Name]
		m, adam := moments["adam.first/"+t.Name]
		second := moments["adam.second/"+t.Name]
		if !sgd && !adam {
			continue // statistics
		}
		for j, x := range t.Data {
			from := float64(before.Tensors[i].Data[j])
			var change float64
			if sgd {
				change = rate * float64(v[j])
			} else {
				mean, square := float64(m[j])/(1-train.AdamBeta1),
					float64(second[j])/(1-train.AdamBeta2)
				change = rate * mean / (math.Sqrt(square) + train.AdamEpsilon)
			}
			// Decay is at most this share of a weight, and applies to weights only.
			slack := rate*p.config.WeightDecay*math.Abs(from) + 1e-3*rate +
				1e-5*(1+math.Abs(from)) + 1e-2*math.Abs(change)
			if d := math.Abs(float64(x) - (from - change)); !(d <= slack) {
				return &WrongError{fmt.Sprintf(
					"a step changes %s by %g, its optimizer's state says %g", t.Name,
					from-float64(x), change)}
			}
		}
	}
	return nil
}

// adopt makes the plan use the gradients of another plan of the same network, and the plain product
// wherever that does.
func (p *Plan) adopt(as *Plan) {
	for _, l := range []struct {
		to, from *linear
	}{{&p.stem, &as.stem}, {&p.block, &as.block}, {&p.dense, &as.dense}} {
		product := func(to **kernels.Product, from *kernels.Product) {
			if *to != nil && from != nil {
				if *to = from; from.Plain {
					*to = from.AsPlain(p.precision)
				}
			}
		}
		product(&l.to.forward, l.from.forward)
		product(&l.to.backward, l.from.backward)
		if l.to.gradient != nil && l.from.gradient != nil {
			l.to.gradient = l.from.gradient.Over(l.to.gradient.Positions)
		}
		l.to.wgmmaGradient = nil
	}
}
