package ablation

import (
	"math"
	"testing"
)

// TestPercent: means are over the networks that have played; those of the whole experiment are
// over all.
func TestPercent(t *testing.T) {
	a := &Ablation{Games: 4, Seeds: 2} // a network plays 8 games against another arm
	played := func(won float64, games int) seedMean { return seedMean{won / 8, games} }
	for _, c := range []struct {
		against []seedMeans
		want    Percent
		ci      float64
	}{
		{[]seedMeans{{played(6, 8), played(4, 8)}}, Percent{Mean: 62.5, N: 16}, 12.706 * 12.5},
		{[]seedMeans{{played(6, 8), played(4, 8)}, {played(2, 8), played(4, 8)}},
			Percent{Mean: 50, N: 32}, -1},
		{[]seedMeans{{played(3, 4), played(0, 0)}}, Percent{Mean: 75, N: 4}, -1},
		{[]seedMeans{{played(6, 8), played(1, 2)}, {played(2, 8), played(0, 0)}},
			Percent{Mean: 50, N: 18}, -1},
		{[]seedMeans{{played(0, 0), played(0, 0)}}, Percent{}, -1},
	} {
		got := percent(c.against, a)
		if got.Mean != c.want.Mean || got.N != c.want.N || (got.CI == nil) != (c.ci < 0) ||
			got.CI != nil && math.Abs(*got.CI-c.ci) > 0.01 {
			t.Errorf("%+v: %v of %d games, want %v", c.against, got, got.N, c.want)
		}
	}
	if text := (Percent{}).String(); text != "–" {
		t.Errorf("without games: %s", text)
	}
}

// TestFound: the sentence names the differences that intervals show, and no others.
func TestFound(t *testing.T) {
	half := func(x float64) *float64 { return &x }
	arms := func(against ...Percent) PoolResult {
		p := PoolResult{Arms: []ArmResult{{Name: "a", Against: append([]Percent{{}}, against...)}}}
		for i := range against {
			p.Arms = append(p.Arms, ArmResult{Name: string(rune('b' + i))})
		}
		return p
	}
	for want, pools := range map[string][]PoolResult{
		"Nothing has been played here.": {arms(Percent{})},
		"Here the first of each pair wins: a against b 55.0 ± 5.0 %; every interval contains 50 %.":                                       {arms(Percent{55, half(5), 9})},
		"Here the first of each pair wins: a against b 90.0 %; one seed gives no interval.":                                               {arms(Percent{90, nil, 9})},
		"Here the first of each pair wins: a against b 55.0 ± 5.0 %, a against c 40.0 ± 5.0 %; intervals that exclude 50 %: a against c.": {arms(Percent{55, half(5), 9}, Percent{40, half(5), 9})},
	} {
		if got := (&Result{Pools: pools}).found(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
