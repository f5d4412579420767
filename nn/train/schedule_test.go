package train

import (
	"math"
	"strings"
	"testing"
)

func TestSchedules(t *testing.T) {
	type at struct {
		done float64
		step int
		want float64
	}
	for _, c := range []struct {
		name     string
		schedule Schedule
		at       []at
	}{
		{"empty", Schedule{}, []at{{0, 0, 1}, {1, 1000000, 1}}},
		{"constant with warm-up", Schedule{Kind: ScheduleConstant, Warmup: 4},
			[]at{{0, 0, 0.25}, {0, 1, 0.5}, {0.1, 3, 1}, {0.1, 4, 1}, {1, 100, 1}}},
		{"cosine", Schedule{Kind: ScheduleCosine},
			[]at{
				{0, 0, 1}, {1. / 3, 4, 0.75}, {0.5, 6, 0.5}, {2. / 3, 8, 0.25}, {1, 12, 0},
				{1.5, 13, 0},
			}},
		{"cosine with warm-up",
			Schedule{Kind: ScheduleCosine, Warmup: 2}, []at{{0, 0, 0.5}, {0, 1, 1}, {0.5, 6, 0.5}}},
	} {
		if err := c.schedule.Validate(); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		for _, a := range c.at {
			if got := c.schedule.At(a.done, a.step); math.Abs(got-a.want) > 1e-12 {
				t.Errorf("%s: %g at %g of the run, step %d, want %g",
					c.name, got, a.done, a.step, a.want)
			}
		}
	}
}

func TestConfigValidation(t *testing.T) {
	if err := DefaultConfig().Validate(); err != nil {
		t.Error(err)
	}
	for say, change := range map[string]func(c *Config){
		"batch is 0":            func(c *Config) { c.Batch = 0 },
		`called "rmsprop"`:      func(c *Config) { c.Optimizer = "rmsprop" },
		"learning_rate is 0":    func(c *Config) { c.LearningRate = 0 },
		"learning_rate is NaN":  func(c *Config) { c.LearningRate = math.NaN() },
		"momentum is 1":         func(c *Config) { c.Momentum = 1 },
		"l2 is -1":              func(c *Config) { c.L2 = -1 },
		"weight_decay is -1":    func(c *Config) { c.WeightDecay = -1 },
		"grad_clip_norm is NaN": func(c *Config) { c.GradClipNorm = math.NaN() },
		"ema_decay is 1.5":      func(c *Config) { c.EMADecay = 1.5 },
		"policy_weight is -2":   func(c *Config) { c.PolicyWeight = -2 },
		"value_weight is +Inf":  func(c *Config) { c.ValueWeight = math.Inf(1) },
		"workers is -1":         func(c *Config) { c.Workers = -1 },
		`called "linear"`:       func(c *Config) { c.Schedule.Kind = "linear" },
		"warmup is -1":          func(c *Config) { c.Schedule.Warmup = -1 },
	} {
		c := DefaultConfig()
		change(&c)
		if err := c.Validate(); err == nil || !strings.Contains(err.Error(), say) {
			t.Errorf("error %v, want one that says %s", err, say)
		}
	}
}

func TestLearningRateFollowsTheSchedule(t *testing.T) {
	spec := goSpec(0, 4)
	c := smallConfig(OptimizerSGD)
	c.LearningRate, c.Schedule = 0.4, Schedule{Kind: ScheduleCosine, Warmup: 2}
	p := paramsOf(t, spec)
	tr := newTrainer(t, p, c)
	for i, want := range []float64{0.2, 0.3, 0.1, 0} {
		tr.SetProgress(float64(i) / 3)
		if i == 3 {
			tr.SetScale(0.25)
		}
		if l := step(t, tr, NewBatch(spec, c.Batch)); math.Abs(l.LearningRate-want) > 1e-12 {
			t.Errorf("step %d: learning rate %g, want %g", i+1, l.LearningRate, want)
		}
	}
	if tr.Steps() != 4 {
		t.Errorf("%d steps counted, want 4", tr.Steps())
	}
}
