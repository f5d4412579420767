package train

import (
	"fmt"

	"tengen/nn"
	"tengen/nn/kernels"
	"tengen/nn/kernels/training"
)

// trunk computes a network's trunk in one operation, in the frequency domain. Inputs:
// observations [rows, cells·planes], cell-major; then weight, γ and β of each layer, the stem
// first. The output is [rows, cells·filters], cell-major.
type trunk struct {
	trunk     *training.Trunk
	layers    []training.Layer
	gradients []training.Gradient
}

// newTrunk returns a trunk. BatchNorm uses statistics, one element per layer; in training,
// forward writes the batch's statistics to them first.
func newTrunk(
	spec nn.Spec, rows, workers int, isTraining bool, statistics []statistics[float32],
) (*trunk, error) {
	shape := training.Shape{
		Height: spec.Height, Width: spec.Width, Planes: spec.Planes, Filters: spec.Filters,
		Blocks: spec.Blocks, Rows: rows,
	}
	t, err := training.NewTrunk(kernels.Selected(), shape, nn.NormEpsilon, workers, isTraining)
	if err != nil {
		return nil, fmt.Errorf("train: %w", err)
	}
	l := &trunk{
		trunk: t, layers: make([]training.Layer, len(statistics)),
		gradients: make([]training.Gradient, len(statistics)),
	}
	for i, s := range statistics {
		l.layers[i].Mean, l.layers[i].Variance = s.mean, s.variance
	}
	return l, nil
}

// take sets the layers' parameters to the inputs of the operation.
func (l *trunk) take(in [][]float32) {
	for i := range l.layers {
		l.layers[i].Weight, l.layers[i].Gamma, l.layers[i].Beta = in[1+3*i], in[2+3*i], in[3+3*i]
	}
}

func (l *trunk) forward(in [][]float32, out []float32) {
	l.take(in)
	l.trunk.Forward(in[0], l.layers, out)
}

func (l *trunk) backward(in [][]float32, _, dOut []float32, dIn [][]float32) {
	l.take(in)
	for i := range l.gradients {
		l.gradients[i] = training.Gradient{Weight: dIn[1+3*i], Gamma: dIn[2+3*i], Beta: dIn[3+3*i]}
	}
	l.trunk.Backward(dOut, l.layers, l.gradients)
}
