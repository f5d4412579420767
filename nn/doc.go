// Package nn describes residual policy/value networks and evaluates them.
//
// A [Spec] says what a network looks like, [Params] holds its numbers as named
// float32 tensors, and an [Evaluator] computes policies and values for batches
// of observations. The network is that of AlphaZero with a value for each
// player: a 3×3 convolution (the stem), residual blocks of two 3×3
// convolutions each, BatchNorm and ReLU; a policy head of a 1×1 convolution
// or a dense layer; for each player a hidden layer and then either a softmax
// over the utilities that the game can give (categorical) or one number (linear).
//
// On the CPU, [Fold] prepares the numbers once for all goroutines and
// [NewEvaluator] computes with the kernels of nn/kernels, chosen for the processor at run time:
//
//	weights := nn.Fold(params)
//	e := nn.NewEvaluator(weights) // one a goroutine
//	b := e.NewBatch(32)
//	b.N = copyObservations(b.Observations)
//	e.Evaluate(b) // b.Policy, b.Values
//
// Package nn knows shapes only: never a game, never a search. Training is in
// nn/train.
package nn
