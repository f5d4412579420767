package train

import (
	"fmt"
	"math"
)

// Optimizer is the method by which gradients change the weights.
type Optimizer string

// The optimizers.
const (
	OptimizerSGD  Optimizer = "sgd"  // with momentum: see SGD
	OptimizerAdam Optimizer = "adam" // see Adam
)

// Config holds the settings of a Trainer.
type Config struct {
	Batch        int       `json:"batch"`         // rows per step
	Optimizer    Optimizer `json:"optimizer"`     // one of the optimizers above
	LearningRate float64   `json:"learning_rate"` // multiplied by the schedule
	Schedule     Schedule  `json:"schedule"`
	Momentum     float64   `json:"momentum"` // of SGD, 0 to 1
	L2           float64   `json:"l2"`       // λ of the term λ·Σ w² (see the package comment)
	// share of the weights that a step takes away, relative to its learning rate
	WeightDecay float64 `json:"weight_decay"`
	// greatest norm of the whole gradient (without L2's part); 0: no limit
	GradClipNorm float64 `json:"grad_clip_norm"`
	// decay of the exponential moving average; 0: no average is kept
	EMADecay     float64 `json:"ema_decay"`
	PolicyWeight float64 `json:"policy_weight"` // factor of the policy loss
	// the policy loss is half the squared difference of logits, not the cross-entropy
	PolicyLogits bool    `json:"policy_logits"`
	ValueWeight  float64 `json:"value_weight"` // factor of the value loss
	// factor of the losses of the targets of cells and of seats
	LabelWeight  float64 `json:"label_weight"`
	BeliefWeight float64 `json:"belief_weight"` // factor of the loss of the belief
	// goroutines; 0: GOMAXPROCS. Results do not depend on it.
	Workers int `json:"workers"`
}

// DefaultConfig returns settings that train a small network well.
func DefaultConfig() Config {
	return Config{
		Batch: 256, Optimizer: OptimizerAdam, LearningRate: 1e-3,
		Schedule: Schedule{Kind: ScheduleConstant},
		Momentum: 0.9, L2: 1e-4, GradClipNorm: 5, PolicyWeight: 1, ValueWeight: 1,
	}
}

// Validate returns an error that says what is wrong with the settings, or nil.
func (c Config) Validate() error {
	if c.Batch < 1 {
		return fmt.Errorf("training: batch is %d; at least 1 row is wanted", c.Batch)
	}
	if c.Optimizer != OptimizerSGD && c.Optimizer != OptimizerAdam {
		return fmt.Errorf("training: no optimizer is called %q; there are sgd, adam", c.Optimizer)
	}
	if !(c.LearningRate > 0) || math.IsInf(c.LearningRate, 0) {
		return fmt.Errorf("training: learning_rate is %g; a number above 0 is wanted",
			c.LearningRate)
	}
	for _, v := range []struct {
		name  string
		value float64
		below float64
	}{
		{"momentum", c.Momentum, 1}, {"l2", c.L2, math.Inf(1)},
		{"weight_decay", c.WeightDecay, math.Inf(1)},
		{"grad_clip_norm", c.GradClipNorm, math.Inf(1)}, {"ema_decay", c.EMADecay, 1},
		{"policy_weight", c.PolicyWeight, math.Inf(1)},
		{"value_weight", c.ValueWeight, math.Inf(1)},
		{"label_weight", c.LabelWeight, math.Inf(1)},
		{"belief_weight", c.BeliefWeight, math.Inf(1)},
	} {
		if !(v.value >= 0 && v.value < v.below) {
			return fmt.Errorf("training: %s is %g; at least 0 and below %g is wanted",
				v.name, v.value, v.below)
		}
	}
	if c.Workers < 0 {
		return fmt.Errorf("training: workers is %d; at least 0 is wanted", c.Workers)
	}
	return c.Schedule.Validate()
}

// Divided returns an error of one line if a number of devices, at least 1, can't have equal parts
// of a batch.
func (c Config) Divided(devices int) error {
	rest := c.Batch % devices
	if rest == 0 {
		return nil
	}
	would := fmt.Sprint(c.Batch - rest + devices)
	if c.Batch > devices {
		would = fmt.Sprintf("%d or %s", c.Batch-rest, would)
	}
	return fmt.Errorf("training on %d devices: a batch of %d rows can't be divided by %d; %s rows would do (training.batch)",
		devices, c.Batch, devices, would)
}

// ScheduleKind is how the learning rate changes over a run.
type ScheduleKind string

// The kinds of schedules.
const (
	ScheduleConstant ScheduleKind = "constant" // 1 throughout
	// half a cosine, from 1 to 0 at the end of the run (Loshchilov, Hutter 2017)
	ScheduleCosine ScheduleKind = "cosine"
)

// Schedule is a multiplier of the learning rate that depends on the share of the run that
// is done (Trainer.SetProgress), since the total number of steps is not known in advance.
// During the first Warmup steps the rate is also multiplied by (step + 1) / Warmup.
type Schedule struct {
	Kind   ScheduleKind `json:"kind"`             // one of the schedules above; empty is constant
	Warmup int          `json:"warmup,omitempty"` // steps of linear warm-up
}

// At returns the multiplier for a step, after step earlier ones, when the share done of
// the run, 0 to 1, is over.
func (s Schedule) At(done float64, step int) float64 {
	m := 1.0
	if s.Kind == ScheduleCosine {
		m = (1 + math.Cos(math.Pi*min(max(done, 0), 1))) / 2
	}
	if step < s.Warmup {
		m *= float64(step+1) / float64(s.Warmup)
	}
	return m
}

// Validate returns an error that says what is wrong with the schedule, or nil.
func (s Schedule) Validate() error {
	if s.Warmup < 0 {
		return fmt.Errorf("schedule: warmup is %d; at least 0 steps are wanted", s.Warmup)
	}
	switch s.Kind {
	case "", ScheduleConstant, ScheduleCosine:
	default:
		return fmt.Errorf("schedule: no schedule is called %q; there are constant and cosine",
			s.Kind)
	}
	return nil
}
