//go:build race

package cost

// overhead multiplies what may be allocated: the race detector allocates too, and hinders the compiler from keeping values on the stack.
const overhead = 2
