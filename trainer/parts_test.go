package trainer

import (
	"testing"

	"tengen/checkpoints"
	"tengen/nn"
)

// TestLoadedNetworks: the networks that were used last are known with their parameters.
func TestLoadedNetworks(t *testing.T) {
	type network struct{ nn.Network }
	var networks []*network
	var params []*nn.Params
	var l loadedNetworks
	for range keptNetworks + 2 {
		n, p := new(network), new(nn.Params)
		networks, params = append(networks, n), append(params, p)
	}
	known := func(from, to int) {
		t.Helper()
		for i, n := range networks {
			got, want := l.of(n), params[i]
			if i < from || i >= to {
				want = nil
			}
			if got != want {
				t.Errorf("network %d has %p, want %p", i, got, want)
			}
		}
	}
	for i, n := range networks[:keptNetworks] {
		l.add(n, params[i])
		known(0, i+1)
	}
	l.add(networks[keptNetworks], params[keptNetworks])
	known(1, keptNetworks+1)
	l.of(networks[1]) // used last, so that the second goes
	l.add(networks[keptNetworks+1], params[keptNetworks+1])
	if l.of(networks[1]) != params[1] || l.of(networks[2]) != nil {
		t.Error("a network that was used last is gone, or one that was not is known")
	}
}

// TestSizes: what is written of the size of a piece of work.
func TestSizes(t *testing.T) {
	for n, want := range map[int64]string{
		1: "1 bytes", 10<<10 - 1: "10239 bytes", 10 << 10: "10 KiB",
		10<<20 - 1: "10239 KiB", 10 << 20: "10 MiB", 3 << 30: "3072 MiB",
	} {
		if got := size(n); got != want {
			t.Errorf("%d bytes are %q, want %q", n, got, want)
		}
	}
	for _, c := range []struct {
		bytes int64
		want  string
	}{{0, "it to runs/x"}, {1, "it to runs/x (about 1 bytes)"}} {
		if got := (piece{"it", "runs/x", c.bytes}).String(); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
	tensors := func(sizes ...int) (list []nn.Tensor) {
		for _, n := range sizes {
			list = append(list, nn.Tensor{Data: make([]float32, n)})
		}
		return list
	}
	c := &checkpoints.Checkpoint{
		Params: &nn.Params{Tensors: tensors(3, 5)}, Optimizer: tensors(3, 5, 7),
		State: []byte("state"),
	}
	if n := bytesOf(c); n != 4*(8+15)+5 {
		t.Errorf("a checkpoint has about %d bytes, want %d", n, 4*(8+15)+5)
	}
	c.Average = &nn.Params{Tensors: tensors(3, 5)}
	if n := bytesOf(c); n != 4*(8+15+8)+5 {
		t.Errorf("a checkpoint with averages has about %d bytes, want %d", n, 4*(8+15+8)+5)
	}
}

// TestPlaces: the games of a run follow each other from iteration to iteration.
func TestPlaces(t *testing.T) {
	p := tiny(t, "training.games=3", "warm_start.initial_games=2")
	at := p.placeAt(0, 0)
	for number, want := range []int{0, 0, 0, 0, 0, 1, 1, 1, 2, 2, 2, 3} {
		if at.number != uint64(number) || at.iteration != want {
			t.Fatalf("game %d of iteration %d, want game %d of iteration %d",
				at.number, at.iteration, number, want)
		}
		at = at.next()
	}
}
