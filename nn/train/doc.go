// Package train teaches the networks of package nn: losses, gradients,
// optimizers, schedules, and all that a checkpoint needs to go on to the bit.
//
//	t, err := train.New(params, train.DefaultConfig())
//	for _, batch := range batches {
//		losses, err := t.Step(batch)
//		…
//	}
//	weights := nn.Fold(t.Averaged())
//
// The network is a gorgonia graph, which differentiates and runs it; the layers
// are operations of this package, with their gradients written out: the trunk,
// dense layers, policy heads, losses. In float32 the trunk (convolutions, BatchNorm, residuals and ReLU)
// is one operation, in the frequency domain, on the generated kernels of package
// nn/kernels/training, and so are the dense layers' products. Where there are no such kernels
// for the processor (or TENGEN_KERNELS is portable), or no transform for the board (sides over 11), each
// convolution with what follows is an operation of its own, on gonum's products. These are
// generic: in float64 they are what gradients are checked with.
//
// The loss of a batch is
//
//		PolicyWeight·policy + ValueWeight·value + L2·Σ w²
//
//	  - policy: the cross-entropy between the target distribution and the softmax
//	    over all actions' logits, a mean over rows weighted by Batch.PolicyWeight;
//	  - value: per player the cross-entropy over the support (categorical) or
//	    the squared error (linear), a mean over rows and players;
//	  - the sum of squares runs over the weights of convolutions and dense layers,
//	    not over biases and BatchNorm's γ and β (AlphaZero's c‖θ‖²; its gradient
//	    is 2·L2·w, added after clipping).
//
// BatchNorm normalises with the batch's own mean and variance (divided by the
// number of cells in the batch), and each step moves the running statistics by
// [NormMomentum] towards them; evaluation uses the running ones.
//
// Results are the same to the bit from run to run and with any number of workers on
// the same path of kernels: work is cut into tasks by shape alone, and every sum is
// taken in one order.
//
// Caveats: a Trainer is used by one goroutine. A step trains exactly
// Config.Batch rows, since BatchNorm would notice padding. Where a loss or a gradient is not
// finite, Step returns an error and changes nothing.
package train
