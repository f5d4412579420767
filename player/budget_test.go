package player

import (
	"testing"

	"tengen/descent"
	"tengen/game"
)

// Descent's iterations are such a number.
func TestDescentByClock(t *testing.T) {
	d := &Descent{Label: "x", Options: descent.Options{BestFirst: true, Iterations: 50}, Safe: true}
	if timed := ByClock(d); timed == nil || timed.Name() != "ubfm:x,time=24h0m0s,safe=true" ||
		d.Options.Iterations != 50 {
		t.Errorf("%s is by the clock %v", d.Name(), timed)
	}
	if n, key := Limit(d); n != 50 || key != "iterations" {
		t.Errorf("%s has a limit of %d %s", d.Name(), n, key)
	}
}

// A player by the clock has no number of simulations, and is else the same; one without such a
// number is none.
func TestByClock(t *testing.T) {
	g := game.Must(game.New("go:size=5,players=2,pass=free"))
	for text, want := range map[string]string{
		"uct:simulations=50,c=0.5,utility=unit,reuse_tree=true": "uct:time=24h0m0s,c=0.5,utility=unit,reuse_tree=true",
		"uct:simulations=50,time=2s":                            "uct:time=2s,c=0.8,utility=points",
		"uct:time=2s":                                           "",
		"uct:clock=10s":                                         "",
		"az:go-5x5x2,simulations=50":                            "az:go-5x5x2,time=24h0m0s,",
		"random":                                                "",
		"alphabeta:depth=1":                                     "",
	} {
		p, err := Parse(g, text)
		if err != nil {
			t.Fatal(err)
		}
		before := p.Name()
		timed := ByClock(p)
		if timed == nil {
			if want != "" {
				t.Errorf("%s has no player by the clock", text)
			}
			continue
		}
		name := timed.Name()
		if len(name) > len(want) {
			name = name[:len(want)]
		}
		if want == "" || name != want || p.Name() != before {
			t.Errorf("%s is by the clock %s, and itself %s", text, timed.Name(), p.Name())
		}
		if n, key := Limit(timed); n != 0 || key != "" {
			t.Errorf("%s has a limit of %d %s", timed.Name(), n, key)
		}
		if n, key := Limit(p); n != 50 || key != "simulations" {
			t.Errorf("%s has a limit of %d %s", p.Name(), n, key)
		}
	}
}
