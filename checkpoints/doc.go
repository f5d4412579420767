// Package checkpoints keeps the state of training on disk so that a crash loses
// nothing that was saved, and so that what is damaged is found and never used.
//
// A [Checkpoint] is one folder: the network, its averaged copy where there is
// one, the solver's tensors, the trainer's counters, and a manifest, written
// last, with the size and SHA-256 of every other file
// (docs/formats/checkpoint.md). [Save] writes it under a temporary name,
// fsyncs and renames it; [Load] verifies every byte; [Latest] finds the newest
// sound one and reports those that it had to pass over; [Store.Retain] removes old ones.
//
//	path, err := checkpoints.Save("runs/first/checkpoints", &checkpoints.Checkpoint{
//		Iteration: 42, Game: g.Name(), Params: params, Optimizer: solver, State: state,
//	})
//	c, passedOver, err := checkpoints.Latest("runs/first/checkpoints")
//
// [LoadModel] is for players and evaluation: it takes a run's folder, a folder
// of checkpoints, one checkpoint or a file model.safetensors.
//
// Functions with a [Store] do the same on another file system than the
// operating system's, for tests.
//
// Caveats: one process at a time saves to a folder. A reader in another
// process may find that the checkpoint it was reading has been removed by
// Retain; it gets ErrMissing and may ask for the latest one again.
package checkpoints
