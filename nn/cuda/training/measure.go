package training

import (
	"encoding/binary"
	"fmt"
	"math"

	"tengen/nn"
	"tengen/nn/train"
)

// float returns float i of the results at an offset in bytes.
func (t *Trainer) float(offset, i int) float64 {
	return float64(math.Float32frombits(binary.LittleEndian.Uint32(t.output[offset+4*i:])))
}

// squares returns the sum of squares of the gradients (0) or the weights (1).
func (t *Trainer) squares(which int) float64 {
	total := 0.0
	for i := range squareBlocks {
		total += math.Float64frombits(
			binary.LittleEndian.Uint64(t.output[8*(which*squareBlocks+i):]))
	}
	return total
}

// notFinite describes why a step can't be taken, "" if it can.
func (t *Trainer) notFinite(l *nn.Losses) string {
	for _, c := range []struct {
		name  string
		value float64
	}{
		{"value loss", l.Value}, {"policy loss", l.Policy}, {"loss", l.Total},
		{"gradient norm", l.GradientNorm},
	} {
		if math.IsNaN(c.value) || math.IsInf(c.value, 0) {
			return fmt.Sprintf("the %s is %g", c.name, c.value)
		}
	}
	for i, what := range []string{
		flagObservation: "an observation is not finite",
		flagStatistics:  "BatchNorm's statistics are not finite",
		flagGradient:    "the gradient of an activation is not finite",
	} {
		if binary.LittleEndian.Uint32(t.output[t.plan.results().flags+4*i:]) != 0 {
			return what
		}
	}
	return ""
}

// measure adds the device's measures of a batch's rows, in fp64, as nn/train does.
type measure struct {
	policyWeight, policy, accuracy, entropy, target float64
	value, valueTarget                              float64
	rows                                            int
	calibration                                     nn.Calibration
}

// add adds the first rows of the last run, which are rows of the batch starting at from.
func (m *measure) add(t *Trainer, rows int, b *train.Batch, from int) {
	r, players := t.plan.results(), t.plan.spec.Players
	for i := range rows * players {
		m.value += t.float(r.value, 4*i) / float64(players)
		m.calibration.Count(t.float(r.value, 4*i+1), t.float(r.value, 4*i+2))
	}
	m.valueTarget += b.ValueEntropy(t.plan.spec, from, rows)
	m.rows += rows
	if t.plan.spec.Policy == nn.PolicyNone {
		return
	}
	for i := range rows {
		w := float64(b.PolicyWeight[from+i])
		if w == 0 {
			continue
		}
		m.policyWeight += w
		m.policy += w * t.float(r.policy, 4*i)
		m.entropy += w * t.float(r.policy, 4*i+1)
		m.target += w * t.float(r.policy, 4*i+2)
		m.accuracy += w * t.float(r.policy, 4*i+3)
	}
}

// losses returns the means; squares is Σ w².
func (m *measure) losses(c *train.Config, squares float64) nn.Losses {
	l := nn.Losses{
		Value: m.value / float64(m.rows), ValueTargetEntropy: m.valueTarget / float64(m.rows),
		L2: c.L2 * squares, WeightNorm: math.Sqrt(squares),
		ValueCalibration: m.calibration.Error(), Calibration: m.calibration,
	}
	if m.policyWeight > 0 {
		l.Policy = m.policy / m.policyWeight
		l.PolicyAccuracy = m.accuracy / m.policyWeight
		l.PolicyEntropy = m.entropy / m.policyWeight
		l.TargetEntropy = m.target / m.policyWeight
	}
	l.Total = c.PolicyWeight*l.Policy + c.ValueWeight*l.Value + l.L2
	return l
}
