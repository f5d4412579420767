package kernels

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"tengen/nn"
)

// packer writes numbers in the layouts that kernels read.
type packer struct {
	bytes     []byte
	precision Precision
}

// element appends a weight of a matrix product, rounded.
func (w *packer) element(v float32) {
	switch w.precision {
	case BF16:
		w.bytes = binary.LittleEndian.AppendUint16(w.bytes, roundBF16(v))
	case FP16:
		w.bytes = binary.LittleEndian.AppendUint16(w.bytes, roundFP16(v))
	case TF32:
		w.float(roundTF32(v))
	default:
		w.float(v)
	}
}

// float appends a number without rounding.
func (w *packer) float(v float32) {
	w.bytes = binary.LittleEndian.AppendUint32(w.bytes, math.Float32bits(v))
}

// align pads to a multiple of n bytes and returns the length.
func (w *packer) align(n int) int {
	for len(w.bytes)%n != 0 {
		w.bytes = append(w.bytes, 0)
	}
	return len(w.bytes)
}

// fragments appends a step of a product's right side for mma: [pair of column tiles][lane][4
// words]; the words are b[0] and b[1] of the pair's first tile, then of its second. at returns
// the number at a row of the step and a column. See device.h for a lane's part.
func (w *packer) fragments(columns int, at func(k, column int) float32) {
	numbers := 4 / w.precision.Element() // per word
	for pair := range columns / 16 {
		for lane := range 32 {
			for word := range 4 {
				column := pair*16 + word/2*8 + lane/4
				for i := range numbers {
					w.element(at((lane%4+word%2*4)*numbers+i, column))
				}
			}
		}
	}
}

// cores appends a step for wgmma: [two halves of 8 rows][columns][8 numbers].
func (w *packer) cores(columns int, at func(k, column int) float32) {
	for half := range 2 {
		for column := range columns {
			for i := range 8 {
				w.element(at(half*8+i, column))
			}
		}
	}
}

// convolution appends a layer's stages: for each pass over columns the steps of all taps, each
// stage padded to the stages' length.
func (t *Tower) convolution(w *packer, f *folded, steps, stageSteps int) {
	step := w.cores
	if !t.WGMMA {
		step = w.fragments
	}
	channels := t.Precision.step()
	for pass := range t.ColumnPasses {
		for k := range t.taps() * steps {
			step(t.passColumns(), func(row, column int) float32 {
				return f.at(pass*t.passColumns()+column, k%steps*channels+row, k/steps)
			})
			if (k+1)%stageSteps == 0 {
				for range t.StageBytes - stageSteps*stepBytes*t.passColumns() {
					w.bytes = append(w.bytes, 0)
				}
			}
		}
	}
}

// roundBF16 rounds to nearest, ties to even.
func roundBF16(v float32) uint16 {
	u := math.Float32bits(v)
	if u&0x7fffffff > 0x7f800000 {
		return 0x7fff
	}
	return uint16((u + 0x7fff + u>>16&1) >> 16)
}

// ErrRange reports numbers that fp16 can't hold.
var ErrRange = errors.New("numbers too large for fp16; inference=fp32 is wanted")

// FitsFP16 returns an ErrRange if a weight of a network's convolutions, with BatchNorm folded, or
// of its values' hidden layers is too large for fp16. The other weights are fp32.
func FitsFP16(p *nn.Params) error {
	check := func(what string, weights []float32) error {
		for _, v := range weights {
			if roundFP16(v)&0x7fff >= 0x7c00 {
				return fmt.Errorf("%w: a weight of %s is %g", ErrRange, what, v)
			}
		}
		return nil
	}
	for i, f := range fold(p) {
		if err := check(fmt.Sprintf("layer %d", i), f.weight); err != nil {
			return err
		}
	}
	for player := range p.Spec.Players {
		name := fmt.Sprintf("value.%d.hidden.weight", player)
		if err := check(name, p.Get(name).Data); err != nil {
			return err
		}
	}
	return nil
}

// roundFP16 rounds to nearest, ties to even; to infinity from 65,520 on.
func roundFP16(v float32) uint16 {
	u := math.Float32bits(v)
	sign, u := uint16(u>>16&0x8000), u&0x7fffffff
	switch {
	case u > 0x7f800000:
		return 0x7fff
	case u >= 0x477ff000:
		return sign | 0x7c00
	case u < 0x38800000: // below 2⁻¹⁴ numbers are multiples of 2⁻²⁴
		return sign | uint16(math.RoundToEven(float64(math.Float32frombits(u))*(1<<24)))
	}
	return sign | uint16((u+0xfff+u>>13&1-0x38000000)>>13)
}

// roundTF32 rounds to 10 bits of mantissa, ties away from zero.
func roundTF32(v float32) float32 {
	u := math.Float32bits(v)
	if u&0x7f800000 == 0x7f800000 {
		return v
	}
	return math.Float32frombits((u + 0x1000) &^ 0x1fff)
}
