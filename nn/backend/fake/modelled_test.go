package fake

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"tengen/nn"
	"tengen/nn/train"
)

var spec = nn.Spec{
	Planes: 2, Height: 3, Width: 3, Players: 2, Actions: 9, Blocks: 1, Filters: 4, Hidden: 4,
	Policy: nn.PolicyConv, Value: nn.ValueLinear,
}

// TestBackend: batches take the time of the model, any number at once, and the usage counts them.
func TestBackend(t *testing.T) {
	m := model.Slower(10)
	b := NewModelled(m)
	params, err := nn.NewParams(spec)
	if err != nil {
		t.Fatal(err)
	}
	network, err := b.Load(params)
	if err != nil {
		t.Fatal(err)
	}
	e := network.NewEvaluator().(nn.Async)
	defer e.Close()
	first, second := e.NewBatch(8), e.NewBatch(8)
	first.N, second.N = 8, 5
	began := time.Now()
	e.Start(first)
	e.Start(second)
	for _, x := range []*nn.Batch{first, second} {
		if err := e.Wait(x); err != nil {
			t.Fatal(err)
		}
		if len(x.Policy) != 8*9 || x.Values[0] != 0.5 || x.Policy[0] != 0 {
			t.Errorf("it answers %v, %v", x.Policy, x.Values)
		}
	}
	took := time.Since(began)
	if least := m.latency(8); took < least || took > least+2*time.Minute {
		t.Errorf("two batches at once take %v; %v is the least", took, least)
	}
	c := train.DefaultConfig()
	c.Batch = 4
	trainer, err := b.NewTrainer(params, c)
	if err != nil {
		t.Fatal(err)
	}
	began = time.Now()
	if _, err := trainer.Step(nil); err != nil || trainer.Steps() != 1 {
		t.Errorf("after a step: %d, %v", trainer.Steps(), err)
	}
	if took = time.Since(began); took < m.step(4) {
		t.Errorf("a step takes %v; %v is the least", took, m.step(4))
	}
	after, err := trainer.Averaged()
	if err != nil || after == params || !reflect.DeepEqual(after, params) {
		t.Errorf("its weights are not a copy of the first: %v", err)
	}
	if r := b.Readings(); len(r) != 1 || !(r[0].Utilization > 0) {
		t.Errorf("its readings are %+v", r)
	}
	u := b.Usage()
	if u.Batches != 2 || u.Rows != 13 || u.Steps != 1 ||
		!(u.Busy > 0 && u.Busy <= 1 && u.Work < u.Busy && u.Training > 0) {
		t.Errorf("its usage is %+v", u)
	}
	if u = b.Usage(); u.Batches != 0 || u.Seconds > 120 {
		t.Errorf("then it is %+v", u)
	}
	if text := b.Describe(); !strings.Contains(text, "computes nothing") {
		t.Errorf("it is described as %q", text)
	}
}
