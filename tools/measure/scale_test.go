//go:build linux

package main

import (
	"math"
	"os"
	"path/filepath"
	"testing"
)

// TestSlope: exponents are those of powers.
func TestSlope(t *testing.T) {
	r := &scaleReport{Sizes: []size{{10, 2}, {100, 20}, {1000, 100}}}
	for _, s := range r.Sizes {
		n := float64(s.Iterations)
		r.add("a", "iterations", cost{n * n, 100})
		r.add("b", "games", cost{5, 3 * float64(s.Games)})
	}
	r.fit()
	for i, want := range [][2]float64{{2, 0}, {0, 1}} {
		p := r.Parts[i]
		if math.Abs(p.Exponent-want[0]) > 1e-9 || math.Abs(p.Memory-want[1]) > 1e-9 {
			t.Errorf("%s: exponents %v, %v, want %v", p.Name, p.Exponent, p.Memory, want)
		}
	}
	if got := slope([]float64{1}, []float64{2}); got != 0 {
		t.Errorf("one point has the slope %v", got)
	}
}

func TestSizes(t *testing.T) {
	list, err := parseSizes("2000:12500,3:4")
	if err != nil || len(list) != 2 || list[0] != (size{2000, 12_500}) || list[1] != (size{3, 4}) {
		t.Errorf("%v, %v", list, err)
	}
	for _, text := range []string{"", "1", "1:", "0:1", "1:0", "1:2,"} {
		if _, err := parseSizes(text); err == nil {
			t.Errorf("%q is taken", text)
		}
	}
}

// TestFollower: each iteration of a log is counted once, when its line is complete.
func TestFollower(t *testing.T) {
	f := &follower{path: filepath.Join(t.TempDir(), "events.jsonl"), offset: 3}
	text := "..\n"
	for _, x := range []struct {
		more string
		want int
	}{
		{"", 0}, {`{"event":"iteration"}` + "\n" + `{"event":"warn`, 1}, {`ing"}`, 0},
		{"\n" + `{"event":"iteration"}` + "\n" + `{"event":"iteration"}` + "\n", 2},
	} {
		text += x.more
		if err := os.WriteFile(f.path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if n, err := f.iterations(); n != x.want || err != nil {
			t.Errorf("after %q: %d iterations, want %d; %v", x.more, n, x.want, err)
		}
	}
}
