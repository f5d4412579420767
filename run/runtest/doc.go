// Package runtest makes folders of runs for tests of what reads them. It has a clock that a test
// moves, a game that nothing draws, and requests to handlers besides.
//
//	dir := runtest.MakeRun(t, runtest.Run{Game: "tictactoe", Iterations: 1, Games: 2})
//	w := runtest.Request(handler, "GET", "/api/v1/run", "")
//
// [Small] writes every file that a run has, in a few milliseconds and always the same:
//
//	t.Chdir(t.TempDir())
//	runtest.Small(t, "run")
//	report, err := inspect.Look(t.Context(), "run", inspect.Options{})
//
// [Grow] makes a long run of a short one that was trained, to measure what depends on the length.
package runtest
