package search_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"tengen/game"
	_ "tengen/game/mnk"
	"tengen/internal/random"
	"tengen/search"
)

// asker is a search that requests a number of evaluations of its position, several in each
// step.
type asker struct {
	s           game.State
	times, each int
	awaiting    bool
	rows        []search.Evaluations
	t           *testing.T
}

func (a *asker) Start(s game.State) { a.s = s }
func (a *asker) Play(game.Action)   {}

func (a *asker) Advance(requests search.Requests) bool {
	if a.awaiting {
		a.t.Error("Advance is called before Deliver")
	}
	if a.times == 0 {
		return true
	}
	a.times--
	for range a.each {
		requests.Add(a.s)
	}
	a.awaiting = true
	return false
}

func (a *asker) Deliver(evaluations search.Evaluations) {
	if !a.awaiting {
		a.t.Error("Deliver is called before Advance")
	}
	a.awaiting = false
	evaluations.Policy, evaluations.Values = slices.Clone(evaluations.Policy),
		slices.Clone(evaluations.Values)
	a.rows = append(a.rows, evaluations)
}

func TestRun(t *testing.T) {
	g := game.Must(game.New("tictactoe:players=3"))
	for _, each := range []int{1, 2, 7} {
		a := &asker{times: 5, each: each, t: t}
		a.Start(g.NewState())
		if err := search.Run(a, search.NewConstant(g, 0.25)); err != nil {
			t.Fatal(err)
		}
		if len(a.rows) != 5 || a.awaiting {
			t.Fatalf("%d deliveries of 5", len(a.rows))
		}
		for _, evaluations := range a.rows {
			if len(evaluations.Policy) != each*9 || len(evaluations.Values) != each*3 ||
				evaluations.Actions != 9 || evaluations.Players != 3 {
				t.Fatalf("%d states got rows %+v", each, evaluations)
			}
			for i := range each {
				if slices.Max(evaluations.Logits(i)) != 0 ||
					slices.Min(evaluations.Logits(i)) != 0 {
					t.Errorf("row %d has logits %v", i, evaluations.Logits(i))
				}
				if u := evaluations.Utilities(i); !slices.Equal(u, []float32{0.25, 0.25, 0.25}) {
					t.Errorf("row %d has utilities %v", i, u)
				}
			}
		}
	}
}

func TestSlice(t *testing.T) {
	evaluations := search.Evaluations{
		Policy:  []float32{0, 1, 10, 11, 20, 21},
		Values:  []float32{0, 1, 2, 10, 11, 12, 20, 21, 22},
		Actions: 2,
		Players: 3,
	}
	for i := range 4 {
		for j := i; j < 4; j++ {
			part := evaluations.Slice(i, j)
			if len(part.Policy) != 2*(j-i) || len(part.Values) != 3*(j-i) {
				t.Fatalf("rows %d to %d are %+v", i, j, part)
			}
			for k := range j - i {
				if got := part.Logits(k); got[1] != float32(10*(i+k)+1) || len(got) != 2 {
					t.Errorf("rows %d to %d: logits %d are %v", i, j, k, got)
				}
				if got := part.Utilities(k); got[2] != float32(10*(i+k)+2) || len(got) != 3 {
					t.Errorf("rows %d to %d: utilities %d are %v", i, j, k, got)
				}
			}
		}
	}
	evaluations.Policy = nil
	if part := evaluations.Slice(1, 2); part.Policy != nil || part.Utilities(0)[0] != 10 {
		t.Errorf("without a policy, row 1 is %+v", part)
	}
}

// TestPlayouts compares the mean result with the exact one of random play, and checks that the
// state is not changed.
func TestPlayouts(t *testing.T) {
	g := game.Must(game.New("tictactoe"))
	s := g.NewState()
	// Cells 5, 6, 7 are empty, X is to move and wins on 5 and 6.
	for _, a := range []game.Action{2, 0, 3, 1, 4, 8} {
		s.Apply(a)
	}
	want := mean(g, s)
	before := s.Hash()
	e := search.NewPlayouts(g, random.New(1, random.Test))
	sum := make([]float64, 2)
	const batches, batch = 1000, 20
	for range batches {
		for range batch {
			e.Add(s)
		}
		evaluations := must(e.Evaluate())
		if len(evaluations.Policy) != 0 || len(evaluations.Values) != 2*batch {
			t.Fatalf("%d states got %d logits and %d utilities",
				batch, len(evaluations.Policy), len(evaluations.Values))
		}
		for i := range batch {
			for p, u := range evaluations.Utilities(i) {
				sum[p] += float64(u)
			}
		}
	}
	for p := range sum {
		if got := sum[p] / (batches * batch); math.Abs(got-want[p]) >
			5*math.Sqrt(0.25/(batches*batch)) {
			t.Errorf("player %d gets %.4f on average, exactly %.4f", p, got, want[p])
		}
	}
	if s.Hash() != before {
		t.Error("the state has changed")
	}
	if n := len(must(e.Evaluate()).Values); n != 0 {
		t.Errorf("%d utilities without a state", n)
	}
}

// TestRollouts: players follow the strategy, except for a fraction epsilon of their actions.
func TestRollouts(t *testing.T) {
	g := game.Must(game.New("tictactoe"))
	for _, epsilon := range []float64{0, 0.25, 1} {
		rng := random.New(2, random.Test)
		chosen := 0
		q := game.Strategy{Name: "first", Choose: func(s game.State, _ *rand.Rand) game.Action {
			chosen++
			return s.LegalActions(nil)[0]
		}}
		e := search.NewRollouts(g, &q, epsilon, rng)
		const rollouts = 2000
		wins := float32(0)
		for range rollouts {
			e.Add(g.NewState())
			wins += must(e.Evaluate()).Utilities(0)[0]
		}
		// If the cells are played in order, X wins with the seventh move.
		if epsilon == 0 && (wins != rollouts || chosen != 7*rollouts) ||
			epsilon == 1 && chosen != 0 {
			t.Errorf("epsilon %g: X wins %g of %d, and the strategy chooses %d times",
				epsilon, wins, rollouts, chosen)
		}
		if epsilon == 0.25 && (wins == rollouts || chosen < 4*rollouts || chosen > 7*rollouts) {
			t.Errorf("epsilon %g: X wins %g of %d, and the strategy chooses %d times",
				epsilon, wins, rollouts, chosen)
		}
	}
}

// mean returns the mean result of uniformly random play.
func mean(g game.Game, s game.State) []float64 {
	u := make([]float64, g.Players())
	if s.CurrentPlayer() == game.Nobody {
		r := make([]float32, g.Players())
		s.Returns(r)
		for p := range u {
			u[p] = float64(r[p])
		}
		return u
	}
	legal := s.LegalActions(nil)
	for _, a := range legal {
		next := g.NewState()
		next.CopyFrom(s)
		next.Apply(a)
		for p, v := range mean(g, next) {
			u[p] += v / float64(len(legal))
		}
	}
	return u
}

func TestAllocations(t *testing.T) {
	g := game.Must(game.New("tictactoe"))
	s := g.NewState()
	for name, e := range map[string]search.Evaluator{
		"constant": search.NewConstant(g, 0.5),
		"playouts": search.NewPlayouts(g, random.New(1, random.Test)),
	} {
		if n := testing.AllocsPerRun(50, func() {
			for range 10 {
				e.Add(s)
			}
			e.Evaluate()
		}); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

func must[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}
