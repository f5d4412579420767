//go:build !linux

package usage

import (
	"errors"
	"os"
	"runtime"
	"runtime/metrics"

	"tengen/internal/cputime"
)

// Of returns what a process uses. It is an error if it is another than this one.
func Of(pid int) (Usage, error) {
	if pid != os.Getpid() {
		return Usage{}, errors.ErrUnsupported
	}
	sample := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(sample)
	u := Usage{CPU: cputime.Used()}
	if sample[0].Value.Kind() == metrics.KindUint64 && sample[1].Value.Kind() == metrics.KindUint64 {
		u.Resident = sample[0].Value.Uint64() - sample[1].Value.Uint64()
	}
	return u, nil
}

// Processor returns the model of the machine's processors as the system names it, "" where it does not.
func Processor() string { return "" }

// OfMachine returns what this machine has.
func OfMachine() Machine { return Machine{Cores: runtime.NumCPU()} }
