package game_test

import (
	"strings"
	"testing"

	"tengen/game"
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
