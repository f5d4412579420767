package player

import (
	"math"
	"testing"

	"tengen/game"
	"tengen/internal/stream"
	"tengen/search"
)

// listing is an Evaluator of given utilities that keeps what it was asked.
type listing struct {
	*search.Constant
	states int
}

func (l *listing) Add(s game.State) {
	l.states++
	l.Constant.Add(s)
}

// TestMixedValues: the utilities of a leaf are (1-mix)·network + mix·(mean of its rollouts), each
// row with its own rollouts.
func TestMixedValues(t *testing.T) {
	g := game.Must(game.New("tictactoe"))
	for _, n := range []int{1, 3} {
		for _, weight := range []float64{0, 0.25, 1} {
			m := newMixer(g, Mix{N: n, Weight: weight})
			m.playouts.SetRand(stream.New(1, stream.Test))
			network := &listing{Constant: search.NewConstant(g, 0.75)}
			m.requests = network
			apart := search.NewPlayouts(g, stream.New(1, stream.Test))
			for batch := range 3 {
				s := g.NewState()
				for range 2 + batch {
					m.Add(s)
					for range n {
						apart.Add(s)
					}
					s.Apply(s.LegalActions(nil)[0])
				}
				e, _ := network.Evaluate()
				got := m.mixed(e)
				results, _ := apart.Evaluate()
				for row := range 2 + batch {
					for p := range 2 {
						mean := 0.0
						for k := range n {
							mean += float64(results.Utilities(row*n + k)[p]) / float64(n)
						}
						want := (1-weight)*0.75 + weight*mean
						if x := float64(got.Utilities(row)[p]); math.Abs(x-want) > 1e-6 {
							t.Errorf("%d rollouts, mix %g, row %d, player %d: %g, want %g", n, weight, row, p, x, want)
						}
					}
				}
			}
			if network.states != 9 {
				t.Errorf("the network is asked %d times", network.states)
			}
		}
	}
}

// TestMixedPlayer: with mix=0 the choices are those without rollouts; with rollouts alone a network
// of random weights is as good as its search, and finds the winning action.
func TestMixedPlayer(t *testing.T) {
	for _, name := range []string{small, "turtle"} {
		g := game.Must(game.New(name))
		dir := newRun(t, g)
		plain := must(Parse(g, "az:"+dir+",simulations=40,leaves=4"))
		mixed := must(Parse(g, "az:"+dir+",simulations=40,leaves=4,rollouts=2,mix=0"))
		rng := stream.New(1, stream.Test)
		for range 10 {
			s := g.NewState()
			for s.CurrentPlayer() == game.Chance {
				s.Apply(s.(game.Chancer).Sample(rng))
			}
			var chosen [2]game.Action
			for i, p := range []Player{plain, mixed} {
				agent := p.NewAgent(g)
				agent.Begin(stream.New(2, stream.Test))
				chosen[i] = must(Decide(agent, s, p.NewEvaluator(g, 1)))
			}
			// The rollouts draw from the agent's stream, as the tree of information sets does.
			if _, hidden := s.(game.ImperfectInformation); !hidden && chosen[0] != chosen[1] {
				t.Errorf("%s: %d is chosen, with rollouts of weight 0 %d", name, chosen[0], chosen[1])
			}
		}
	}
	g := game.Must(game.New("tictactoe"))
	s := g.NewState()
	for _, a := range []game.Action{0, 3, 1, 4} { // the first player wins at 2
		s.Apply(a)
	}
	p := must(Parse(g, "az:"+newRun(t, g)+",simulations=200,rollouts=4,mix=1"))
	agent := p.NewAgent(g)
	agent.Begin(stream.New(3, stream.Test))
	if a := must(Decide(agent, s, p.NewEvaluator(g, 1))); a != 2 {
		t.Errorf("%d is chosen; 2 wins", a)
	}
}
