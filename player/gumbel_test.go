package player

import (
	"strings"
	"testing"

	"tengen/game"
)

// TestParseGumbel: the keys of Gumbel are read, named where they change something, and refused
// where they have no meaning.
func TestParseGumbel(t *testing.T) {
	g := game.Must(game.New(small))
	az := "az:" + newRun(t, g)
	for keys, want := range map[string]string{
		",root=gumbel":              ",root=gumbel",
		",root=gumbel,considered=0": ",root=gumbel",
		",root=gumbel,considered=4,c_visit=30,c_scale=0.5,interior=puct": ",root=gumbel,considered=4,c_visit=30,c_scale=0.5,interior=puct",
		",root=puct": "",
	} {
		p, err := Parse(g, az+keys)
		if err != nil {
			t.Errorf("%s: %v", keys, err)
			continue
		}
		if name := az + ",simulations=180,c_puct=0.8" + want; p.Name() != name {
			t.Errorf("%s: is called %s, want %s", keys, p.Name(), name)
		}
		if again, err := Parse(g, p.Name()); err != nil || again.Name() != p.Name() {
			t.Errorf("%s does not read back: %v", p.Name(), err)
		}
	}
	for keys, say := range map[string]string{
		",root=ucb":                          "puct, gumbel",
		",considered=4":                      "is for root=gumbel only",
		",root=puct,interior=puct":           "is for root=gumbel only",
		",root=gumbel,considered=65537":      "a whole number from 0 to 65536",
		",root=gumbel,c_scale=-1":            "0 to 1000",
		",root=gumbel,interior=uct":          "improved, puct",
		",root=gumbel,temperature=1,plies=3": "is for root=puct only",
		",root=gumbel,choice=lcb":            "is for root=puct only",
	} {
		if _, err := Parse(g, az+keys); err == nil || !strings.Contains(err.Error(), say) {
			t.Errorf("%s: %v, want an error with %s", keys, err, say)
		}
	}
}
