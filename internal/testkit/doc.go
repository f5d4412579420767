// Package testkit has what tests of several packages share. It checks that they leave no goroutine
// running, measures what a function allocates and how long it takes, and tells whether the race
// detector is on.
//
//	func TestMain(m *testing.M) { testkit.Main(m) }
//
//	testkit.CheckCost(t, "nested lists", len(text), func() { Parse(text) })
package testkit
