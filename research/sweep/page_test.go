package sweep

import (
	"math"
	"testing"

	"tengen/internal/interval"
	"tengen/research"
	"tengen/research/pagetest"
)

func allParts() map[string]research.Part {
	made := research.Made{
		Command: "tengen-lab reproduce search-sweep x", Machine: "2 processors", Seed: 1,
		Games: 4002, Distinct: 3999, Opening: 4,
	}
	parts := map[string]research.Part{}
	for i, name := range Networks {
		x := float64(i)
		parts[name] = &Table{
			Made: made, Network: name, Game: "go:size=5,players=3",
			Default: "az:" + name + ",simulations=100,c_puct=0.8", Simulations: 100,
			Arms: []Arm{
				{"c=0.4", 2001, 47.5 + x, 2.1, interval.OrNull(-17.4 + x), interval.OrNull(-32),
					interval.OrNull(-2.6)},
				{"choice=lcb", 2001, 100, 3, interval.OrNull(math.Inf(1)), interval.OrNull(603.2),
					interval.OrNull(math.Inf(1))},
			},
		}
	}
	return parts
}

func TestPage(t *testing.T) { pagetest.Golden(t, Layout, allParts()) }

func TestPartsAtEveryByte(t *testing.T) { pagetest.EveryByte(t, Layout, allParts()) }

func TestDamagedParts(t *testing.T) {
	pagetest.Damaged(t, Layout, [][3]string{
		{"turtle", `{`, "unexpected end"},
		{"turtle", `null`, "version 1"},
		{"tcg", `{"made":{"version":2}}`, "version 1"},
		{"tcg", `{"made":{"version":1}}`, "no network"},
	})
}

func FuzzPage(f *testing.F) {
	pagetest.Fuzz(f, Layout, map[string]string{
		"turtle": `{"made":{"version":1},"network":"a","default":"b","arms":[{},{"elo":1}]}`,
	})
}
