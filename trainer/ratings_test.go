package trainer

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"tengen/game"
	"tengen/internal/stream"
	"tengen/vfs"
)

// sampleGame draws a game of three seats among players of the given strengths in Elo,
// as the model of ratings has it.
func sampleGame(rng *rand.Rand, elo func(name string) float64, names ...string) EvaluationGame {
	g := EvaluationGame{Players: names, Scores: make([]float32, len(names))}
	for seat, name := range names {
		g.Scores[seat] = float32(elo(name)*math.Ln10/400 - math.Log(-math.Log(rng.Float64())))
	}
	return g
}

// TestRate: ratings recover known strengths, UCT is 0, and games of one number count once.
func TestRate(t *testing.T) {
	rng := stream.New(1, stream.Test, 11)
	strengths := map[string]float64{anchorName: 0, "000000": -300, "000005": 50, "000010": 250}
	elo := func(name string) float64 { return strengths[name] }
	var all []EvaluationGame
	for i, n := range []int{0, 5, 10} {
		name := networkName(n)
		for k := range 600 {
			seats := []string{anchorName, anchorName, anchorName}
			if i > 0 && k%2 == 1 {
				seats = []string{networkName(n - 5), networkName(n - 5), networkName(n - 5)}
			}
			seats[k%3] = name
			g := sampleGame(rng, elo, seats...)
			g.Evaluation, g.Number = n, k
			if seats[(k+1)%3] != anchorName {
				g.Round = k/12 + 1
			}
			all = append(all, g)
		}
	}
	three := game.Must(game.New("go:size=3,players=3"))
	r, err := rate(three, all)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Networks) != 3 || r.Games != 1800 || r.Anchor != baseline.Name() || len(r.Seats) != 3 || r.Seats[0].Seat != "Black" || r.Seats[0].Rating != 0 {
		t.Fatalf("%+v", r)
	}
	for _, n := range r.Networks {
		low, high := n.bounds()
		if want := strengths[networkName(n.Iteration)]; !(low < n.Rating && n.Rating < high) || high-low > 150 || want < low-20 || want > high+20 {
			t.Errorf("network %d: %v, want %g", n.Iteration, n.Elo.String(), want)
		}
	}
	if n := r.Networks[1].Games; n != 600+300 {
		t.Errorf("network 5 is in %d games, want 900", n)
	}
	if best, ok := r.best(); !ok || best != 10 {
		t.Errorf("the best is %d", best)
	}
	// An evaluation that was cut off and played again.
	again := slices.Concat(all[:1250], all[1200:])
	twice, err := rate(three, again)
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
	rng := stream.New(1, stream.Test, 12)
	const networks = maxRatedNetworks + 20
	var all []EvaluationGame
	for n := range networks {
		for k := range 4 {
			g := sampleGame(rng, func(string) float64 { return 0 }, networkName(n), anchorName)
			g.Evaluation, g.Number = n, k
			all = append(all, g)
		}
		if n > 0 {
			g := sampleGame(rng, func(string) float64 { return 0 }, networkName(n), networkName(n-1))
			g.Evaluation, g.Number, g.Round = n, 4, 1
			all = append(all, g)
		}
	}
	two := game.Must(game.New("tictactoe"))
	r, err := rate(two, all)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Networks) != maxRatedNetworks || r.Networks[0].Iteration != 20 || r.Games != 4*maxRatedNetworks+maxRatedNetworks-1 {
		t.Errorf("%d networks from %d on, %d games", len(r.Networks), r.Networks[0].Iteration, r.Games)
	}
	old := &Ratings{Networks: []NetworkRating{{Iteration: 3, Elo: Elo{Rating: 7}}, {Iteration: 25, Elo: Elo{Rating: 9999}}}}
	r.keepOld(old)
	if len(r.Networks) != maxRatedNetworks+1 || r.Networks[0].Iteration != 3 || r.of(3).Rating != 7 || r.of(25).Rating == 9999 {
		t.Errorf("with old ratings: %+v", r.Networks[:3])
	}
	if got := laterOnes(make([]EvaluationGame, 3)); len(got) != 1 {
		t.Errorf("of three games with one number %d count", len(got))
	}
	many := make([]EvaluationGame, maxRatedGames+5)
	for i := range many {
		many[i].Number = i
	}
	if got := laterOnes(many); len(got) != maxRatedGames || got[0].Number != 5 {
		t.Errorf("of %d games %d count, from %d on", len(many), len(got), got[0].Number)
	}
}

// A network that won or lost all its games has one bound; files have null for the other.
func TestRatingsFile(t *testing.T) {
	var all []EvaluationGame
	for k := range 10 {
		g := EvaluationGame{Players: []string{"000000", anchorName}, Scores: []float32{0, 1}, Number: k}
		if k%2 == 1 {
			slices.Reverse(g.Players)
			slices.Reverse(g.Scores)
		}
		all = append(all, g)
	}
	r, err := rate(game.Must(game.New("tictactoe")), all)
	if err != nil {
		t.Fatal(err)
	}
	low, high := r.of(0).bounds()
	if !math.IsInf(low, -1) || math.IsInf(high, 0) || r.of(0).Low != nil || r.of(5) != nil {
		t.Errorf("%+v", r.Networks)
	}
	run := Folder(t.TempDir()).on(nil)
	if got, err := run.readRatings(); err != nil || len(got.Networks) != 0 {
		t.Errorf("where there is no file: %v, %+v", err, got)
	}
	if err := os.Mkdir(filepath.Dir(run.Ratings()), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := run.writeJSON(run.Ratings(), r); err != nil {
		t.Fatal(err)
	}
	got, err := run.readRatings()
	if err != nil || !reflect.DeepEqual(got, r) {
		t.Errorf("%v: %+v, want %+v", err, got, r)
	}
	if err := vfs.WriteBytes(run.fs, run.Ratings(), []byte("{")); err != nil {
		t.Fatal(err)
	}
	if got, err := run.readRatings(); err == nil || got == nil {
		t.Error("a damaged file is taken")
	}
	if _, ok := new(Ratings).best(); ok {
		t.Error("nobody is the best")
	}
}

func TestWidth(t *testing.T) {
	text, err := json.Marshal([]Width{1.5, Width(math.Inf(1))})
	if err != nil || string(text) != "[1.5,null]" {
		t.Errorf("%s, %v", text, err)
	}
	var got []Width
	if err := json.Unmarshal(text, &got); err != nil || len(got) != 2 || got[0] != 1.5 || !math.IsInf(float64(got[1]), 1) {
		t.Errorf("%v, %v", got, err)
	}
}
