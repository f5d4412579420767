// Package race tells whether the program is built with the race detector, under which it allocates more: values escape, and a sync.Pool drops some of
// what it is given.
package race

// Enabled reports whether the program is built with -race.
const Enabled = enabled
