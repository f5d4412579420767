package minimax

import (
	"math/rand/v2"
	"testing"

	"tengen/game"
	_ "tengen/game/turtle"
	"tengen/internal/random"
)

// races are turtle races of all numbers of players, hidden and open.
var races = []string{
	"turtle", "turtle:hands=open", "turtle:players=3", "turtle:players=4", "turtle:players=5",
	"turtle:players=3,hands=open",
	"turtle:hand=3,squares=6,start=stacked",
	"turtle:players=4,hands=open,unowned=none,max_turns=30",
}

// racing returns a position of a random race in which a player is to move, after n turns, or
// fewer if the race ends before.
func racing(g game.Game, rng *rand.Rand, n int) game.State {
	for {
		s := g.NewState()
		for turns := 0; s.CurrentPlayer() != game.Nobody; {
			if s.CurrentPlayer() == game.Chance {
				s.Apply(s.(game.Chancer).Sample(rng))
				continue
			}
			if turns == n {
				return s
			}
			legal := s.LegalActions(nil)
			s.Apply(legal[rng.IntN(len(legal))])
			turns++
		}
		n /= 2
	}
}

// compareRaces searches random positions by minimax and by alpha-beta, with all options for
// races, and checks that their choices are equal. It returns the nodes of each.
func compareRaces(t *testing.T, positions, depth int, seed uint64) (plain, pruned int64) {
	t.Helper()
	for i := range uint64(positions) {
		rng := random.New(1, random.Test, seed, i)
		g := game.Must(game.New(races[i%uint64(len(races))]))
		heuristics := game.Heuristics(g)
		o := Options{
			Heuristic: heuristics[rng.IntN(len(heuristics))],
			Depth:     1 + rng.IntN(depth), Samples: 1,
			Opponents:        []Opponents{Paranoid, Paranoid, BestReply}[rng.IntN(3)],
			Determinizations: []int{1, 2, 3, 5}[rng.IntN(4)], RandomTies: rng.IntN(4) > 0,
			Longhand: rng.IntN(8) == 0,
		}
		if o.Opponents == BestReply {
			o.Depth = 1
		}
		s := racing(g, rng, rng.IntN(30))
		var found [2]Result
		for k := range found {
			if k == 1 {
				o.Prune, o.Table, o.Direct = true, []int{0, 1 << 12, 1 << 16}[rng.IntN(3)],
					rng.IntN(2) == 0
			}
			w := searcher(t, g, o)
			w.SetRand(random.New(2, random.Test, seed, i))
			found[k] = w.Search(s)
		}
		if a, b := found[0], found[1]; a.Action != b.Action || a.Value != b.Value {
			t.Fatalf("%s, position %d, %+v: minimax chooses %d (%v), alpha-beta %d (%v)",
				g.Name(), i, o, a.Action, a.Value, b.Action, b.Value)
		}
		plain, pruned = plain+found[0].Nodes, pruned+found[1].Nodes
	}
	return plain, pruned
}

// TestRaces: alpha-beta chooses as minimax does.
func TestRaces(t *testing.T) {
	plain, pruned := compareRaces(t, 4000, 2, 30)
	t.Logf("minimax visits %d nodes, alpha-beta %d", plain, pruned)
}

// raceNodes returns the fraction of minimax's nodes that alpha-beta visits to a depth, summed
// over positions. It checks that the choices are equal.
func raceNodes(
	t *testing.T, name, strategy string, depth, determinizations, positions int,
) float64 {
	t.Helper()
	g := game.Must(game.New(name))
	h, err := game.HeuristicOf(g, strategy)
	if err != nil {
		t.Fatal(err)
	}
	var nodes [2]int64
	for i := range uint64(positions) {
		s := racing(g, random.New(1, random.Test, 31, i), int(i*5%23))
		var found [2]Result
		for k := range found {
			o := Options{
				Heuristic: h, Depth: depth, Samples: 1, Determinizations: determinizations,
				RandomTies: true,
			}
			if k == 1 {
				o.Prune, o.Table = true, 16<<20
			}
			w := searcher(t, g, o)
			w.SetRand(random.New(2, random.Test, 31, i))
			found[k] = w.Search(s)
			nodes[k] += found[k].Nodes
		}
		if a, b := found[0], found[1]; a.Action != b.Action || a.Value != b.Value {
			t.Fatalf("%s, position %d: minimax chooses %d (%v), alpha-beta %d (%v)",
				name, i, a.Action, a.Value, b.Action, b.Value)
		}
	}
	return float64(nodes[1]) / float64(nodes[0])
}

// TestRaceNodes: alpha-beta visits at most a third of the nodes at the paper's depth.
func TestRaceNodes(t *testing.T) {
	for _, c := range []struct {
		name, strategy              string
		determinizations, positions int
	}{
		{"turtle", "hybrid", 20, 3}, {"turtle", "fast", 20, 3}, {"turtle", "efficient", 20, 3},
		{"turtle", "hybrid", 1, 10}, {"turtle:players=4", "hybrid", 4, 3},
	} {
		share := raceNodes(t, c.name, c.strategy, 4, c.determinizations, c.positions)
		t.Logf("%s, %s, %d determinizations: alpha-beta visits %.1f %% of the nodes",
			c.name, c.strategy, c.determinizations, 100*share)
		if share > 1.0/3 {
			t.Errorf("%s, %s, %d determinizations: alpha-beta visits %.1f %% of the nodes",
				c.name, c.strategy, c.determinizations, 100*share)
		}
	}
}
