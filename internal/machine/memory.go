package machine

import (
	"bytes"
	"io/fs"
	"math"
	"path"
	"runtime/debug"
	"runtime/metrics"
	"strconv"
	"strings"
)

// Memory is what a process may use of the machine's memory. What is unknown is 0.
type Memory struct {
	Total     uint64 // bytes: the machine's, or the least limit of the process's control groups
	Available uint64 // bytes that it can still have
	Group     bool   // Total is the limit of a control group
}

// ReadMemory reads /proc and /sys/fs/cgroup (both versions of control groups) in a file system
// whose root is the machine's, such as os.DirFS("/"). Limits of the groups around the process's own
// hold too.
func ReadMemory(root fs.FS) Memory {
	m := Memory{Total: math.MaxUint64, Available: math.MaxUint64}
	info := readNumbers(root, "proc/meminfo")
	if n, ok := info["MemTotal:"]; ok {
		m.Total = n << 10
	}
	if n, ok := info["MemAvailable:"]; ok {
		m.Available = n << 10
	}
	for _, g := range groupsOf(root) {
		limit := uint64(math.MaxUint64)
		for _, name := range g.limits {
			if n, ok := readNumber(root, path.Join(g.folder, name)); ok {
				limit = min(limit, n)
			}
		}
		if limit < m.Total {
			m.Total, m.Group = limit, true
		}
		if used, ok := readNumber(root, path.Join(g.folder, g.used)); ok {
			// Pages of files that were not used lately are given up for others.
			used -= min(used, readNumbers(root, path.Join(g.folder, "memory.stat"))[g.cached])
			m.Available = min(m.Available, limit-min(limit, used))
		}
	}
	m.Available = min(m.Available, m.Total)
	if m.Available == math.MaxUint64 {
		m.Available = 0
	}
	if m.Total == math.MaxUint64 {
		m.Total = 0
	}
	return m
}

// group is a control group, and where it tells of memory.
type group struct {
	folder string
	limits []string // files with limits in bytes
	used   string   // file with the bytes in use
	cached string   // key of memory.stat
}

// groupsOf returns the control groups that the process is in, and all around them. A folder may be
// missing: within a container the process's own group is often the root.
func groupsOf(root fs.FS) (list []group) {
	text, err := fs.ReadFile(root, "proc/self/cgroup")
	if err != nil {
		return nil
	}
	for line := range strings.Lines(string(text)) {
		_, line, _ = strings.Cut(strings.TrimSuffix(line, "\n"), ":")
		controllers, at, ok := strings.Cut(line, ":")
		g := group{limits: []string{"memory.max", "memory.high"}, used: "memory.current",
			cached: "inactive_file"}
		mount := "sys/fs/cgroup"
		for _, c := range strings.Split(controllers, ",") {
			if c == "memory" {
				mount = "sys/fs/cgroup/memory"
				g = group{limits: []string{"memory.limit_in_bytes"},
					used: "memory.usage_in_bytes", cached: "total_inactive_file"}
			}
		}
		if !ok || controllers != "" && mount == "sys/fs/cgroup" {
			continue // a hierarchy without the memory's controller
		}
		for at = path.Clean("/" + at); ; at = path.Dir(at) {
			g.folder = path.Join(mount, at)
			list = append(list, g)
			if at == "/" {
				break
			}
		}
	}
	return list
}

// readNumber reads a file that holds a number, or "max", which is none.
func readNumber(root fs.FS, name string) (n uint64, ok bool) {
	text, err := fs.ReadFile(root, name)
	if err != nil {
		return 0, false
	}
	n, err = strconv.ParseUint(strings.TrimSpace(string(text)), 10, 64)
	return n, err == nil
}

// readNumbers reads a file whose lines begin with a key and a number.
func readNumbers(root fs.FS, name string) map[string]uint64 {
	numbers := map[string]uint64{}
	text, err := fs.ReadFile(root, name)
	if err != nil {
		return numbers
	}
	for line := range bytes.Lines(text) {
		if f := bytes.Fields(line); len(f) > 1 {
			if n, err := strconv.ParseUint(string(f[1]), 10, 53); err == nil {
				numbers[string(f[0])] = n
			}
		}
	}
	return numbers
}

// Collector is how the garbage collector works.
type Collector struct {
	// Limit is the bytes of memory, what lies outside the heap not counted, from which on it works
	// as hard as it must to stay below; 0: none.
	Limit uint64
	// Percent is the growth of what is live at which it begins otherwise; -1: never.
	Percent int
}

// leastLimit is the least limit that Collect sets, and leastPercent and mostPercent are the bounds
// of its percentage. More than mostPercent, Go's default, takes memory and saves no time: where the
// window is outside the heap, collections take less than a hundredth of it.
const (
	leastLimit   = 64 << 20
	leastPercent = 25
	mostPercent  = 100
)

// Collect has the garbage collector keep the process within nine tenths of the memory that it may
// use, of which outside bytes lie outside the heap, and live bytes will be live in it. Where the
// limit leaves little more than that, the collector begins earlier than it does by default.
// GOMEMLIMIT and GOGC, if getenv has them, stay as the runtime has taken them. It returns
// what holds now.
func Collect(m Memory, outside, live uint64, getenv func(string) string) Collector {
	limit := m.Total / 10 * 9
	if others := m.Available / 10 * 9; others > 0 {
		// Others have the rest now. They may end, so that no limit is worth to collect at less
		// than twice what is live.
		limit = min(limit, max(others, outside+2*live))
	}
	limit = max(leastLimit, limit-min(limit, outside))
	if m.Total > 0 && getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(int64(min(limit, math.MaxInt64)))
	}
	if getenv("GOGC") == "" {
		percent := uint64(mostPercent)
		if m.Total > 0 && live > 0 {
			// What is live may grow by half of what the limit leaves: the rest is for the pages of
			// files.
			percent = max(leastPercent, min(percent, 50*(limit-min(limit, live))/live))
		}
		debug.SetGCPercent(int(percent))
	}
	now := []metrics.Sample{{Name: "/gc/gomemlimit:bytes"}, {Name: "/gc/gogc:percent"}}
	metrics.Read(now)
	// Without a limit, and without a percentage, the numbers are those of math.MaxInt64 and -1.
	c := Collector{Percent: int(int32(now[1].Value.Uint64()))}
	if n := now[0].Value.Uint64(); n < math.MaxInt64 {
		c.Limit = n
	}
	return c
}
