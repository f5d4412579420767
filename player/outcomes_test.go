package player

import (
	"strings"
	"testing"

	"tengen/game"
	_ "tengen/game/all"
)

// TestParseOutcomes: the key outcomes is that of the run unless it is given, and is refused by
// games without chance and by those that hide something.
func TestParseOutcomes(t *testing.T) {
	g := game.Must(game.New("backgammon:checkers=1"))
	for _, balanced := range []bool{false, true} {
		usual := map[bool]string{false: "sampled", true: "balanced"}[balanced]
		az := "az:" + newRun(t, g, "search.outcomes="+usual)
		for keys, want := range map[string]bool{
			"": balanced, ",outcomes=sampled": false, ",outcomes=balanced": true,
		} {
			p, err := Parse(g, az+keys)
			if err != nil {
				t.Errorf("%s%s: %v", usual, keys, err)
				continue
			}
			if p.(*AlphaZero).PUCT.Balanced != want {
				t.Errorf("%s%s: outcomes are balanced: %v", usual, keys, !want)
			}
			if changed := want != balanced; strings.Contains(p.Name(), ",outcomes=") != changed {
				t.Errorf("%s%s is called %s", usual, keys, p.Name())
			}
			if again, err := Parse(g, p.Name()); err != nil || again.Name() != p.Name() {
				t.Errorf("%s does not read back: %v", p.Name(), err)
			}
		}
		if _, err := Parse(g, az+",outcomes=drawn"); err == nil ||
			!strings.Contains(err.Error(), "sampled, balanced") {
			t.Errorf("outcomes=drawn: %v", err)
		}
	}
	for _, name := range []string{small, "turtle"} {
		g := game.Must(game.New(name))
		if _, err := Parse(g, "az:"+newRun(t, g)+",outcomes=balanced"); err == nil ||
			!strings.Contains(err.Error(), "sampled is wanted") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestAtPlay: players have PUCT at the root, but for networks of afterstates, which keep the root
// of the run.
func TestAtPlay(t *testing.T) {
	g := game.Must(game.New("backgammon:checkers=1"))
	for _, afterstates := range []bool{false, true} {
		set := []string{"search.root=gumbel", "search.c_scale=8", "search.q_scaling=none"}
		if afterstates {
			set = append(set, "search.afterstates=true", "search.simulations=0")
		}
		p, err := Parse(g, "az:"+newRun(t, g, set...))
		if err != nil {
			t.Fatal(err)
		}
		if o := p.(*AlphaZero).PUCT.Gumbel; o.On() != afterstates ||
			afterstates && (o.ValueScale != 8 || !o.Unscaled) {
			t.Errorf("afterstates %v: %+v", afterstates, o)
		}
	}
}
