// Package nn describes residual policy/value networks and evaluates them.
//
// A [Spec] describes a network, [Params] holds its parameters as named
// float32 tensors, and an [Evaluator] computes policies and values for batches
// of observations. The architecture is AlphaZero's with one value per player:
//
//   - the stem, a 3×3 convolution, then residual blocks of two 3×3 convolutions
//     each, with BatchNorm and ReLU;
//   - a policy head of a 1×1 convolution or a dense layer;
//   - for each player a hidden layer, then either a softmax over the utilities that
//     the game can give (categorical) or one number (linear);
//   - optionally, heads that only training has: see [Auxiliary].
//
// On the CPU, [Fold] prepares the parameters once for all goroutines, and
// [NewEvaluator] computes with the kernels of nn/kernels, chosen for the processor at run time:
//
//	weights := nn.Fold(params)
//	e := nn.NewEvaluator(weights) // one per goroutine
//	b := e.NewBatch(32)
//	b.N = copyObservations(b.Observations)
//	err := e.Evaluate(b) // b.Policy, b.Values
//
// Package nn depends on no game and no search, only on shapes. Training is in nn/train.
package nn
