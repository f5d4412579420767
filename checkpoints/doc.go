// Package checkpoints stores the state of training on disk. A crash loses nothing
// that was saved, and damage is detected.
//
// A [Checkpoint] is one folder: the network, the moving average of its weights if
// there is one, the optimizer's tensors, the trainer's state, and a manifest,
// written last, with the size and SHA-256 of every other file
// (docs/formats/checkpoint.md). [Save] writes it under a temporary name, fsyncs and
// renames it. [Load] verifies every byte. [Latest] loads the newest valid checkpoint
// and returns the errors of newer ones. A [Keeper] saves a run's, and removes those that a [Policy]
// does not keep.
//
//	path, err := checkpoints.Save("runs/first/checkpoints", &checkpoints.Checkpoint{
//		Iteration: 42, Game: g.Name(), Params: params, Optimizer: tensors, State: state,
//	})
//	c, damaged, err := checkpoints.Latest("runs/first/checkpoints")
//
// [LoadModel] loads a network for playing from a run's folder, a folder of
// checkpoints, one checkpoint or a file model.safetensors.
//
// The methods of [Store] do the same on any file system, for tests.
//
// Caveats: only one process at a time may save to a folder. Retain may remove a
// checkpoint while another process reads it; the reader then gets ErrMissing and
// can load the latest one.
package checkpoints
