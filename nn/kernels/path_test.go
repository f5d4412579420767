package kernels

import (
	"strings"
	"testing"
	"time"
)

func TestFind(t *testing.T) {
	for _, p := range Paths() {
		if got, err := Find(p.String()); got != p || err != nil {
			t.Errorf("%s: found %v, %v", p, got, err)
		}
	}
	if got, err := Find(""); got != Paths()[0] || err != nil {
		t.Errorf("without a name: found %v, %v; want %v", got, err, Paths()[0])
	}
	if _, err := Find("sse"); err == nil || !strings.Contains(err.Error(), `"sse"`) ||
		!strings.Contains(err.Error(), "portable") {
		t.Errorf("error %v; want one that names sse and what there is", err)
	}
}

func TestFindSaysWhatIsMissing(t *testing.T) {
	defer func(a []*Path) { assembly = a }(assembly)
	assembly = []*Path{{name: "avx512", missing: []string{"AVX512F", "FMA"}}}
	if _, err := Find("avx512"); err == nil ||
		!strings.Contains(err.Error(), "no AVX512F, no FMA") {
		t.Errorf("error %v; want one that names AVX512F and FMA", err)
	}
	if _, err := Find("avx2"); err == nil || !strings.Contains(err.Error(), "amd64") {
		t.Errorf("error %v; want one that names amd64", err)
	}
	if _, err := Find("neon"); err == nil || !strings.Contains(err.Error(), "arm64") {
		t.Errorf("error %v; want one that names arm64", err)
	}
	if got, err := Find(""); got != Portable || err != nil {
		t.Errorf("without a name: found %v, %v; want the portable path", got, err)
	}
}

func TestSelectedFollowsTheEnvironment(t *testing.T) {
	got, err := Select()
	if err != nil || got != Selected() {
		t.Fatalf("%v, %v", got, err)
	}
}

// TestPeak checks that the measured peak is plausible for a processor.
func TestPeak(t *testing.T) {
	eachPath(t, func(t *testing.T, p *Path) {
		f := p.PeakFLOPS(time.Millisecond)
		for range 99 { // a loaded machine may stop one measurement, not all
			if f > 1e7 {
				break
			}
			f = p.PeakFLOPS(time.Millisecond)
		}
		if !(f > 1e7 && f < 1e13) {
			t.Errorf("%g operations a second", f)
		}
	})
}

func TestLayoutOfBoards(t *testing.T) {
	for _, c := range []struct {
		height, width    int
		cells, transform int // transform: cells of the transform's board, or 0 without one
	}{
		{5, 5, 25, 25}, {3, 3, 9, 9}, {2, 3, 6, 9}, {4, 4, 16, 25}, {3, 5, 15, 25}, {6, 7, 42, 42},
		{7, 6, 42, 49}, {9, 9, 81, 81}, {8, 8, 64, 81},
		{1, 1, 1, 0}, {2, 2, 4, 0}, {1, 9, 9, 0}, {10, 5, 50, 50}, {9, 5, 45, 50}, {5, 10, 50, 121},
		{10, 10, 100, 121}, {11, 11, 121, 121}, {13, 13, 169, 225}, {15, 15, 225, 225},
		{19, 19, 361, 361}, {20, 20, 400, 0},
	} {
		eachPath(t, func(t *testing.T, p *Path) {
			b := NewBoard(p, c.height, c.width)
			if b.Cells() != c.cells || b.Direct() != (c.transform == 0) ||
				!b.Direct() && b.cells != c.transform {
				t.Errorf("%d×%d: %d cells laid out as %d, direct %v; want %d in %d",
					c.height, c.width, b.Cells(), b.cells, b.Direct(), c.cells, c.transform)
			}
		})
	}
}

func TestSplit(t *testing.T) {
	for n := 1; n <= ChunkRows; n++ {
		groups, rows := split(n)
		last := n - (groups-1)*rows
		if groups > chunk || rows > groupRows || last < 1 || last > rows {
			t.Errorf("%d rows: %d groups of %d, the last of %d", n, groups, rows, last)
		}
	}
}
