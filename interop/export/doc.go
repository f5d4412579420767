// Package export writes networks for use elsewhere: as safetensors, which are
// the numbers by name, and as an ONNX model, which other runtimes evaluate.
//
//	n := &export.Network{Params: model.Params, Game: model.Game, Rules: g, Iteration: model.Iteration, Step: model.Step}
//	err := export.Write(w, export.ONNX, n, true)
//	about, err := export.Describe(export.ONNX, n, true)
//
// A [Network] is written with its BatchNorm folded into the convolutions, which
// is what an evaluation wants, or kept with its running statistics. Either file carries
// metadata: the game, what the planes of an observation mean, the names of seats
// and actions, the utilities that a categorical value head predicts
// ([Describe], docs/export.md).
//
// The ONNX model takes "observation" [N, Planes, Height, Width] for any N, and
// gives "policy" [N, Actions], unmasked logits, where the network has a policy,
// and "values" [N, Players], expected utilities. It is written in the wire format of
// protocol buffers by a few functions of this package.
//
// Caveats: numbers are written as FP32 and must be finite; an ONNX file holds
// less than 2 GiB. The outputs agree with those of package nn to the rounding
// of FP32, not to the bit.
package export
