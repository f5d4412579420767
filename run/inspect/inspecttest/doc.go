// Package inspecttest makes what package inspect looks at: a small run of a
// tic-tac-toe network, made by hand in a few milliseconds, with every file that a
// run has.
//
//	t.Chdir(t.TempDir())
//	inspecttest.Run(t, "run")
//	report, err := inspect.Look(t.Context(), "run", inspect.Options{})
//
// Everything in it is the same each time. It is for tests of inspect and of the
// command that prints what was found.
package inspecttest
