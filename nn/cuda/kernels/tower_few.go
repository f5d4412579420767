package kernels

import "tengen/nn/cuda/driver"

// l2Alone is the number of bytes that an SM reads from L2 per cycle while few others read.
const l2Alone = 60

// Few returns a plan for so few positions that they do not fill a device: its blocks have fewer
// positions than those of t, and take less time. It reads the weights that are packed for t, and
// its results have the same bits. Few returns nil where no such plan is clearly faster.
func (t *Tower) Few(d *driver.Device) *Tower {
	var best *Tower
	least := 0.8 * t.alone(d)
	base := *t
	base.BlocksSM, base.BatchSteps = 1, 1
	for _, u := range base.shapes() {
		u.Positions = max(1, u.passRows()/u.Spec.Cells())
		if u.passColumns() != t.passColumns() || u.Positions >= t.Positions ||
			u.StageSteps%u.BatchSteps != 0 ||
			u.BatchSteps > 1 && u.BatchSteps == u.steps() || // NVRTC serializes such products
			u.Threads() > d.ThreadsSM || u.Registers() > registerLimit(d, u.Threads()) ||
			!u.place(d) {
			continue
		}
		c := u.alone(d)
		if c < least || best != nil && c == least && u.Positions > best.Positions {
			best, least = &u, c
		}
	}
	return best
}

// alone returns the cycles of a block that has an SM and L2 for itself.
func (t *Tower) alone(d *driver.Device) float64 {
	u := t.typical()
	u.BlocksSM = 1
	c := u.Cost(d)
	c.L2 *= float64(l2Rate) / l2Alone
	return c.Cycles()
}
