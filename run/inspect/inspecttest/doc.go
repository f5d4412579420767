// Package inspecttest creates a small run for tests: a tic-tac-toe network and every file
// that a run has, written in a few milliseconds without training.
//
//	t.Chdir(t.TempDir())
//	inspecttest.Run(t, "run")
//	report, err := inspect.Look(t.Context(), "run", inspect.Options{})
//
// The run is always the same.
package inspecttest
