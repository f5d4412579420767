package cmdtest

import (
	"bytes"
	"encoding/binary"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tengen/checkpoints"
	"tengen/checkpoints/pretrained"
	"tengen/configs"
	"tengen/game"
	"tengen/internal/random"
	"tengen/nn"
	"tengen/nn/backend"
	"tengen/nn/backend/fake"
	"tengen/search/nneval"
)

// NotFinite writes shipped networks whose numbers are not finite, or so large that evaluations are
// not.
func NotFinite(t *testing.T) {
	t.Helper()
	for _, c := range []struct {
		file, network, of string
		value             float32
	}{
		{"nan", "go-5x5x2", "", float32(math.NaN())},
		{"infinite", "connect-four-gumbel", "", float32(math.Inf(1))},
		{"huge", "go-5x5x2", "block.", 3e30},
		{"policy", "connect-four-gumbel", "policy.", 3e30},
		{"descent", "go-5x5x3-descent", "block.", 3e30},
		{"belief", "turtle-belief", "aux.belief.", 3e38},
		{"turns", "hypergammon-td", "value.", 3e38},
	} {
		n, ok := pretrained.Find(c.network)
		if !ok {
			t.Fatal(c.network)
		}
		m, err := n.Model()
		if err != nil {
			t.Fatal(err)
		}
		for i := range m.Params.Tensors {
			x := &m.Params.Tensors[i]
			if c.of == "" || !strings.HasPrefix(x.Name, c.of) ||
				!strings.HasSuffix(x.Name, ".weight") {
				continue
			}
			for k, w := range x.Data {
				x.Data[k] = c.value
				if w < 0 {
					x.Data[k] = -c.value
				}
			}
		}
		var b bytes.Buffer
		if err := checkpoints.WriteModel(&b, m.Params, &checkpoints.Checkpoint{
			Game: m.Game, Iteration: m.Iteration, Step: m.Step,
		}); err != nil {
			t.Fatal(err)
		}
		if data := b.Bytes(); c.of == "" { // no writer writes it
			binary.LittleEndian.PutUint32(data[len(data)-8:], math.Float32bits(c.value))
		}
		if err := os.WriteFile(c.file+".safetensors", b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// WithDevice has --device cuda open a device, until the test ends.
func WithDevice(t *testing.T, d *fake.Device) {
	t.Helper()
	backend.Register(func(backend.Spec, *slog.Logger) (backend.Backend, error) { return d, nil })
	t.Cleanup(func() { backend.Register(nil) })
}

// NewRun makes a run's folder with a network of random weights, drawn by a seed.
func NewRun(t *testing.T, name, gameName, algorithm string, seed uint64) {
	t.Helper()
	g := game.Must(game.New(gameName))
	r, err := configs.Resolve(configs.Options{
		Set: []string{"game=" + gameName, "algorithm=" + algorithm},
	})
	if err != nil {
		t.Fatal(err)
	}
	text, err := r.Config.YAML()
	if err != nil {
		t.Fatal(err)
	}
	size := nneval.Size{Blocks: 1, Filters: 8, Hidden: 8}
	if algorithm == "descent" {
		size.Policy, size.Value = nn.PolicyNone, nn.ValueLinear
	}
	spec, err := nneval.Spec(g, size)
	if err != nil {
		t.Fatal(err)
	}
	params, err := nn.NewParams(spec)
	if err != nil {
		t.Fatal(err)
	}
	params.Init(random.New(seed, random.Test))
	folder := filepath.Join(name, "checkpoints")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(name, "config.yaml"), text, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := checkpoints.Save(folder, &checkpoints.Checkpoint{
		Iteration: 1, Game: g.Name(), Params: params,
	}); err != nil {
		t.Fatal(err)
	}
}
