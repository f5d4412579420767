package main

import (
	"strings"
	"testing"

	"tengen/internal/random"
)

// Every damage changes a text, and none what it is told to leave alone.
func TestDamages(t *testing.T) {
	rng := random.New(1, random.Test)
	text := []byte("first 1\nsecond 2\nthird 3\nfourth 4\n")
	for _, d := range damages {
		changed := 0
		for range 20 {
			if got, ok := d.do(rng, []byte(string(text))); ok && string(got) != string(text) {
				changed++
			}
		}
		if changed == 0 {
			t.Errorf("%s changes nothing", d.name)
		}
		_, _ = d.do(rng, nil) // does not panic
	}
}

func TestCorruptReport(t *testing.T) {
	r := &corruptReport{Kinds: map[string]map[string]int{}}
	r.add(&outcome{Kind: "LOCK", Result: same, Sound: true})
	r.add(&outcome{
		Trial: 1, Kind: "LOCK", Victim: "LOCK", Damage: "cut", Result: silent,
		Message: "the network differs",
	})
	if text := r.String(); len(r.Failures) != 1 ||
		!strings.Contains(text, "| LOCK | 2 | 0 | 0 | 1 | 1 | 0 | 0 | 0 | 1 |") ||
		!strings.Contains(text, "trial 1: LOCK: cut: silent") {
		t.Errorf("%s", text)
	}
}
