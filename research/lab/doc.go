// Package lab compares ways to train: arms × seeds, trained to equal network evaluations (or
// minutes), whose networks play each other. `tengen-lab lab FILE.yaml` runs it; docs/lab.md
// describes the file.
//
//	f, err := lab.Read("research/labs/go5.yaml")
//	l, err := lab.New(f, research.Device{})
//	result, err := l.Run(ctx, lab.Options{Dir: "runs/lab/gumbel", Cores: 2, Log: log})
//
// A [File] names arms: configurations, and what differs. Run trains a run for each arm and seed,
// in a folder of its own (package trainer), and plays each network of an arm against each of the
// first arm's in all seatings (package arena). Both keep all they have done: a later call goes on
// after an interruption at any point, and does only what is missing. A [Result] has each arm's
// difference in Elo to the first with an interval over seeds ([Difference]); it is a part of a
// page.
//
// # Caveats
//
// An arm whose configuration has changed since its run is trained anew in another folder
// (ARM-SEED.2); if the file is changed back, the old run is found again. Keys that don't change the
// network or its measurement (selfplay, checkpoints, metrics) may change in between.
//
// With many arms, one in twenty has an interval that leaves out 0 by chance.
package lab
