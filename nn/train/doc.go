// Package train trains the networks of package nn: losses, gradients, optimizers,
// learning-rate schedules, and the state that a checkpoint needs to resume to the bit.
//
//	t, err := train.New(params, train.DefaultConfig())
//	for _, batch := range batches {
//		losses, err := t.Step(batch)
//		…
//	}
//	weights := nn.Fold(t.Averaged())
//
// A [Trainer] trains one network. [GraphTrainer], which [New] returns, does it on the
// processor; package nn/cuda has one for devices.
//
// GraphTrainer holds the network as a gorgonia graph, which differentiates and runs it. The
// layers (trunk, dense layers, policy heads, losses) are operations of this package, with
// handwritten gradients. In float32 the whole trunk (convolutions, BatchNorm, residuals and ReLU)
// is one operation in the frequency domain, on the generated kernels of package
// nn/kernels/training, which also compute the dense layers' products. If the processor has no such
// kernels (or TENGEN_KERNELS is portable), or the board has no transform (sides over 11), each
// convolution with its BatchNorm and ReLU is an operation of its own, on gonum's products. These
// operations are generic; gradients are checked in float64.
//
// The loss of a batch is
//
//		PolicyWeight·policy + ValueWeight·value + LabelWeight·(cells + seats) + BeliefWeight·belief + L2·Σ w²
//
//	  - policy: the cross-entropy between the target distribution and the softmax
//	    over all actions' logits, averaged over rows with weights Batch.PolicyWeight;
//	  - value: per player the cross-entropy over the support (categorical) or
//	    the squared error (linear), averaged over rows and players;
//	  - cells and seats, if the network has these heads (nn.Auxiliary): the
//	    cross-entropy of the class of each cell that has one, averaged over a row's
//	    cells; and the squared error of each player's targets. Each is averaged over rows
//	    with the weights of Batch;
//	  - belief, if the network has this head: the cross-entropy of the class of each
//	    fact that is hidden in a row, summed over the row's facts and averaged over rows with
//	    the weights of Batch. The head gives logarithms of likelihoods z; the distribution
//	    is the softmax of z plus the logarithm of the prior probability;
//	  - the sum of squares runs over the weights of convolutions and dense layers,
//	    not over biases and BatchNorm's γ and β (AlphaZero's c‖θ‖²; its gradient
//	    is 2·L2·w, added after clipping).
//
// Adam divides each weight's gradient by its own size, and that of L2 with it. So L2 takes weights
// whose gradients are small all the way to 0, whatever they are worth. [Config].WeightDecay is not
// part of the loss: each step first multiplies the same weights by 1 − rate·WeightDecay (Loshchilov
// and Hutter 2019, "Decoupled weight decay regularization").
//
// In training BatchNorm normalises with the batch's own mean and (biased) variance, and each step
// moves the running statistics towards them by [NormMomentum]. Evaluation uses the running
// statistics.
//
// On the same kernel path, results are the same to the bit from run to run and with any
// number of workers: work is divided into tasks by shape alone, and every sum is
// taken in a fixed order.
//
// Caveats: a Trainer is used by one goroutine. A step takes exactly Config.Batch
// rows, since padding would change BatchNorm's statistics. If a loss or a gradient is
// not finite, Step returns an error and changes nothing.
package train
