package trainer

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"tengen/nn"
)

// Fits returns an error if a network and what training needs for each of its parameters, with
// batches of so many positions, can't be in the machine's memory: the process would end in the
// middle of it, without a word that helps.
func Fits(s *nn.Spec, batch int) error {
	have := machineMemory()
	if have <= 0 {
		have = 1 << 40 // unknown: what no machine has that trains
	}
	count := s.Count()
	need := 4 * 4 * count // weights, gradient and two moments
	need += float64(batch) * float64(s.Cells()) * float64(s.Filters) * 4 * float64(2*s.Blocks+2)
	if need <= have {
		return nil
	}
	return fmt.Errorf("network.blocks=%d, network.filters=%d, network.hidden=%d, training.batch=%d: a network of %.3g parameters, to train which takes %.0f GiB or more; this machine has %.0f GiB",
		s.Blocks, s.Filters, s.Hidden, batch, count, need/(1<<30), have/(1<<30))
}

// machineMemory returns the bytes of memory that this process may use at most, 0 where that is not
// known. Tests replace it.
var machineMemory = func() (bytes float64) {
	info, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(info)) {
		if fields := strings.Fields(line); len(fields) > 1 && fields[0] == "MemTotal:" {
			kib, _ := strconv.ParseFloat(fields[1], 64) // else 0, unknown
			bytes = 1024 * kib
		}
	}
	for _, path := range []string{
		"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes",
	} {
		text, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		if limit, err := strconv.ParseFloat(strings.TrimSpace(string(text)), 64); err == nil &&
			limit > 0 && limit < bytes {
			bytes = limit
		}
	}
	return bytes
}
