package mcts_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"tengen/game"
	_ "tengen/game/connectfour"
	"tengen/internal/random"
	"tengen/mcts"
	"tengen/search"
)

// gloomy is an evaluator to which one player's position is all but lost, and which is sure of its
// policy: where the urgency of untried actions follows from the parent it is below 0 soon.
type gloomy struct {
	*hashed
	loser game.Player
	share float32 // of a hash's utility
}

func (e gloomy) Add(s game.State) {
	logits, values := e.Of(s)
	for k := range logits {
		logits[k] *= 3
	}
	values[e.loser] *= e.share
	e.evaluations.Policy = append(e.evaluations.Policy, logits...)
	e.evaluations.Values = append(e.evaluations.Values, values...)
}

// losing returns searches by every policy that proves values.
func losing(g game.Game, simulations int) map[string]*mcts.Tree {
	rng := func() *rand.Rand { return random.New(7, random.Test) }
	below := mcts.ParentReduction(0.2)
	puct := func(o mcts.PUCT) *mcts.Tree {
		o.Simulations, o.Proofs = simulations, true
		return mcts.NewPUCT(g, o, rng())
	}
	gumbel := func(considered int, interior mcts.Interior) mcts.Gumbel {
		return mcts.Gumbel{
			Considered: considered, VisitOffset: 50, ValueScale: 0.1, Interior: interior,
		}
	}
	return map[string]*mcts.Tree{
		"UCT": mcts.NewUCT(g,
			mcts.UCT{Simulations: simulations, C: 0.8, Proofs: true}, rng()),
		"UCT without C": mcts.NewUCT(g, mcts.UCT{Simulations: simulations, Proofs: true}, rng()),
		"PUCT":          puct(mcts.PUCT{C: 0.8, FPU: below}),
		"PUCT, zero":    puct(mcts.PUCT{C: 0.8}),
		"PUCT, noise, bound": puct(mcts.PUCT{
			C: 0.8, FPU: below, Noise: 0.25, FinalSelection: mcts.LowerBound(5, 0.15),
		}),
		"PUCT, batches": puct(mcts.PUCT{C: 0.8, FPU: below, BatchSize: 8}),
		"PUCT, batches, virtual loss": puct(mcts.PUCT{
			C: 0.8, FPU: below, BatchSize: 5, VirtualLoss: 1,
		}),
		"Gumbel": puct(mcts.PUCT{
			C: 0.8, FPU: below, Gumbel: gumbel(2, mcts.Improved),
		}),
		"Gumbel, PUCT below": puct(mcts.PUCT{
			C: 0.8, FPU: below, Gumbel: gumbel(16, mcts.ByPUCT),
		}),
		"Gumbel, policy below": puct(mcts.PUCT{
			C: 0.8, FPU: below, Gumbel: gumbel(4, mcts.ByPolicy),
		}),
		"Gumbel, batches": puct(mcts.PUCT{
			C: 0.8, FPU: below, BatchSize: 6, Gumbel: gumbel(mcts.AutoConsidered, mcts.Improved),
		}),
	}
}

// lostPosition is one in which the player to move has a choice and loses by force.
type lostPosition struct {
	game.State
	nodes int  // of its game tree
	drawn bool // somewhere in it a utility is neither 0 nor 1
}

// lostPositions returns up to n positions of g, reached by a random number of plies in a range,
// whose game trees are small.
func lostPositions(g game.Game, n, least, most int) (positions []lostPosition) {
	const small = 3000
	x := newExact(g)
	for seed := uint64(0); len(positions) < n && seed < 4000; seed++ {
		rng := random.New(seed, random.Test, 31)
		s := randomState(g, least+rng.IntN(most-least+1), rng)
		if !isChoice(s) {
			continue
		}
		p := lostPosition{State: s}
		if p.measure(g, s, small); p.nodes > small {
			continue
		}
		lost := true
		for _, v := range x.values(s) {
			lost = lost && v[s.CurrentPlayer()] == 0
		}
		if lost {
			positions = append(positions, p)
		}
	}
	return positions
}

// measure counts the positions of the game tree from s on, until there are more than most.
func (p *lostPosition) measure(g game.Game, s game.State, most int) {
	if p.nodes++; p.nodes > most {
		return
	}
	var actions []game.Action
	switch s.CurrentPlayer() {
	case game.Nobody:
		u := make([]float32, g.Players())
		s.Returns(u)
		for _, v := range u {
			p.drawn = p.drawn || v != 0 && v != 1
		}
	case game.Chance:
		for _, o := range s.(game.Chancer).Outcomes(nil) {
			actions = append(actions, o.Action)
		}
	default:
		actions = s.LegalActions(nil)
	}
	for _, a := range actions {
		next := copyOf(g, s)
		next.Apply(a)
		p.measure(g, next, most)
	}
}

// TestLossesAreVisitedOnce: in positions lost by force no search visits an action that is proven to
// lose while another is not proven. So visits of better actions that are proven apart, which are
// chosen for their values, it makes no more simulations than the game tree has nodes, and where
// there are no such visits, since the game is won or lost, it proves the root.
func TestLossesAreVisitedOnce(t *testing.T) {
	for _, c := range []struct {
		game        game.Game
		least, most int // plies before the positions
		positions   int
	}{
		{game.Must(game.New("connect-four")), 26, 38, 12},
		{game.Must(game.New("connect-four:rows=4,columns=4,in_row=3")), 3, 9, 12},
		{game.Must(game.New("tictactoe")), 1, 6, 12},
		{game.Must(game.New("mnk:rows=3,columns=4,in_row=3,players=3")), 4, 9, 12},
		{game.Must(game.New("go:rows=1,columns=4,players=2,reward=win")), 0, 6, 6},
		{game.Must(game.New("go:rows=1,columns=4,players=3,reward=win")), 0, 6, 6},
		{&maze{seed: 11, players: 2, actions: 4, plies: 9, steps: 1}, 0, 6, 8},
		{&maze{seed: 12, players: 3, actions: 4, plies: 9, steps: 2}, 0, 6, 8},
		{&maze{seed: 13, players: 2, actions: 4, plies: 9, steps: 1, chance: true}, 0, 6, 8},
	} {
		g := c.game
		positions := lostPositions(g, c.positions, c.least, c.most)
		if len(positions) < c.positions {
			t.Errorf("%s: %d lost positions were found, not %d",
				g.Name(), len(positions), c.positions)
		}
		proven := 0
		for k, s := range positions {
			for kind, tree := range losing(g, 10*s.nodes) {
				again, known := 0, 0
				tree.Watch(func(f mcts.Followed) {
					switch {
					case f.Proven && f.Value == 0 && f.Open:
						again++
					case f.Proven:
						known++
					}
				})
				tree.Start(s.State)
				search.Run(tree, gloomy{newHashed(g, 0), s.CurrentPlayer(), 0.002})
				stats := tree.Stats()
				value := make([]float32, g.Players())
				tree.Value(value)
				name := fmt.Sprintf("%s, position %d, %s", g.Name(), k, kind)
				switch err := tree.Check(); {
				case again > 0:
					t.Errorf("%s: proven losses are visited %d times in %d simulations",
						name, again, stats.Simulations)
				case err != nil:
					t.Errorf("%s: %v", name, err)
				case game.HasChance(g): // nothing is proven across chance
				case stats.Simulations > s.nodes+known:
					t.Errorf("%s: %d simulations, %d of them of known values, in a game tree of %d nodes", name, stats.Simulations, known, s.nodes)
				case !stats.Exact && !s.drawn:
					t.Errorf("%s: %d simulations prove nothing about a game tree of %d nodes",
						name, stats.Simulations, s.nodes)
				case stats.Exact && value[s.CurrentPlayer()] != 0:
					t.Errorf("%s: the value is %v", name, value)
				case stats.Exact:
					proven++
				}
			}
		}
		t.Logf("%s: %d of %d searches end with a proof",
			g.Name(), proven, len(positions)*len(losing(g, 1)))
	}
}
