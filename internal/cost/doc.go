// Package cost measures what a function allocates and how long it takes. Tests hold with it what a file of n bytes
// may cost, whatever it holds:
//
//	cost.Check(t, "nested lists", len(text), func() { Parse(text) })
package cost
