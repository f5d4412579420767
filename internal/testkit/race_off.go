//go:build !race

package testkit

// Race reports whether the program is built with the race detector, under which it allocates more:
// values escape, and a sync.Pool drops some of what it is given.
const Race = false
