// Package plot draws a run over the games that it has played.
//
//	err := plot.Learning(run.Folder("runs/first").On(nil), game)
//
// [Learning] writes eval/learning.svg: points by seat against UCT, ratings and losses.
//
// Caveats: of a long run at most 300 iterations and 300 evaluations are drawn. A picture
// of several runs is package compare's.
package plot
