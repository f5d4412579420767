package player

import (
	"strings"
	"testing"

	"tengen/game"
	"tengen/internal/random"
)

// A network plays in a game that shows more than it has seen in training, and evaluates the same
// there; where it would see less it is refused.
func TestNetworksOfOtherHistories(t *testing.T) {
	const rules = "turtle:squares=4,hand=2,deck=[0,2,1,1,1,1,0],max_turns=20"
	plain, long := game.Must(game.New(rules)), game.Must(game.New(rules+",history=3"))
	dir := newRun(t, plain)
	for _, kind := range []string{"az:" + dir + ",simulations=4", "policy:" + dir} {
		p, err := Parse(long, kind)
		if err != nil {
			t.Fatal(err)
		}
		q, err := Parse(plain, kind)
		if err != nil {
			t.Fatal(err)
		}
		a, b := p.NewEvaluator(long, 1), q.NewEvaluator(plain, 1)
		rng := random.New(1, random.Test)
		s, o := long.NewState(), plain.NewState()
		for s.CurrentPlayer() != game.Nobody {
			if s.CurrentPlayer() == game.Chance {
				outcome := s.(game.Chancer).Sample(rng)
				s.Apply(outcome)
				o.Apply(outcome)
				continue
			}
			a.Add(s)
			b.Add(o)
			x, err := a.Evaluate()
			if err != nil {
				t.Fatal(err)
			}
			y, err := b.Evaluate()
			if err != nil {
				t.Fatal(err)
			}
			for i, v := range y.Policy {
				if x.Policy[i] != v {
					t.Fatalf("%s: logit %d is %v, in the game of its training %v",
						kind, i, x.Policy[i], v)
				}
			}
			legal := s.LegalActions(nil)
			action := legal[rng.IntN(len(legal))]
			s.Apply(action)
			o.Apply(action)
		}
	}
	more := newRun(t, long)
	if _, err := Parse(plain, "az:"+more); err == nil ||
		!strings.Contains(err.Error(),
			"which shows more; networks of both play in games of the former") {
		t.Errorf("a network that has seen more: %v", err)
	}
	if _, err := Parse(game.Must(game.New("turtle:history=3")), "az:"+dir); err == nil ||
		strings.Contains(err.Error(), "shows more") {
		t.Errorf("a network of other rules: %v", err)
	}
	canonical := newRun(t, plain, "search.canonical=true")
	if _, err := Parse(long, "az:"+canonical); err == nil ||
		!strings.Contains(err.Error(), "search.canonical") {
		t.Errorf("canonical orientations: %v", err)
	}
}

// The belief of a network sees what it has seen in training.
func TestBeliefOfAnotherHistory(t *testing.T) {
	const rules = "turtle:squares=4,hand=2,deck=[0,2,1,1,1,1,0],max_turns=20"
	short, long := game.Must(game.New(rules+",history=1")), game.Must(game.New(rules+",history=3"))
	params := beliefNetwork(t, short, 20)
	planes, ok := game.ObservedAs(long, short)
	if !ok {
		t.Fatal("the longer history does not show the shorter one")
	}
	b, err := NewBelief(short, "x", params, 3, nil)
	if err != nil {
		t.Fatal(err)
	}
	c := *b
	c.Planes = planes
	x, y := b.NewBeliever(short), c.NewBeliever(long)
	s, o := short.NewState(), long.NewState()
	rng := random.New(2, random.Test)
	for range 30 {
		if s.CurrentPlayer() == game.Nobody {
			break
		}
		var a game.Action
		if s.CurrentPlayer() == game.Chance {
			a = s.(game.Chancer).Sample(rng)
		} else {
			want, got := x.Logits(s), y.Logits(o)
			for i := range want {
				if got[i] != want[i] {
					t.Fatalf("logit %d is %v, in the game of its training %v", i, got[i], want[i])
				}
			}
			legal := s.LegalActions(nil)
			a = legal[rng.IntN(len(legal))]
		}
		s.Apply(a)
		o.Apply(a)
	}
}
