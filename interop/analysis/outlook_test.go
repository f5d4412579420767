package analysis

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"tengen/game"
	"tengen/game/goban"
	"tengen/internal/random"
	"tengen/player"
)

// slowTilt finds the tilted distribution of a mean by bisection, and its description.
func slowTilt(margins []float64, mean, komi float64) (t tilt) {
	points := len(margins) / 2
	sum := 0.0
	for _, w := range margins {
		sum += w
	}
	low, high := -12.0, 12.0
	for range 200 {
		theta := (low + high) / 2
		var all, first, second, black float64
		for i, w := range margins {
			m := float64(i - points)
			p := ((1-uniform)*w/sum + uniform/float64(len(margins))) * math.Exp(theta*m)
			all += p
			first += p * m
			second += p * m * m
			if m > komi {
				black += p
			} else if m == komi {
				black += p / 2
			}
		}
		t = tilt{first / all, math.Sqrt(second/all - first*first/all/all), black / all}
		if t.mean < mean {
			low = theta
		} else {
			high = theta
		}
	}
	return t
}

// The table of tilted distributions agrees with their definition, for distributions of any shape.
func TestTilts(t *testing.T) {
	rng := random.New(1, random.Test)
	for _, points := range []int{4, 25, 81} {
		for kind := range 4 {
			margins := make([]float64, 2*points+1)
			for i := range margins {
				switch kind {
				case 0: // anything
					margins[i] = rng.Float64() * rng.Float64()
				case 1: // all or nothing
					if i == 0 || i == 2*points {
						margins[i] = 1 + rng.Float64()
					}
				case 2: // a bell
					x := float64(i-points) / float64(points) * 4
					margins[i] = math.Exp(-x * x)
				case 3: // a small win of Black
					if i == points+2 {
						margins[i] = 1
					}
				}
			}
			for _, komi := range []float64{0, 2, 6.5, -3} {
				table := tiltsOf(margins, komi)
				for _, share := range []float64{-0.95, -0.5, -0.1, 0, 0.03, 0.4, 0.9} {
					mean := share * float64(points)
					got, want := at(table, mean), slowTilt(margins, mean, komi)
					if math.Abs(got.black-want.black) > 0.01 ||
						math.Abs(got.sd-want.sd) > 0.02*float64(points) {
						t.Errorf("%d points, shape %d, komi %g, mean %g: %+v, want %+v",
							points, kind, komi, mean, got, want)
					}
				}
			}
		}
	}
}

// Winrates by hand: if either colour wins all points, the mean says how often.
func TestOutlookByHand(t *testing.T) {
	rules, _ := goban.RulesOf(game.Must(game.New("go:size=5,players=2,pass=free")))
	margins := make([]float64, 51)
	margins[0], margins[50] = 1, 1
	o := newOutlook(rules, margins)
	for _, c := range []struct {
		black, white        float32
		color               game.Player
		winrate, lead, diff float64
	}{
		{0.5, 0.5, 0, 0.5, 0, 0},
		{0.8, 0.2, 0, 0.8, 15, 0.6},
		{0.8, 0.2, 1, 0.2, -15, -0.6},
		{1, 0, 0, 1, 25, 1},
		{0, 1, 0, 0, -25, -1},
	} {
		x := o.Of([]float32{c.black, c.white}, c.color)
		if math.Abs(x.Winrate-c.winrate) > 0.01 || math.Abs(x.Lead-c.lead) > 1e-5 ||
			math.Abs(x.Difference-c.diff) > 1e-6 || !x.Scored {
			t.Errorf("%+v: %+v", c, x)
		}
	}
	// Komi is White's; wins are winrates.
	rules.Komi = []float64{0, 7}
	if x := newOutlook(rules, margins).Of([]float32{0.8, 0.2}, 0); math.Abs(x.Lead-8) > 1e-5 ||
		math.Abs(x.Winrate-0.8) > 0.01 {
		t.Errorf("with komi: %+v", x)
	}
	rules.Reward = goban.Win
	o = newOutlook(rules, margins)
	if x := o.Of([]float32{0.75, 0.25}, 1); x.Winrate != 0.25 || x.Scored || x.Difference != -0.5 {
		t.Errorf("wins: %+v", x)
	}
	if x := o.Of([]float32{0, 0}, 1); x.Winrate != 0.5 {
		t.Errorf("nothing is known: %+v", x)
	}
	for _, c := range []struct {
		winrate float64
		visits  int
		want    float64
	}{{0.5, 100, 0.402}, {0.5, 0, 0}, {1, 5, 1}, {0.9, 10_000, 0.89412}} {
		if got := Lower(c.winrate, c.visits); math.Abs(got-c.want) > 1e-6 {
			t.Errorf("the bound of %g after %d visits is %g, want %g",
				c.winrate, c.visits, got, c.want)
		}
	}
}

// The outlook of a position comes from the network, and from playouts without one: where a colour
// has all but won, both know.
func TestOutlookOfPositions(t *testing.T) {
	for _, name := range []string{"uct:simulations=10", "az:go-5x5x2,simulations=10"} {
		g := game.Must(game.New("go:size=5,players=2,pass=free"))
		p, err := player.Parse(g, name)
		if err != nil {
			t.Fatal(err)
		}
		stones := slices.Repeat([]game.Player{game.Nobody}, 25)
		for _, v := range strings.Fields("a1 b2 c3 d4 c4 b4 d3 d2 c2 b3") {
			a, err := ParseVertex(g, v)
			if err != nil {
				t.Fatal(err)
			}
			stones[a] = 0
		}
		stones[4] = 1
		s, err := goban.SetUp(g, stones, 0)
		if err != nil {
			t.Fatal(err)
		}
		f := NewForecast(p, g, 1)
		o := f.Of(s, 0, 0)
		if x := o.Of([]float32{0.96, 0.04}, 0); x.Winrate < 0.94 || x.SD > 10 {
			t.Errorf("%s: Black's prospects are %+v", name, x)
		}
		// The same distribution where White is told to win.
		if x := o.Of([]float32{0.1, 0.9}, 0); x.Winrate > 0.25 {
			t.Errorf("%s: with another mean %+v", name, x)
		}
		if fmt.Sprint(o.tilts) != fmt.Sprint(f.Of(s, 0, 0).tilts) {
			t.Errorf("%s: the outlook of a position is another the second time", name)
		}
	}
}

// What limits forbid, in the actions from the position on.
func TestLimited(t *testing.T) {
	g := game.Must(game.New("go:size=2,players=2,pass=free"))
	l := &Limited{g, []Limit{
		{Color: 0, Moves: []game.Action{0, 1}, Depth: 1},
		{Color: 1, Moves: []game.Action{2}, Depth: 9, Only: true},
	}}
	s, _ := l.From(g.NewState())
	for i, c := range []struct {
		want  []game.Action
		plays game.Action
	}{
		{[]game.Action{2, 3, 4}, 3},
		{[]game.Action{2}, 2},
		{[]game.Action{0, 1, 4}, 0}, // the limit of Black is over
		{[]game.Action{4}, 4},       // the only move allowed is illegal: all others are allowed
	} {
		if got := s.LegalActions([]game.Action{9}); !slices.Equal(got[1:], c.want) || got[0] != 9 {
			t.Fatalf("after %d actions: %v, want %v", i, got, c.want)
		}
		again := l.NewState()
		again.CopyFrom(s)
		if !slices.Equal(again.LegalActions(nil), c.want) || again.Hash() != s.Hash() {
			t.Errorf("after %d actions a copy differs", i)
		}
		s.Apply(c.plays)
	}
}
