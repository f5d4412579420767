// Package evaluation measures the networks of a run against UCT, against the network that was
// evaluated before, and against an anchor of the game's anchor ladder, and estimates their ratings.
//
//	series, err := evaluation.Open(evaluation.Options{...}, iteration)
//	putOff := series.Due(ctx, evaluation.Network{Iteration: 10, Weights: weights})
//	series.Last(ctx, last)
//	series.Close()
//
// A [Series] has files of its own, and its results do not affect the run. Evaluations are
// concurrent with the run, or between its iterations, where they take at most a tenth of the time.
package evaluation
