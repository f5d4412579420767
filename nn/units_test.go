package nn

import (
	"math/rand/v2"
	"testing"
)

func TestDeadUnits(t *testing.T) {
	for _, value := range []string{ValueCategorical, ValueLinear} {
		p, err := NewParams(Spec{Planes: 2, Height: 3, Width: 3, Players: 2, Actions: 9, Blocks: 1, Filters: 4, Policy: PolicyConv, Value: value, Hidden: 8, Support: []float32{0, 1}})
		if err != nil {
			t.Fatal(err)
		}
		p.Init(rand.New(rand.NewPCG(1, 2)))
		if dead, of := p.DeadUnits(); dead != 0 || of != 16 {
			t.Fatalf("%s: %d of %d units of a new network are dead", value, dead, of)
		}
		in, out := p.Get("value.0.hidden.weight"), p.Get("value.1.output.weight")
		clear(in.Data[3*36 : 4*36])   // nothing leads to unit 3 of player 0
		in.Data[3*36+5] = 1e-6        //
		clear(in.Data[5*36 : 6*36])   // and one weight to unit 5
		in.Data[5*36+1] = 0.1         //
		for o := range out.Shape[0] { // nothing leads from unit 7 of player 1
			out.Data[o*8+7] = 0
		}
		if dead, of := p.DeadUnits(); dead != 2 || of != 16 {
			t.Errorf("%s: %d of %d units are dead, want 2 of 16", value, dead, of)
		}
	}
}
