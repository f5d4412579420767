package machine

import (
	"slices"
	"testing"
	"testing/fstest"
)

// nodes has two nodes with cores, one of memory alone, and four devices.
func nodes() fstest.MapFS {
	m := fstest.MapFS{}
	for name, text := range map[string]string{
		"devices/system/node/node0/cpulist":            "0-3,8-11\n",
		"devices/system/node/node1/cpulist":            "4-7,12-15\n",
		"devices/system/node/node2/cpulist":            "\n",
		"devices/system/node/online":                   "0-2\n",
		"bus/pci/devices/0000:3b:00.0/numa_node":       "0\n",
		"bus/pci/devices/0000:af:00.0/numa_node":       "1\n",
		"bus/pci/devices/0000:b0:00.0/numa_node":       "-1\n",
		"bus/pci/devices/0000:b1:00.0/numa_node":       "9\n",
		"bus/pci/devices/0000:b2:00.0/numa_node":       "what",
		"bus/pci/devices/0000:3b:00.0/other/numa_node": "1\n",
	} {
		m[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return m
}

func TestNear(t *testing.T) {
	topology := ReadNodes(nodes())
	for pci, want := range map[string][]int{
		"0000:3b:00.0": {0, 1, 2, 3, 8, 9, 10, 11}, "0000:AF:00.0": {4, 5, 6, 7, 12, 13, 14, 15},
		"0000:b0:00.0": nil, "0000:b1:00.0": nil, "0000:b2:00.0": nil, "0000:00:00.0": nil, "": nil,
		"..": nil, "0000:3b:00.0/other": nil,
	} {
		if got := topology.Near(pci); !slices.Equal(got, want) {
			t.Errorf("near %q are %v, want %v", pci, got, want)
		}
	}
	one := nodes()
	delete(one, "devices/system/node/node1/cpulist")
	for what, x := range map[string]*Nodes{
		"one node": ReadNodes(one), "no /sys": ReadNodes(fstest.MapFS{}), "nothing": nil,
	} {
		if got := x.Near("0000:3b:00.0"); got != nil {
			t.Errorf("%s: near are %v", what, got)
		}
	}
}

func TestParseCores(t *testing.T) {
	for list, want := range map[string][]int{"5": {5}, "2-4,3,0": {0, 2, 3, 4}, "\n": nil} {
		if got, err := parseCores(list); err != nil || !slices.Equal(got, want) {
			t.Errorf("%q is %v, %v, want %v", list, got, err, want)
		}
	}
	for _, list := range []string{"x", "3-", "4-2", "-1", "0-999999999999", "0-70000"} {
		if got, err := parseCores(list); err == nil {
			t.Errorf("%q is %v", list, got)
		}
	}
}

func TestPlaces(t *testing.T) {
	var p Places
	for i, c := range []struct {
		cores []int
		want  bool
	}{
		{nil, false}, {[]int{0, 1}, true}, {[]int{2}, true}, {[]int{0, 1}, true},
		{[]int{0, 1}, false}, {[]int{2}, false},
	} {
		if got := p.Take(c.cores); got != c.want {
			t.Errorf("place %d on %v: %v, want %v", i, c.cores, got, c.want)
		}
	}
}

// TestPrefetch: memory may begin and end anywhere, and stays as it is.
func TestPrefetch(t *testing.T) {
	x := make([]byte, 1000)
	for i := range x {
		x[i] = byte(i)
	}
	want := slices.Clone(x)
	if n := testing.AllocsPerRun(1, func() {
		for from := range 130 {
			for to := from; to <= len(x); to += 37 {
				Prefetch(x[from:to])
			}
		}
	}); n != 0 || !slices.Equal(x, want) {
		t.Errorf("%v allocations, equal: %v", n, slices.Equal(x, want))
	}
}
