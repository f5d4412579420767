package selfplay

import (
	"reflect"
	"strings"
	"testing"

	"tengen/game"
	"tengen/nn"
	"tengen/player"
	"tengen/search/nneval"
)

// believed returns a job of n games with a network that has a belief head. shape changes the head's
// parameters.
func believed(t *testing.T, s *Settings, n int, shape func(weight, bias []float32)) Job {
	t.Helper()
	params := params(t, s.Game, 1, nneval.Size{}, game.HiddenFactsOf(s.Game)...)
	shape(params.Get("aux.belief.output.weight").Data, params.Get("aux.belief.output.bias").Data)
	b, err := player.NewBelief(s.Game, "test", params, 16, nil)
	if err != nil {
		t.Fatal(err)
	}
	return Job{Games: numbers(n), Weights: nn.Fold(params), Belief: b}
}

// flat is a head that believes what counting gives.
func flat(weight, _ []float32) { clear(weight) }

// TestBelief: searches draw what is hidden by the network's belief; with a flat one, and without
// one, games are as without the setting, to the bit; they depend neither on workers nor on other
// games.
func TestBelief(t *testing.T) {
	for _, name := range []string{smallTurtle, "kuhn:players=3", "leduc"} {
		t.Run(name, func(t *testing.T) {
			s := settings(name)
			uniform := believed(t, s, 12, flat)
			want, _ := playJob(t, s, uniform, 1, 1)
			az(s).SelfPlay.Worlds = 16
			if got, _ := playJob(t, s, uniform, 1, 3); !reflect.DeepEqual(got, want) {
				t.Error("a flat belief changes games")
			}
			none := uniform
			none.Belief = nil
			if got, _ := playJob(t, s, none, 1, 1); !reflect.DeepEqual(got, want) {
				t.Error("without a belief games are others")
			}
			sure := believed(t, s, 12, func(weight, _ []float32) {
				for i := range weight {
					weight[i] *= 100
				}
			})
			played, _ := playJob(t, s, sure, 1, 1)
			if reflect.DeepEqual(played, want) {
				t.Error("a belief changes nothing")
			}
			if got, _ := playJob(t, s, sure, 2, 5); !reflect.DeepEqual(got, played) {
				t.Error("2 workers, groups of 5: other games than with one of each")
			}
		})
	}
}

// TestBeliefIsSearched: who believes that the other holds a king finds lower values than who
// believes that it is a jack.
func TestBeliefIsSearched(t *testing.T) {
	s := settings("kuhn")
	az(s).PUCT.Simulations, az(s).SelfPlay.Worlds = 200, 16
	var mean [2]float64
	for i, card := range []int{0, 2} {
		job := believed(t, s, 100, func(weight, bias []float32) {
			clear(weight)
			for f := range 2 {
				bias[f*3+card] = 30
			}
		})
		games, _ := playJob(t, s, job, 1, 8)
		n := 0
		for _, g := range games {
			// nobody holds the same card
			if m := g.Moves[2]; m.Mover == 0 && g.Moves[0].Action != game.Action(2+card) {
				mean[i] += float64(m.Value[0])
				n++
			}
		}
		mean[i] /= float64(n)
	}
	if mean[0] < mean[1]+0.2 {
		t.Errorf("the first player finds %.3f against a jack, %.3f against a king",
			mean[0], mean[1])
	}
}

func TestWrongBelief(t *testing.T) {
	for name, says := range map[string]string{
		"go:size=3": "offers no hidden facts", "kuhn": "one of them is to be 0",
	} {
		s := settings(name)
		az(s).SelfPlay.Worlds, az(s).Inference = 4, map[string]int{"kuhn": 2}[name]
		if err := s.Network.Check(s.Game); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: the error is %v; want %q", name, err, says)
		}
	}
}
