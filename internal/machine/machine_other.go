//go:build !linux

package machine

import (
	"errors"
	"os"
	"runtime"
	"runtime/metrics"
)

// UsageOf returns what a process uses. It is an error if it is another than this one.
func UsageOf(pid int) (Usage, error) {
	if pid != os.Getpid() {
		return Usage{}, errors.ErrUnsupported
	}
	sample := []metrics.Sample{
		{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"},
	}
	metrics.Read(sample)
	u := Usage{CPU: CPUTime()}
	if sample[0].Value.Kind() == metrics.KindUint64 &&
		sample[1].Value.Kind() == metrics.KindUint64 {
		u.Resident = sample[0].Value.Uint64() - sample[1].Value.Uint64()
	}
	return u, nil
}

// Processor returns the model of the machine's processors as the system names it, "" where it does
// not.
func Processor() string { return "" }

// Has returns what this machine has.
func Has() Resources { return Resources{Cores: runtime.NumCPU()} }

// Bind does nothing.
func Bind([]int) error { return nil }

// AdviseHugePages does nothing here.
func AdviseHugePages[T any]([]T) {}
