//go:build !race

package cost

// overhead multiplies what may be allocated: nothing without the race detector.
const overhead = 1
