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
// An iteration takes games, updates the network (package learn), saves a checkpoint, and reports.
// The games come from one source, whose lag tells the cycles apart. In the synchronous cycle it is
// 0, as in the multiplayer Go paper (Table 1): all games of an iteration are played with the
// weights of the iteration before. In the pipelined cycle it is 1: they are played while the
// network learns from those before. In these two a run depends only on its configuration, to the
// bit, and a run that was stopped and resumed ends with the same weights as one that was not. In
// the asynchronous cycle the lag has no bound, and games never stop.
//
// Evaluations (package evaluation) do not affect the run. On machines with many processors they
// are concurrent with it.
//
// Failures never lose what was finished. If the disk is full, the run waits for space
// (diskRetrier); any other write error ends it. An update in which a number becomes NaN or
// infinite is undone, and the third in a row ends the run. On resume, damaged games of the
// window are logged and left out. The clock may be set back.
//
// run.go is at the top, with iteration.go and source.go below it; open.go creates or restores a
// run, and report.go and forecast.go only tell of it.
package trainer
