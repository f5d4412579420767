package multigo

import (
	"testing"

	"tengen/research"
	"tengen/research/pagetest"
)

// cellsOf are cells with different numbers.
func cellsOf(x float64) []Cell {
	return []Cell{{500, x, 2, 0.1}, {500, x + 1, 3, 0.2}, {500, x + 2, 4, 0.3}}
}

// allParts has every part.
func allParts() map[string]research.Part {
	made := research.Made{
		Command: "tengen-lab reproduce x --games 500", Machine: "2 processors", Seed: 1,
		Games: 1000, Distinct: 999,
	}
	opened := made
	opened.Opening = 3
	return map[string]research.Part{
		"table3": &Table3{Made: made, Points: cellsOf(11), Unit: cellsOf(9)},
		"table4": &Table4{
			Made: opened, Rows: []Table4Row{{"az:a", "ubfm:b", "11 ± 0.2", cellsOf(12)}},
		},
		"figure3": &Figure3{
			Made: made, Run: "runs/quick", Algorithm: "alphazero",
			Points: []Point{{3, 1750, 0.05, cellsOf(15)}, {6, 2500, 0.1, cellsOf(18)}},
		},
		"figure3-descent": &Figure3{
			Made: made, Run: "runs/descent", Algorithm: "descent",
			Points: []Point{{3, 1750, 0.05, cellsOf(5)}, {6, 2500, 0.1, cellsOf(8)}},
		},
		"figure3-paper": &Figure3{
			Made: made, Run: "runs/paper", Algorithm: "alphazero",
			Points: []Point{{1, 1000, 0.5, cellsOf(9)}, {2, 2000, 1, cellsOf(10)}},
		},
		"figure3-descent-paper": &Figure3{
			Made: made, Run: "runs/paper-descent", Algorithm: "descent",
			Points: []Point{{1, 1000, 0.5, cellsOf(7)}},
		},
		"reward": &Reward{Made: opened, Iterations: 6, Seeds: 3, Arms: []RewardArm{
			{"score", cellsOf(1), cellsOf(2), cellsOf(3), cellsOf(4)},
			{"win", cellsOf(5), cellsOf(6), cellsOf(7), cellsOf(8)},
		}},
		"reward-minutes": &Reward{Made: opened, Iterations: 15, Minutes: 2.5, Seeds: 3,
			Arms: []RewardArm{
				{"score", cellsOf(4), cellsOf(3), cellsOf(2), cellsOf(1)},
				{"win", cellsOf(8), cellsOf(7), cellsOf(6), cellsOf(5)},
			}},
	}
}

func TestPage(t *testing.T) {
	parts := allParts()
	// others with the same text
	for _, like := range []string{"figure3-descent", "figure3-paper", "reward"} {
		delete(parts, like)
	}
	pagetest.Golden(t, Layout, parts)
}

func TestPartsTogether(t *testing.T) {
	pagetest.Together(t, Layout, "table3", "reward", allParts())
}

func TestPartsAtEveryByte(t *testing.T) { pagetest.EveryByte(t, Layout, allParts()) }

func TestDamagedParts(t *testing.T) {
	pagetest.Damaged(t, Layout, [][3]string{
		{"table3", `{`, "unexpected end"},
		{"table3", `null`, "version 1"},
		{"table3", `{"made":{"version":2}}`, "version 1"},
		{"table3", `{"made":{"version":1}}`, "0 cells where each of 3 seats has one"},
		{"table3", `{"made":{"version":1},"points":[{},{}],"unit":[{},{},{}]}`, "2 cells"},
	})
}

func FuzzPage(f *testing.F) {
	pagetest.Fuzz(f, Layout, map[string]string{
		"table3":  `{"made":{"version":1},"points":[{},{},{}],"unit":[{},{},{}]}`,
		"reward":  `{"made":{"version":1},"arms":[{},{}]}`,
		"figure3": `{"made":{"version":1},"points":[{"seats":[{},{},{}]}]}`,
		"table4":  `{"made":{"version":1},"rows":[{"seats":[]}]}`,
	})
}
