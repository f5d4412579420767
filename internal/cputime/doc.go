// Package cputime tells how much processor time the process has had:
//
//	began := cputime.Used()
//	work()
//	took := cputime.Used() - began
//
// Other programs have little influence on it, unlike on the clock. It counts all goroutines. Where the system does not tell,
// as on Windows, it is 0.
package cputime
