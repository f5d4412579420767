package trainer

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"
)

func TestClimb(t *testing.T) {
	for name, c := range map[string]struct {
		first, want crowd
		most        int
		rate        func(crowd) float64
	}{
		"larger groups": {crowd{2, 8}, crowd{2, 64}, 20, func(c crowd) float64 { return float64(min(c.games, 64)) - 9*float64(max(c.workers-2, 2-c.workers)) }},
		"smaller groups": {crowd{2, 64}, crowd{2, 8}, 20, func(c crowd) float64 {
			return 100 - float64(max(0, 8-c.games)) - 9*float64(max(c.workers-2, 2-c.workers))
		}},
		"more workers": {crowd{1, 8}, crowd{4, 8}, 20, func(c crowd) float64 {
			return float64(min(c.workers, 4)) * (1 - 0.02*max(float64(c.games-8), float64(8-c.games)))
		}},
		"a small gain": {crowd{2, 8}, crowd{2, 8}, 20, func(c crowd) float64 {
			return 100 + 0.1*float64(c.games) + float64(min(0, 3*(c.games-8))) - 9*float64(max(c.workers-2, 2-c.workers))
		}},
		"few measurements": {crowd{2, 8}, crowd{2, 16}, 2, func(c crowd) float64 { return float64(c.games) }},
		"no more allowed":  {crowd{2, 8}, crowd{2, 32}, 20, func(c crowd) float64 { return float64(c.games) * float64(min(c.workers, 2)) }},
	} {
		calls := 0
		got, rate, measured, err := climb(c.first, c.most, func(x crowd) bool { return x.games <= 32 || name != "no more allowed" }, func(x crowd) (float64, error) {
			calls++
			return c.rate(x), nil
		})
		if err != nil || got != c.want || rate != c.rate(c.want) || measured != calls || calls > c.most {
			t.Errorf("%s: %v at %g after %d of %d, %v; want %v", name, got, rate, measured, calls, err, c.want)
		}
	}
	broken := errors.New("broken")
	if _, _, _, err := climb(crowd{1, 1}, 5, func(crowd) bool { return true }, func(c crowd) (float64, error) {
		if c.games > 1 {
			return 0, broken
		}
		return 1, nil
	}); err != broken {
		t.Errorf("an error of a measurement: %v", err)
	}
}

// TestTune: a run that measures first is the same, to the bit, and tells what it has found.
func TestTune(t *testing.T) {
	t.Parallel()
	plain, tuned := filepath.Join(t.TempDir(), "run"), filepath.Join(t.TempDir(), "run")
	if _, err := runOn(t, nil, plain, false, "evaluation.every=0", "training.iterations=2"); err != nil {
		t.Fatal(err)
	}
	log, err := runOn(t, nil, tuned, false, "evaluation.every=0", "training.iterations=2", "selfplay.tune_seconds=0.4")
	if err != nil {
		t.Fatal(err)
	}
	same(t, "a run that measures first", plain, tuned)
	if !strings.Contains(log, "evaluations a second: the fastest of") {
		t.Errorf("it does not tell what it has found:\n%s", log)
	}
	p := tiny(t)
	if q, text, err := p.Tune(t.Context(), nil); q != p || text != "" || err != nil {
		t.Errorf("without the key: %v, %q, %v", q, text, err)
	}
}
