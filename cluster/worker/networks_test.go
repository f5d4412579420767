package worker

import (
	"bytes"
	"encoding/binary"
	"math"
	"strings"
	"testing"

	"tengen/checkpoints"
)

// TestNetworksThatAreNotFinite: a network with NaN, or one that overflows, is not played, and the
// reason says which it is.
func TestNetworksThatAreNotFinite(t *testing.T) {
	plan := tiny(t)
	const digest = "0123456789abcdef"
	written := func(huge bool) []byte {
		p := plan.NewParams()
		for i := range p.Tensors {
			if x := &p.Tensors[i]; huge && strings.HasPrefix(x.Name, "block.") &&
				strings.HasSuffix(x.Name, ".weight") {
				for k, w := range x.Data {
					x.Data[k] = float32(math.Copysign(3e38, float64(w)))
				}
			}
		}
		var b bytes.Buffer
		if err := checkpoints.WriteModel(&b, p, &checkpoints.Checkpoint{
			Game: plan.Game.Name(),
		}); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	if _, err := decode(plan, digest, written(false)); err != nil {
		t.Error(err)
	}
	nan := written(false)
	binary.LittleEndian.PutUint32(nan[len(nan)-4:], math.Float32bits(float32(math.NaN())))
	for want, data := range map[string][]byte{
		"network 0123456789ab: malformed: read safetensors: number ": nan,
		"network 0123456789ab: the network's policy for a position ": written(true),
	} {
		if _, err := decode(plan, digest, data); err == nil ||
			!strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
