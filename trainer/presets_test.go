package trainer

import (
	"reflect"
	"testing"

	"tengen/configs"
	"tengen/nn"
	"tengen/nn/nntest"
)

// TestPresetNetworks checks that nntest has the networks of the presets, without the heads that
// only training has.
func TestPresetNetworks(t *testing.T) {
	shapes := nntest.Presets()
	for _, name := range configs.PresetNames() {
		r, err := configs.Resolve(configs.Options{Name: name})
		if err != nil {
			t.Fatal(err)
		}
		p, err := NewPlan(&r.Config)
		if err != nil {
			t.Fatal(err)
		}
		want := p.Spec
		want.Auxiliary = nn.Auxiliary{}
		if got, ok := shapes[name]; !ok || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
		delete(shapes, name)
	}
	for name := range shapes {
		t.Errorf("%s is no preset", name)
	}
}
