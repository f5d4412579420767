package cmd

import (
	"bytes"
	"encoding/binary"
	"math"
	"os"
	"regexp"
	"strings"
	"testing"

	"tengen/checkpoints"
	"tengen/checkpoints/pretrained"
)

// notFinite writes shipped networks whose numbers are not finite, or so large that evaluations are not.
func notFinite(t *testing.T) {
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
			if c.of == "" || !strings.HasPrefix(x.Name, c.of) || !strings.HasSuffix(x.Name, ".weight") {
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
		if err := checkpoints.WriteModel(&b, m.Params, &checkpoints.Checkpoint{Game: m.Game, Iteration: m.Iteration, Step: m.Step}); err != nil {
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

// TestNetworksThatAreNotFinite: no command plays with such a network, or calls it sound; each says in one line which it is.
func TestNetworksThatAreNotFinite(t *testing.T) {
	t.Chdir(t.TempDir())
	notFinite(t)
	const nan, infinite, belief = "value.1.output.bias is NaN", "value.1.output.bias is +Inf", "network's belief for a position is "
	const policy, value = "network's policy for a position is ", "network's value for a position is "
	for line, want := range map[string]string{
		"play go:size=5,players=2,pass=free nan.safetensors uct":                                           nan,
		"play go:size=5,players=2,pass=free huge.safetensors uct":                                          policy,
		"play connect-four policy.safetensors uct":                                                         policy,
		"play connect-four policy:policy.safetensors uct":                                                  policy,
		"play go:size=5,players=3 descent.safetensors uct uct":                                             value,
		"eval nan.safetensors --games 1":                                                                   nan,
		"eval infinite.safetensors --games 1":                                                              infinite,
		"eval huge.safetensors --games 1":                                                                  policy,
		"eval descent.safetensors --games 1":                                                               value,
		"eval turns.safetensors --games 1":                                                                 value,
		"eval az:belief.safetensors,belief=belief.safetensors --games 1 --game turtle:players=2,history=4": belief,
		"arena nan.safetensors random --game go:size=5,players=2,pass=free --games 2":                      nan,
		"arena huge.safetensors random --game go:size=5,players=2,pass=free --games 2":                     policy,
		"gtp nan.safetensors":                                                                              nan,
		"gtp huge.safetensors":                                                                             policy,
		"analysis nan.safetensors":                                                                         nan,
		"analysis huge.safetensors":                                                                        policy,
		"analyze az:infinite.safetensors --game connect-four":                                              infinite,
		"analyze az:policy.safetensors --game connect-four":                                                policy,
		"belief belief.safetensors --games 1":                                                              belief,
		"loss infinite.safetensors --game connect-four":                                                    infinite,
		"loss policy.safetensors --game connect-four":                                                      policy,
		"export nan.safetensors --out x.onnx":                                                              nan,
		"export huge.safetensors --out x.onnx":                                                             policy,
		"export turns.safetensors --out x.safetensors":                                                     value,
		"train connect-four --init infinite.safetensors --run r":                                           infinite,
		"train go5-two-player --init huge.safetensors --run r":                                             "huge.safetensors",
		"inspect nan.safetensors":                                                                          nan,
		"inspect infinite.safetensors":                                                                     infinite,
		"inspect huge.safetensors":                                                                         policy,
		"inspect policy.safetensors":                                                                       policy,
		"inspect descent.safetensors":                                                                      value,
		"inspect belief.safetensors":                                                                       belief,
		"inspect turns.safetensors":                                                                        value,
	} {
		var out, problem bytes.Buffer
		status := execute(t.Context(), words(line), strings.NewReader(""), &out, &problem)
		said := problem.String()
		file := regexp.MustCompile(`[a-z]+\.safetensors`).FindString(line)
		if status != exitFailed && status != exitUsage || strings.Count(said, "\n") != 1 || !strings.HasPrefix(said, "tengen: ") ||
			!strings.Contains(said, want) || !strings.Contains(said, file) {
			t.Errorf("%s: status %d, says %q; want one line with %q and %q", line, status, said, file, want)
		}
	}
	for _, name := range []string{"r", "x.onnx", "x.safetensors"} {
		if _, err := os.Stat(name); err == nil {
			t.Errorf("%s is written", name)
		}
	}
}
