package trainer

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"tengen/internal/random"
	"tengen/nn"
)

// TestLearnsByHeart: a held-out value loss that rises while that of training falls is told once,
// and again when it begins anew; an interruption changes nothing.
func TestLearnsByHeart(t *testing.T) {
	rng := random.New(1, random.Test)
	var f FitState
	var told []int
	for i := range 80 {
		training, held := 0.6-0.004*float64(i), 0.6-0.004*float64(i)
		if i >= 20 && i < 40 { // by heart
			held = 0.52 + 0.006*float64(i-20)
		} else if i >= 60 {
			held = 0.36 + 0.006*float64(i-60)
		}
		noise := func() float64 { return 0.002 * rng.NormFloat64() }
		if f.note(training+noise(), held+noise()) {
			told = append(told, i)
		}
		text, err := json.Marshal(f)
		if err != nil {
			t.Fatal(err)
		}
		var back FitState
		if err := json.Unmarshal(text, &back); err != nil || !reflect.DeepEqual(back, f) {
			t.Fatalf("%v: %+v, want %+v", err, back, f)
		}
		f = back
	}
	if len(told) != 2 || told[0] < 22 || told[0] > 30 || told[1] < 62 || told[1] > 70 {
		t.Errorf("told after iterations %v, want one soon after 20 and one soon after 60", told)
	}
}

// TestNotByHeart: noise, and losses that rise or fall together, are hardly ever told.
func TestNotByHeart(t *testing.T) {
	for name, slope := range map[string]float64{"noise": 0, "harder": 0.005, "easier": -0.005} {
		told := 0
		for run := range uint64(100) {
			rng := random.New(run, random.Test)
			var f FitState
			for i := range 30 {
				if f.note(0.6+slope*float64(i)+0.01*rng.NormFloat64(),
					0.65+slope*float64(i)+0.01*rng.NormFloat64()) {
					told++
				}
			}
		}
		if told > 12 {
			t.Errorf("%s: told %d times in 100 runs of 30 iterations", name, told)
		}
	}
}

// TestFarApart: a held-out loss that stays far above that of training is told once, and again when
// it is so anew; a small one, or one that is little higher, is not.
func TestFarApart(t *testing.T) {
	var f FitState
	var told []int
	for i := range 60 {
		training, held := 0.5, 0.9
		if i >= 20 && i < 40 {
			held = 0.6
		}
		f.note(training, held)
		if f.apart() {
			told = append(told, i)
		}
	}
	if len(told) != 2 || told[0] != 2*fitSpan-1 || told[1] < 40 || told[1] > 40+fitSpan {
		t.Errorf("told after iterations %v, want one after %d and one soon after 40",
			told, 2*fitSpan-1)
	}
	for _, losses := range [][2]float64{{0.9, 1.2}, {0.01, 0.09}} {
		f = FitState{}
		for range 20 {
			f.note(losses[0], losses[1])
			if f.apart() {
				t.Errorf("losses %v are told", losses)
			}
		}
	}
	r := &runner{}
	text := ""
	for range 20 {
		text += r.noteFit(&nn.Losses{Value: 0.5}, &nn.Losses{Value: 0.9})
	}
	if want := "the value loss on held-out games is 0.9, that of training 0.5;"; strings.Count(text,
		want) != 1 {
		t.Errorf("told: %s; want %q once", text, want)
	}
}

// TestTellsLearningByHeart: the warning says what to change; losses are compared less the entropy
// of their targets.
func TestTellsLearningByHeart(t *testing.T) {
	r := &runner{}
	told := ""
	for i := range 2 * fitSpan {
		x := float64(i)
		told += r.noteFit(&nn.Losses{Value: 0.9 - 0.01*x, ValueTargetEntropy: 0.3}, &nn.Losses{
			Value: 0.9, ValueTargetEntropy: 0.3 - 0.02*x,
		})
		if r.noteFit(&nn.Losses{Value: 0.1}, nil) != "" {
			t.Error("told without held-out losses")
		}
	}
	for _, text := range []string{
		"by heart", "from 0.63 to 0.71", "from 0.585 to 0.545", "training.max_steps",
		"training.value_mix", "replay.games", "training.weight_decay",
	} {
		if !strings.Contains(told, text) {
			t.Errorf("%q is not told: %s", text, told)
		}
	}
}
