// Package trainer runs the training cycle: self-play, training on the replay window, a
// checkpoint, and at intervals an evaluation against UCT and earlier networks.
//
//	plan, err := trainer.NewPlan(&config)
//	err = trainer.Run(ctx, trainer.Options{
//		Plan: plan, Folder: "runs/first", Now: time.Now, Log: slog.Default(),
//		Monitor: new(trainer.Monitor), Metrics: metrics.New(nil),
//	})
//
// A [Plan] is a checked configuration and what it means for its game. [Run] trains in a
// folder (package run), and [Monitor] reports its status meanwhile. [Measure] estimates how
// long a run will take, and [MeasureSelfPlay] the speed of self-play.
//
// The cycle is synchronous, as in the multiplayer Go paper (Table 1): all games of an
// iteration are played with the weights of the iteration before. So a run depends only on
// its configuration, to the bit, and a run that was stopped and resumed ends with the same
// weights as one that was not.
//
// Evaluations do not affect the run. On machines with many processors they are concurrent
// with it.
//
// Failures never lose what was finished. If the disk is full, the run waits for space
// (diskRetrier); any other write error ends it. An update in which a number becomes NaN or
// infinite is undone, and the third in a row ends the run. On resume, damaged games of the
// window are logged and left out. The clock may be set back.
//
// In the files, types and helpers are at the bottom, the parts of the cycle above them
// (updater, evaluations, gameWriter), then the runner that connects them, and run.go at
// the top.
package trainer
