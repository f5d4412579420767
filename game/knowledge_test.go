package game_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"tengen/game"
	"tengen/internal/random"
	"tengen/internal/testkit"
)

// pebbles is pile with raw scores; ownPebbles also has its own heuristic.
type pebbles struct{ *pile }

type pebblesState struct{ *pileState }

func (g pebbles) NewState() game.State {
	return pebblesState{g.pile.NewState().(*pileState)}
}
func (pebbles) ScoreBounds() (low, high float64) { return -2, 10 }
func (s pebblesState) Scores(dst []float32)      { dst[0], dst[1] = 7, 4 }
func (s pebblesState) CopyFrom(src game.State)   { *s.pileState = *src.(pebblesState).pileState }
func (pebbles) UtilitySum() float64              { return 1 }

type ownPebbles struct{ pebbles }

func (ownPebbles) Heuristics() []game.Heuristic {
	return []game.Heuristic{{Name: "left", Low: 0, High: 9, Value: func(
		s game.State, _ game.Player,
	) float64 {
		return float64(s.(pebblesState).left)
	}}}
}

func TestHeuristics(t *testing.T) {
	plain := &pile{stones: 3}
	for _, c := range []struct {
		g     game.Game
		names string
	}{
		{plain, "result"},
		{pebbles{plain}, "score result"},
		{ownPebbles{pebbles{plain}}, "left score result"},
	} {
		var names []string
		for _, h := range game.Heuristics(c.g) {
			names = append(names, h.Name)
		}
		if got := strings.Join(names, " "); got != c.names {
			t.Errorf("%T has the heuristics %s; want %s", c.g, got, c.names)
		}
		if h, err := game.HeuristicOf(c.g, ""); err != nil || h.Name != names[0] {
			t.Errorf("the default of %T is %s, %v", c.g, h.Name, err)
		}
	}
	g := ownPebbles{pebbles{plain}}
	if h, err := game.HeuristicOf(g, "score"); err != nil || h.Name != "score" {
		t.Errorf("score is %s, %v", h.Name, err)
	}
	if _, err := game.HeuristicOf(g, "rank"); err == nil ||
		!strings.Contains(err.Error(), `no heuristic called "rank"; it has left, score, result`) {
		t.Errorf("rank: %v", err)
	}

	s := g.NewState()
	score, _ := game.HeuristicOf(g, "score")
	if a, b := score.Value(s, 0), score.Value(s, 1); a != 3 || b != -3 || score.Low != -12 ||
		score.High != 12 {
		t.Errorf("the scores 7 and 4 are worth %v and %v, of %v to %v", a, b, score.Low, score.High)
	}
	result, _ := game.HeuristicOf(g, "result")
	if v := result.Value(s, 0); v != 0.5 {
		t.Errorf("a game in play is worth %v", v)
	}
	s.Apply(2)
	s.Apply(1) // the second player takes the last one
	if a, b := result.Value(s, 0), result.Value(s, 1); a != 0 || b != 1 {
		t.Errorf("a lost game is worth %v and %v", a, b)
	}
	if n := testing.AllocsPerRun(100, func() { score.Value(s, 1); result.Value(s, 1) }); n != 0 {
		t.Errorf("values allocate %v times", n)
	}
}

// thrifty is a pile with a strategy that takes one stone.
type thrifty struct{ pile }

func (*thrifty) Strategies() []game.Strategy {
	return []game.Strategy{
		{Name: "one", Choose: func(game.State, *rand.Rand) game.Action { return 1 }},
	}
}

func TestStrategyOf(t *testing.T) {
	if q, err := game.StrategyOf(&thrifty{}, "one"); err != nil || q.Name != "one" {
		t.Errorf("the strategy is %q, %v", q.Name, err)
	}
	if q, err := game.StrategyOf(&pile{}, "random"); err != nil || q.Name != "random" {
		t.Errorf("the strategy is %q, %v", q.Name, err)
	}
	_, err := game.StrategyOf(&thrifty{}, "two")
	if err == nil ||
		!strings.Contains(err.Error(), `no strategy called "two"; it has one, random`) {
		t.Errorf("two: %v", err)
	}
}

// Three stones. If both players take one at a time, the first player takes the last.
// If half of the actions are random, a player who could take two does so with
// probability 1/4: the first player wins by 1 1 1 (9/16, since the last action is
// forced), and loses by 1 2 and 2 1.
func TestRollout(t *testing.T) {
	const games = 20_000
	one, _ := game.StrategyOf(&thrifty{}, "one")
	rng := random.New(1, random.Test, 30)
	for _, c := range []struct{ epsilon, want float64 }{{0, 1}, {0.5, 9. / 16}, {1, 0.25}} {
		wins := 0.0
		var utilities [2]float32
		s := (&pile{stones: 3}).NewState()
		for range games {
			s.(*pileState).left, s.(*pileState).mover = 3, 0
			game.Rollout(s, &one, c.epsilon, rng)
			s.Returns(utilities[:])
			wins += float64(utilities[0])
		}
		if p := wins / games; math.Abs(p-c.want) > 5*math.Sqrt(c.want*(1-c.want)/games) {
			t.Errorf(
				"epsilon %v: the first player takes the last stone in %.4f of the games; want %.4f",
				c.epsilon, p, c.want)
		}
	}
	uniform, _ := game.StrategyOf(&pile{}, "random")
	s := (&pile{stones: 3, rain: true}).NewState()
	if n := testing.AllocsPerRun(100, func() {
		s.(*pileState).left, s.(*pileState).raining = 3, true
		game.Rollout(s, &uniform, 0.1, rng)
	}); n > 0 && !testkit.Race { // the detector drops what pools keep
		t.Errorf("a rollout allocates %v times", n)
	}
}

// Rollout uses a strategy's own rollout if there is one.
func TestOwnRollout(t *testing.T) {
	q := game.Strategy{
		Rollout: func(s game.State, epsilon float64, _ *rand.Rand) {
			s.(*pileState).left = int(8 * epsilon)
		},
	}
	s := &pileState{left: 3}
	game.Rollout(s, &q, 0.5, nil)
	if s.left != 4 {
		t.Errorf("%d stones are left; the strategy's own rollout leaves 4", s.left)
	}
}
