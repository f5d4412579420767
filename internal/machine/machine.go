package machine

import (
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Nodes are a machine's NUMA nodes.
type Nodes struct {
	sys   fs.FS
	nodes map[int][]int // cores by node
}

// ReadNodes reads the nodes under a /sys. What can't be read is unknown: Near then returns nil.
func ReadNodes(sys fs.FS) *Nodes {
	t := &Nodes{sys: sys, nodes: map[int][]int{}}
	folders, _ := fs.Glob(sys, "devices/system/node/node[0-9]*")
	for _, folder := range folders {
		n, err := strconv.Atoi(strings.TrimPrefix(folder, "devices/system/node/node"))
		if err != nil {
			continue
		}
		text, err := fs.ReadFile(sys, folder+"/cpulist")
		if err != nil {
			continue
		}
		if cores, err := parseCores(string(text)); err == nil && len(cores) > 0 {
			t.nodes[n] = cores
		}
	}
	return t
}

// Near returns the cores near a PCI device, such as "0000:3b:00.0", in ascending order. It returns
// nil if all cores are as near, or if nothing is known.
func (t *Nodes) Near(pci string) []int {
	pci = strings.ToLower(pci)
	if t == nil || len(t.nodes) < 2 || !fs.ValidPath(pci) || strings.Contains(pci, "/") {
		return nil
	}
	text, err := fs.ReadFile(t.sys, "bus/pci/devices/"+pci+"/numa_node")
	if err != nil {
		return nil
	}
	n, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		return nil // -1 is a node that the firmware does not tell
	}
	return slices.Clone(t.nodes[n])
}

// mostCores bounds the numbers of a list.
const mostCores = 1 << 16

// parseCores parses a list of cores: "0-3,8,10-11".
func parseCores(list string) ([]int, error) {
	var cores []int
	for _, part := range strings.Split(strings.TrimSpace(list), ",") {
		if part == "" {
			continue // a node of memory alone
		}
		low, high, isRange := strings.Cut(part, "-")
		from, err := strconv.Atoi(low)
		to := from
		if err == nil && isRange {
			to, err = strconv.Atoi(high)
		}
		if err != nil || from < 0 || to < from || to >= mostCores {
			return nil, fmt.Errorf("%q is no list of cores", list)
		}
		for c := from; c <= to; c++ {
			cores = append(cores, c)
		}
	}
	slices.Sort(cores)
	return slices.Compact(cores), nil
}

// Places counts how many threads are bound to the cores of each node, so that no node gets more
// than it has cores. The zero value is ready for use, from any goroutine.
type Places struct {
	mu    sync.Mutex
	taken map[string]int
}

// Take takes a place on one of the cores, if there is one left.
func (p *Places) Take(cores []int) bool {
	if len(cores) == 0 {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	key := fmt.Sprint(cores)
	if p.taken[key] == len(cores) {
		return false
	}
	if p.taken == nil {
		p.taken = map[string]int{}
	}
	p.taken[key]++
	return true
}

// Usage is what a process has used, or uses at the moment. What is unknown is 0.
type Usage struct {
	CPU      time.Duration // processor time so far, of all cores
	Resident uint64        // bytes of memory
}

// Resources are what the machine has. What is unknown is 0.
type Resources struct {
	Cores     int
	Memory    uint64  // bytes
	Available uint64  // bytes that programs can still have
	Load      float64 // processes that ran or waited to run, the mean over a minute
}
