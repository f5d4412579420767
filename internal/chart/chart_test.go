package chart

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"
)

// No label stands twice on an axis, however narrow its range, and all stand on it.
func TestTicksDiffer(t *testing.T) {
	for _, r := range [][2]float64{
		{0, 1}, {0, 12e6}, {1e6, 1e6 + 3}, {0.123456, 0.1234565}, {-1e-9, 1e-9}, {1e15, 1e15 + 8},
		{-math.MaxFloat64, math.MaxFloat64},
		{7, 7}, {1e300, 1e300}, {math.Inf(1), math.Inf(-1)}, {0, math.Inf(1)},
	} {
		a := Axis{Min: r[0], Max: r[1]}
		seen := map[string]bool{}
		for _, tick := range a.ticks() {
			if at := a.at(tick.Value); seen[tick.Label] || !(at >= -1e-9 && at <= 1+1e-9) {
				t.Errorf("from %g to %g: %s stands twice, or at %g", r[0], r[1], tick.Label, at)
			}
			seen[tick.Label] = true
		}
		if len(seen) < 3 || len(seen) > 2*most {
			t.Errorf("from %g to %g: %d labels", r[0], r[1], len(seen))
		}
	}
	a := Axis{Min: 1, Max: 1e12, Log: true}
	if list := a.ticks(); len(list) != 13 || list[3] != (Tick{1000, "1000"}) || a.at(1e6) != 0.5 {
		t.Errorf("%v, a million at %g", list, a.at(1e6))
	}
}

// Neighbouring intervals are an area, one that stands alone is a line, and one without a bound a
// gap.
func TestBand(t *testing.T) {
	inf := math.Inf(1)
	low := []Point{{0, 1}, {1, 1}, {2, -inf}, {3, 2}, {4, math.NaN()}, {5, 1}, {6, 1}, {7, 1}}
	high := []Point{{0, 2}, {1, 2}, {2, 3}, {3, 3}, {4, math.NaN()}, {5, 2}, {6, 2}, {7, inf}}
	p := New("")
	p.Band(low, high, "red")
	if len(p.items) != 3 || !p.items[0].area || p.items[1].area || !p.items[2].area {
		t.Fatalf("%+v", p.items)
	}
	if line := p.items[1].points; len(line) != 2 || line[0] != low[3] || line[1] != high[3] {
		t.Errorf("%v", line)
	}
	if p.X.Min != 0 || p.X.Max != 6 || p.Y.Min != 1 || p.Y.Max != 3 {
		t.Errorf("axes %+v, %+v", p.X, p.Y)
	}
}

// sheet has all that can be drawn.
func sheet(name string, points []Point) *Sheet {
	p, q, r := New(name), New("log"), New("cells")
	for m := range Marks {
		p.Line(fmt.Sprint(name, int(m)), points, Style{Color: Colors[m], Mark: m, Dash: "4 4"})
	}
	p.Band(points, points, "blue")
	p.X.Label, p.Y.Label = name, name
	q.Y.Log = true
	q.Line("", points, Style{NoLine: true, Mark: Dot})
	r.Bare = true
	r.X.Ticks = []Tick{{0.5, name}}
	r.Cell(Point{0, 0}, Point{1, 1}, "#123456", name, "white")
	return &Sheet{
		Width: 600, RowHeight: 200, Key: []Entry{{name, Style{}}, {name, Style{}}},
		Rows: [][]*Panel{{p, q}, {r}},
	}
}

// TestSVG: a picture has the names and as many marks as points, each where the axes say; drawn
// again it is the same.
func TestSVG(t *testing.T) {
	s := sheet("a <b> & c", []Point{{0, 1}, {1, 10}, {2, 100}})
	svg := s.SVG()
	check(t, svg)
	for text, want := range map[string]int{
		">a &lt;b&gt; &amp; c<": 1 + 2 + 2 + 1 + 1, "stroke-dasharray": 2 * int(Marks), ">100<": 2,
		"fill=\"#123456\"": 1,
	} {
		if n := strings.Count(string(svg), text); n != want {
			t.Errorf("%d times %s, want %d", n, text, want)
		}
	}
	if !bytes.Equal(svg, sheet("a <b> & c", []Point{{0, 1}, {1, 10}, {2, 100}}).SVG()) {
		t.Error("drawn again it is another")
	}
	p := New("")
	p.Line("", []Point{{0, 0}, {10, 5}}, Style{})
	one := (&Sheet{Width: 100, RowHeight: 100, Rows: [][]*Panel{{p}}}).SVG()
	// The axis begins after the widest label and ends at 80.
	left := margin/2 + width("5") + tickGap
	if want := fmt.Sprintf(`<path d="M%s %sL%s %s"`, num(left), num(110-line-margin), num(80),
		num(margin+line+4)); !strings.Contains(string(one), want) {
		t.Errorf("no %s in %s", want, one)
	}
}

// check fails unless svg is well-formed.
func check(t *testing.T, svg []byte) {
	t.Helper()
	d := xml.NewDecoder(bytes.NewReader(svg))
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatalf("%v in %s", err, svg)
		}
	}
}

// FuzzSVG draws any numbers and names.
func FuzzSVG(f *testing.F) {
	f.Add("x", 0.0, 1.0, math.Inf(1), math.NaN())
	f.Add("\xff\x00<", -math.MaxFloat64, math.MaxFloat64, 5e-324, math.Copysign(0, -1))
	f.Fuzz(func(t *testing.T, name string, a, b, c, d float64) {
		svg := sheet(name, []Point{{a, b}, {c, d}, {b, c}}).SVG()
		check(t, svg)
		if bytes.Contains(svg, []byte("NaN")) || bytes.Contains(svg, []byte("Inf")) {
			if !strings.Contains(name, "NaN") && !strings.Contains(name, "Inf") {
				t.Errorf("a number is not finite: %s", svg)
			}
		}
	})
}
