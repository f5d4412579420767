package evaluation

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"tengen/game"
	"tengen/internal/random"
	"tengen/run"
)

// sampleGame draws a game of three seats among players of the given strengths in Elo,
// as the model of ratings has it.
func sampleGame(rng *rand.Rand, elo func(name string) float64, names ...string) run.EvaluationGame {
	g := run.EvaluationGame{Players: names, Scores: make([]float32, len(names))}
	for seat, name := range names {
		g.Scores[seat] = float32(elo(name)*math.Ln10/400 - math.Log(-math.Log(rng.Float64())))
	}
	return g
}

// TestRate: ratings recover known strengths, UCT is 0, and games of one number count once.
func TestRate(t *testing.T) {
	rng := random.New(1, random.Test, 11)
	strengths := map[string]float64{run.UCTName: 0, "000000": -300, "000005": 50, "000010": 250}
	elo := func(name string) float64 { return strengths[name] }
	var all []run.EvaluationGame
	for i, n := range []int{0, 5, 10} {
		name := run.IterationName(n)
		for k := range 600 {
			seats := []string{run.UCTName, run.UCTName, run.UCTName}
			if i > 0 && k%2 == 1 {
				seats = []string{
					run.IterationName(n - 5), run.IterationName(n - 5), run.IterationName(n - 5),
				}
			}
			seats[k%3] = name
			g := sampleGame(rng, elo, seats...)
			g.Evaluation, g.Number = n, k
			if seats[(k+1)%3] != run.UCTName {
				g.Round = k/12 + 1
			}
			all = append(all, g)
		}
	}
	three := game.Must(game.New("go:size=3,players=3"))
	r, err := Rate(three, "uct", nil, all)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Networks) != 3 || r.Games != 1800 || r.Anchor != "uct" ||
		len(r.Seats) != 3 || r.Seats[0].Seat != "Black" || r.Seats[0].Rating != 0 {
		t.Fatalf("%+v", r)
	}
	for _, n := range r.Networks {
		low, high := n.Bounds()
		if want := strengths[run.IterationName(n.Iteration)]; !(low < n.Rating &&
			n.Rating < high) || high-low > 150 || want < low-20 || want > high+20 {
			t.Errorf("network %d: %v, want %g", n.Iteration, n.Elo.String(), want)
		}
	}
	if n := r.Networks[1].Games; n != 600+300 {
		t.Errorf("network 5 is in %d games, want 900", n)
	}
	if best, ok := r.Best(); !ok || best != 10 {
		t.Errorf("the best is %d", best)
	}
	// An evaluation that was cut off and played again.
	again := slices.Concat(all[:1250], all[1200:])
	twice, err := Rate(three, "uct", nil, again)
	if err != nil {
		t.Fatal(err)
	}
	if twice.Games != r.Games || !reflect.DeepEqual(twice, r) {
		t.Errorf("%+v, want %+v", twice, r)
	}
}

// TestRateIsBounded: of more networks than are rated at once, those of the last
// iterations are, and games with others are left out; old ratings stay.
func TestRateIsBounded(t *testing.T) {
	rng := random.New(1, random.Test, 12)
	const networks = maxRatedNetworks + 20
	var all []run.EvaluationGame
	for n := range networks {
		for k := range 4 {
			g := sampleGame(rng, func(string) float64 {
				return 0
			}, run.IterationName(n), run.UCTName)
			g.Evaluation, g.Number = n, k
			all = append(all, g)
		}
		if n > 0 {
			g := sampleGame(rng, func(string) float64 {
				return 0
			}, run.IterationName(n), run.IterationName(n-1))
			g.Evaluation, g.Number, g.Round = n, 4, 1
			all = append(all, g)
		}
	}
	two := game.Must(game.New("tictactoe"))
	r, err := Rate(two, "uct", nil, all)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Networks) != maxRatedNetworks || r.Networks[0].Iteration != 20 ||
		r.Games != 4*maxRatedNetworks+maxRatedNetworks-1 {
		t.Errorf("%d networks from %d on, %d games",
			len(r.Networks), r.Networks[0].Iteration, r.Games)
	}
	old := &run.Ratings{
		Networks: []run.NetworkRating{
			{Iteration: 3, Elo: run.Elo{Rating: 7}}, {Iteration: 25, Elo: run.Elo{Rating: 9999}},
		},
	}
	r.AddMissing(old)
	if len(r.Networks) != maxRatedNetworks+1 || r.Networks[0].Iteration != 3 ||
		r.Of(3).Rating != 7 || r.Of(25).Rating == 9999 {
		t.Errorf("with old ratings: %+v", r.Networks[:3])
	}
	if got := laterOnes(make([]run.EvaluationGame, 3)); len(got) != 1 {
		t.Errorf("of three games with one number %d count", len(got))
	}
	many := make([]run.EvaluationGame, maxRatedGames+5)
	for i := range many {
		many[i].Number = i
	}
	if got := laterOnes(many); len(got) != maxRatedGames || got[0].Number != 5 {
		t.Errorf("of %d games %d count, from %d on", len(many), len(got), got[0].Number)
	}
}

// A network that won or lost all its games has one bound.
func TestRateOneSided(t *testing.T) {
	var all []run.EvaluationGame
	for k := range 10 {
		g := run.EvaluationGame{
			Players: []string{"000000", run.UCTName}, Scores: []float32{0, 1}, Number: k,
		}
		if k%2 == 1 {
			slices.Reverse(g.Players)
			slices.Reverse(g.Scores)
		}
		all = append(all, g)
	}
	r, err := Rate(game.Must(game.New("tictactoe")), "uct", nil, all)
	if err != nil {
		t.Fatal(err)
	}
	low, high := r.Of(0).Bounds()
	if !math.IsInf(low, -1) || math.IsInf(high, 0) || r.Of(0).Low != nil || r.Of(5) != nil {
		t.Errorf("%+v", r.Networks)
	}
}
