package driver

import (
	"slices"
	"strings"
	"testing"
)

func TestArchitecture(t *testing.T) {
	cuda11, cuda12, cuda13 := []int{52, 70, 80, 86, 89, 90}, []int{70, 80, 90, 100, 101, 120},
		[]int{75, 90, 100, 103, 120}
	for _, c := range []struct {
		capability int
		supported  []int
		version    int
		want       string
		ptx        bool
	}{
		{90, cuda12, 12080, "sm_90a", false},
		{90, cuda11, 11080, "sm_90", false},
		{90, []int{70, 80}, 11040, "compute_80", true},
		{80, cuda12, 12080, "sm_80", false},
		{75, cuda13, 13000, "sm_75", false},
		{75, cuda12, 12080, "compute_70", true},
		{86, cuda12, 12080, "compute_80", true},
		{103, cuda12, 12080, "compute_100", true},
		{101, cuda12, 12080, "sm_101", false},
		{110, cuda12, 12080, "compute_100", true},
		{103, cuda13, 13000, "sm_103", false},
		{121, cuda13, 13000, "compute_120", true},
	} {
		got, ptx, err := architecture(c.capability, c.supported, c.version)
		if got != c.want || ptx != c.ptx || err != nil {
			t.Errorf("capability %d, CUDA %d: %s, %v, %v; want %s, %v",
				c.capability, c.version, got, ptx, err, c.want, c.ptx)
		}
	}
	if _, _, err := architecture(70, cuda13, 13000); err == nil ||
		!strings.Contains(err.Error(), "NVRTC 13.0 can't compile for compute capability 7.0") {
		t.Errorf("a device that the compiler no longer supports: error %v", err)
	}
}

func TestOptions(t *testing.T) {
	s := Source{Precise: true, Defines: []string{"A", "B=(1 + 2)"}}
	want := []string{
		"--gpu-architecture=sm_80", "--std=c++17", "--define-macro=A", "--define-macro=B=(1 + 2)",
	}
	if got := s.options("sm_80"); !slices.Equal(got, want) {
		t.Errorf("options %q, not %q", got, want)
	}
}

// TestKey checks that any difference changes the key, and that adjacent parts are kept apart.
func TestKey(t *testing.T) {
	base := func() Source {
		return Source{
			Name: "a", Text: "b", Headers: map[string]string{"c": "d", "e": "f"},
			Defines: []string{"G"},
		}
	}
	seen := map[string]string{}
	for name, change := range map[string]func(*Source){
		"nothing":        func(*Source) {},
		"name":           func(s *Source) { s.Name = "x" },
		"name and text":  func(s *Source) { s.Name, s.Text = "ab", "" },
		"text":           func(s *Source) { s.Text = "x" },
		"header's text":  func(s *Source) { s.Headers["c"] = "x" },
		"header's name":  func(s *Source) { delete(s.Headers, "c"); s.Headers["x"] = "d" },
		"define":         func(s *Source) { s.Defines[0] = "H" },
		"another define": func(s *Source) { s.Defines = append(s.Defines, "H") },
		"registers":      func(s *Source) { s.MaxRegisters = 5 },
		"precise":        func(s *Source) { s.Precise = true },
	} {
		s := base()
		change(&s)
		k := s.Key("arch")
		if len(k) != 64 {
			t.Errorf("key %q", k)
		}
		if other, ok := seen[k]; ok {
			t.Errorf("%s and %s have one key", name, other)
		}
		seen[k] = name
		again := base()
		change(&again)
		if again.Key("arch") != k || again.Key("other") == k {
			t.Errorf("%s: Key is not a function of exactly the source and the extra words", name)
		}
	}
}
