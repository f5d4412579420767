package configs

import (
	"reflect"
	"strings"
	"testing"
)

// Each key matches a rule, each rule matches a key, and each rule other than Taken gives a reason.
func TestEveryKeyHasAResumption(t *testing.T) {
	used := map[string]bool{}
	for _, key := range Keys() {
		for _, rule := range resumptions {
			if key == rule.key ||
				strings.HasSuffix(rule.key, ".") && strings.HasPrefix(key, rule.key) {
				used[rule.key] = true
				break
			}
		}
		r, why := Change{Key: key, Old: "1", New: "2"}.OnResume()
		if (r == Taken) != (why == "") {
			t.Errorf("%s: %v, %q", key, r, why)
		}
	}
	for _, rule := range resumptions {
		if !used[rule.key] {
			t.Errorf("the rule for %s is never used", rule.key)
		}
	}
}

func TestOnResume(t *testing.T) {
	for change, want := range map[Change]Resumption{
		{"training.learning_rate", "0.1", "0.01"}: Taken,
		{"network.blocks", "2", "4"}:              Impossible,
		{"seed", "1", "2"}:                        Impossible,
		{"search.simulations", "32", "64"}:        Unwise,
		{"warm_start.initial_games", "10", "0"}:   Impossible,
		{"training.ema_decay", "0.9", "0.99"}:     Unwise,
		{"training.ema_decay", "0", "0.99"}:       Impossible,
		{"training.ema_decay", "0.9", "0"}:        Impossible,
		{"training.label_weight", "0", "1"}:       Impossible,
		{"training.belief_weight", "0", "0.1"}:    Impossible,
		{"training.label_weight", "2", "1"}:       Unwise,
		{"descent.targets", "tree", "root"}:       Impossible,
		{"descent.iterations", "180", "90"}:       Unwise,
		{"training.iterations", "15", "30"}:       Taken,
	} {
		if got, _ := change.OnResume(); got != want {
			t.Errorf("%s: %v, want %v", change, got, want)
		}
	}
}

func TestChanges(t *testing.T) {
	a, b := Default(), Default()
	if got := Changes(&a, &b); len(got) != 0 {
		t.Errorf("equal configurations differ in %v", got)
	}
	b.Seed, b.Search.CPUCT = 7, 1.25
	got := Changes(&a, &b)
	want := []Change{{"seed", "1", "7"}, {"search.c_puct", "0.8", "1.25"}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if text := got[1].String(); text != "search.c_puct: 0.8 → 1.25" {
		t.Errorf("%q", text)
	}
}
