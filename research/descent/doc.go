// Package descent compares what Descent can learn from, and its search in self-play, by training
// small networks under conditions that differ in one thing and having them play each other.
//
//	a := descent.Ablation{Dir: "runs/descent-ablation", Minutes: 2, Seeds: 3, Games: 40, Opening: 4, Search: 30, Seed: 1}
//	result, err := a.Run(ctx, log, progress)
//	err = result.WriteMarkdown(w, command, machine)
//
// Each run trains for the same wall-clock time: run nothing else beside it.
package descent
