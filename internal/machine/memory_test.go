package machine

import (
	"math"
	"runtime/debug"
	"testing"
	"testing/fstest"
)

// files is a file system with the given contents.
func files(list map[string]string) fstest.MapFS {
	m := fstest.MapFS{}
	for name, text := range list {
		m[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return m
}

const (
	meminfo = "MemTotal:       16384 kB\nMemFree:         100 kB\nMemAvailable:    8192 kB\n"
	mib     = 1 << 20
)

// TestReadMemory: the least limit of the machine and of the groups around the process holds.
func TestReadMemory(t *testing.T) {
	for name, c := range map[string]struct {
		files map[string]string
		want  Memory
	}{
		"nothing": {nil, Memory{}},
		"no group": {
			map[string]string{"proc/meminfo": meminfo}, Memory{16 * mib, 8 * mib, false},
		},
		"unlimited": {map[string]string{
			"proc/meminfo": meminfo, "proc/self/cgroup": "0::/a\n",
			"sys/fs/cgroup/a/memory.max": "max\n", "sys/fs/cgroup/a/memory.high": "max\n",
			"sys/fs/cgroup/a/memory.current": "4194304\n",
		}, Memory{16 * mib, 8 * mib, false}},
		"version 2": {map[string]string{
			"proc/meminfo": meminfo, "proc/self/cgroup": "0::/a/b\n",
			"sys/fs/cgroup/a/b/memory.max":     "max\n",
			"sys/fs/cgroup/a/memory.max":       "10485760\n",
			"sys/fs/cgroup/a/memory.current":   "7340032\n",
			"sys/fs/cgroup/a/memory.stat":      "anon 5242880\ninactive_file 2097152\n",
			"sys/fs/cgroup/a/b/memory.current": "1048576\n",
		}, Memory{10 * mib, 5 * mib, true}},
		"version 2, slowed down": {map[string]string{
			"proc/meminfo": meminfo, "proc/self/cgroup": "0::/\n",
			"sys/fs/cgroup/memory.max": "10485760\n", "sys/fs/cgroup/memory.high": "9437184\n",
			"sys/fs/cgroup/memory.current": "0\n",
		}, Memory{9 * mib, 8 * mib, true}},
		"version 1": {map[string]string{
			"proc/meminfo":     meminfo,
			"proc/self/cgroup": "9:cpu,cpuacct:/c\n4:hugetlb,memory:/docker/x\n0::/\n",
			"sys/fs/cgroup/memory/docker/x/memory.limit_in_bytes": "9223372036854771712\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes":          "5242880\n",
			"sys/fs/cgroup/memory/memory.usage_in_bytes":          "3145728\n",
			"sys/fs/cgroup/memory/memory.stat":                    "total_inactive_file 1048576\n",
			"sys/fs/cgroup/c/memory.max":                          "1\n",
		}, Memory{5 * mib, 3 * mib, true}},
		"full": {map[string]string{
			"proc/meminfo": meminfo, "proc/self/cgroup": "0::/\n",
			"sys/fs/cgroup/memory.max": "1048576\n", "sys/fs/cgroup/memory.current": "2097152\n",
		}, Memory{mib, 0, true}},
		"beyond the root": {map[string]string{
			"proc/meminfo": meminfo, "proc/self/cgroup": "0::/../../up\n",
			"sys/fs/cgroup/memory.max": "2097152\n",
		}, Memory{2 * mib, 2 * mib, true}},
		"damaged": {map[string]string{
			"proc/meminfo": "MemTotal: much\nMemAvailable:\n", "proc/self/cgroup": "x\n\n:memory\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes": "-5\n",
		}, Memory{}},
	} {
		if got := ReadMemory(files(c.files)); got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}

// TestCollect: the limit is nine tenths of the memory less what lies outside the heap, and what the
// environment says stays.
func TestCollect(t *testing.T) {
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(-1))
	defer debug.SetGCPercent(debug.SetGCPercent(100))
	const gib = 1 << 30
	for _, c := range []struct {
		m             Memory
		outside, live uint64
		environment   map[string]string
		want          Collector
	}{
		{Memory{}, 5 * gib, gib, nil, Collector{0, 100}},
		{Memory{Total: 10 * gib}, 4 * gib, gib, nil, Collector{5 * gib, 100}},
		{Memory{Total: 10 * gib}, 7 * gib, gib, nil, Collector{2 * gib, 50}},
		{Memory{Total: 10 * gib}, 7 * gib, 4 * gib / 3, nil, Collector{2 * gib, 25}},
		// Others have half of it.
		{Memory{10 * gib, 5 * gib, true}, gib, gib / 2, nil, Collector{3.5 * gib, 100}},
		// They have nearly all of it.
		{Memory{10 * gib, gib, false}, gib, 2 * gib, nil, Collector{4 * gib, 50}},
		// The run can't fit.
		{Memory{10 * gib, 9 * gib, false}, 20 * gib, gib, nil, Collector{leastLimit, 25}},
		{Memory{Total: 10 * gib}, 4 * gib, gib, map[string]string{"GOMEMLIMIT": "7GiB"},
			Collector{7 * gib, 100}},
		{Memory{Total: 10 * gib}, 4 * gib, gib, map[string]string{"GOGC": "30"},
			Collector{5 * gib, 30}},
		{Memory{Total: 10 * gib}, 4 * gib, gib,
			map[string]string{"GOGC": "off", "GOMEMLIMIT": "off"}, Collector{0, -1}},
	} {
		// as the runtime does at the start
		debug.SetMemoryLimit(map[string]int64{"7GiB": 7 * gib}[c.environment["GOMEMLIMIT"]])
		if c.environment["GOMEMLIMIT"] != "7GiB" {
			debug.SetMemoryLimit(math.MaxInt64)
		}
		debug.SetGCPercent(map[string]int{"": 100, "30": 30, "off": -1}[c.environment["GOGC"]])
		got := Collect(c.m, c.outside, c.live, func(key string) string {
			return c.environment[key]
		})
		const rounding = 16 // of tenths
		if got.Percent != c.want.Percent || got.Limit+rounding < c.want.Limit ||
			got.Limit > c.want.Limit+rounding {
			t.Errorf("%+v, %d outside, %d live, %v: %+v, want %+v",
				c.m, c.outside, c.live, c.environment, got, c.want)
		}
	}
}
