package cmd

import (
	"bytes"
	"os"
	"regexp"
	"strings"
	"testing"

	"tengen/cmd/internal/cmdtest"
)

// TestNetworksThatAreNotFinite: no command plays with such a network, or calls it sound; each says
// in one line which it is.
func TestNetworksThatAreNotFinite(t *testing.T) {
	t.Chdir(t.TempDir())
	cmdtest.NotFinite(t)
	const nan, infinite, belief = "value.1.output.bias is NaN", "value.1.output.bias is +Inf",
		"network's belief for a position is "
	const policy, value = "network's policy for a position is ",
		"network's value for a position is "
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
		status := program.Execute(t.Context(), words(line), strings.NewReader(""), &out, &problem)
		said := problem.String()
		file := regexp.MustCompile(`[a-z]+\.safetensors`).FindString(line)
		if status != exitFailed && status != exitUsage || strings.Count(said, "\n") != 1 ||
			!strings.HasPrefix(said, "tengen: ") ||
			!strings.Contains(said, want) || !strings.Contains(said, file) {
			t.Errorf("%s: status %d, says %q; want one line with %q and %q",
				line, status, said, file, want)
		}
	}
	for _, name := range []string{"r", "x.onnx", "x.safetensors"} {
		if _, err := os.Stat(name); err == nil {
			t.Errorf("%s is written", name)
		}
	}
}
