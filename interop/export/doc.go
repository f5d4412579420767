// Package export writes networks for other programs: as safetensors, which hold the parameters by
// name, and as ONNX models, which other runtimes evaluate.
//
//	n := &export.Network{Params: model.Params, Game: model.Game, Rules: g, Iteration: model.Iteration, Step: model.Step}
//	err := export.Write(w, export.ONNX, n, true)
//	about, err := export.Describe(export.ONNX, n, true)
//
// A [Network] is written with its BatchNorm folded into the convolutions, which suffices for
// evaluation, or kept with its running statistics. Both formats carry metadata: the game, the
// meaning of an observation's planes, the names of seats and actions, and the utilities that a
// categorical value head predicts ([Describe], docs/export.md).
//
// The ONNX model has the input "observation" [N, Planes, Height, Width] for any N, and the
// outputs "policy" [N, Actions], unmasked logits, if the network has a policy, and "values" [N,
// Players], expected utilities. The package writes the wire format of protocol buffers itself,
// with protowire.
//
// Caveats: parameters are written as FP32 and must be finite; an ONNX file is smaller than 2 GiB.
// The outputs agree with those of package nn up to FP32 rounding, not bit by bit.
package export
