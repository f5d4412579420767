// Package turtlerace repeats the experiments of Przybylski and Król, "Mastering Strategies in a
// Board Game of Imperfect Information for Different Search Techniques" (2017), on the Great Turtle
// Race.
//
// [Experiments.Table] plays one of the paper's six tables, [Experiments.Beyond] matches that the
// paper does not have. [Layout] is their page. It compares tables cell by cell: a cell is marked
// where the test of two shares, with both numbers of games, says that chance does not explain the
// difference.
//
//	e := turtlerace.Experiments{Games: 1000, Seed: 1, Simulations: 1000}
//	table, err := e.Table(ctx, 1, false, research.Made{Command: "…", Machine: "…", Seed: 1})
//
// Matches at measured time depend on the machine and on what else runs on it.
package turtlerace
