package window

import (
	"math"
	"slices"
	"strings"
	"testing"

	"tengen/game"
	"tengen/internal/random"
	"tengen/replay/record"
	"tengen/replay/record/recordtest"
)

// hopeless plays a game at random in which searches find utilities at random. With a threshold
// above 0 the game ends when all players but one have resigned.
func hopeless(t *testing.T, g game.Game, number uint64, threshold float32) *record.Game {
	t.Helper()
	rec := playGame(t, g, number)
	rng := random.New(2, random.Test, number)
	if rng.IntN(4) == 0 {
		rec.Seats[rng.IntN(len(rec.Seats))] = record.SeatRecord{Kind: record.UCT}
	}
	for i := range rec.Moves {
		m := &rec.Moves[i]
		if m.Mover < 0 || len(m.Visits) == 0 {
			continue
		}
		m.Value = make([]float32, len(rec.Seats))
		for p := range m.Value {
			m.Value[p] = float32(math.Pow(rng.Float64(), 3))
		}
	}
	rec.Resign = threshold
	cut(rec, threshold)
	return rec
}

// cut ends a game where players resign, by the definition: after each decision, all players but one
// have last found less than the threshold.
func cut(rec *record.Game, threshold float32) (ended bool, winner game.Player) {
	latest := map[game.Player]float32{}
	for ply := range rec.Moves {
		m := rec.Moves[ply]
		if m.Mover < 0 || rec.Seats[m.Mover].Kind != record.Network || len(m.Value) == 0 {
			continue
		}
		latest[m.Mover] = m.Value[m.Mover]
		resigned := 0
		for p := range game.Player(len(rec.Seats)) {
			if v, ok := latest[p]; ok && v < threshold {
				resigned++
			} else {
				winner = p
			}
		}
		if resigned < len(rec.Seats)-1 {
			continue
		}
		if ply < len(rec.Moves)-1 {
			rec.Moves, rec.Resigned = rec.Moves[:ply+1], true
			clear(rec.Scores)
			clear(rec.Returns)
			rec.Returns[winner] = 1
		}
		return true, winner
	}
	return false, 0
}

// Games in which players resign are taken by a Window and a Checker, those that end elsewhere are
// not, and those that ended by resignation have no targets.
func TestResignedGames(t *testing.T) {
	for name, threshold := range map[string]float32{
		"go:size=4,players=2,reward=win": 1e-4, "go:size=3,players=3,reward=win": 0.1,
		"connect-four": 1e-4,
	} {
		g := game.Must(game.New(name))
		w, err := New(g, Config{Capacity: 100, Auxiliary: true})
		if err != nil {
			t.Fatal(err)
		}
		c, e := record.NewChecker(g), encoderOf(t, w)
		resigned := 0
		for number := range uint64(24) {
			rec := hopeless(t, g, number, threshold)
			if err := c.Check(rec); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if err := w.Add(rec); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if l := &w.auxiliary; l.any() {
				cells, seats := make([]int8, l.size), make([]float32, l.seats*g.Players())
				weight, want := float32(9), float32(1)
				if rec.Resigned {
					want = 0
				}
				s := plySample(int(number), 0)
				if err := e.Auxiliary(s, 0, cells, seats, &weight); err != nil ||
					weight != want {
					t.Fatalf("%s, game %d: targets have the weight %v, want %v: %v",
						name, number, weight, want, err)
				}
			}
			if !rec.Resigned {
				continue
			}
			resigned++
			for what, damage := range map[string]func(*record.Game){
				"another result": func(g *record.Game) { slices.Reverse(g.Returns) },
				"half a result": func(g *record.Game) {
					g.Returns[0], g.Returns[1] = 0.5, 0.5
				},
				"a score":            func(g *record.Game) { g.Scores[0] = 3 },
				"a lower threshold":  func(g *record.Game) { g.Resign = 1e-30 },
				"a higher threshold": func(g *record.Game) { g.Resign = 0.7 },
				"no threshold":       func(g *record.Game) { g.Resign = 0 },
				"no resignation":     func(g *record.Game) { g.Resigned = false },
				"an outcome":         func(g *record.Game) { g.Outcome = slices.Clone(g.Returns) },
				"one move more": func(g *record.Game) {
					g.Moves = append(slices.Clone(g.Moves), g.Moves[len(g.Moves)-1])
				},
			} {
				lie := *rec
				lie.Returns, lie.Scores = slices.Clone(rec.Returns), slices.Clone(rec.Scores)
				if damage(&lie); what == "another result" &&
					slices.Equal(lie.Returns, rec.Returns) {
					continue
				}
				if err := c.Check(&lie); err == nil {
					t.Fatalf("%s, game %d: %s is accepted", name, number, what)
				}
			}
		}
		if resigned < 4 || resigned == 24 {
			t.Errorf("%s: %d of 24 games ended by resignation", name, resigned)
		}
	}
}

// A game that is over by the rules did not end by resignation.
func TestResignedWhenOver(t *testing.T) {
	g := game.Must(game.New("mnk"))
	rec := playGame(t, g, 1)
	last := &rec.Moves[len(rec.Moves)-1]
	last.Value = make([]float32, 2)
	rec.Resign = 0.1
	if err := record.NewChecker(g).Check(rec); err != nil {
		t.Fatal(err) // the last mover had no hope, but the game is over
	}
	rec.Resigned = true
	clear(rec.Scores)
	clear(rec.Returns)
	rec.Returns[1-last.Mover] = 1
	if err := record.NewChecker(g).Check(rec); err == nil ||
		!strings.Contains(err.Error(), "it was over") &&
			!strings.Contains(err.Error(), "but two players") {
		t.Errorf("a resignation after the end: %v", err)
	}
}

// What a result other than a win means for the others is not known.
func TestResignable(t *testing.T) {
	for name, want := range map[string]bool{
		"mnk": true, "connect-four": true, "connect-four:players=3": true,
		"go:size=9,players=2,komi=[0,7],reward=win": true,
		"go:size=5,players=3,reward=win":            true, "go:size=5,players=3": false,
		"backgammon": false, "kuhn": false, "turtle:players=3": true,
	} {
		g, err := game.New(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := record.CheckResignable(g); (err == nil) != want {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := record.CheckResignable(recordtest.Pairs{}); err == nil ||
		!strings.Contains(err.Error(), "utility 0.25, which is not a share of a win") {
		t.Errorf("pairs: %v", err)
	}
}

// The threshold is the greatest of those that are tried at which few enough resignations are wrong,
// counted by ending each game at each of them.
func TestCalibrateResign(t *testing.T) {
	for _, name := range []string{"mnk", "go:size=3,players=3,reward=win"} {
		g := game.Must(game.New(name))
		w, err := New(g, Config{Capacity: 1000, HeldOut: 0.1})
		if err != nil {
			t.Fatal(err)
		}
		rng := random.New(3, random.Test, 1)
		var whole []*record.Game
		for number := range uint64(70) {
			rec := hopeless(t, g, number, 0)
			if rng.IntN(2) == 0 { // most losers are right to have no hope
				for i := range rec.Moves {
					for p := range rec.Moves[i].Value {
						rec.Moves[i].Value[p] = 0.9*rec.Returns[p] + 0.2*rng.Float32()
					}
				}
			}
			if number%7 == 3 { // tells nothing
				rec = hopeless(t, g, number, 0.2)
			} else {
				whole = append(whole, rec)
			}
			if err := w.Add(rec); err != nil {
				t.Fatal(err)
			}
		}
		at := make([]Resignation, 501) // what each threshold does
		for _, rec := range whole {
			if !slices.ContainsFunc(rec.Moves, func(m record.Move) bool {
				return m.Mover >= 0 && rec.Seats[m.Mover].Kind == record.Network && len(m.Value) > 0
			}) {
				continue
			}
			for k := range at {
				got := &at[k]
				got.Threshold = float32(k) / 1000
				got.Games++
				played := *rec
				played.Scores, played.Returns = slices.Clone(rec.Scores), slices.Clone(rec.Returns)
				ended, winner := cut(&played, got.Threshold)
				if !ended {
					continue
				}
				got.Resigned++
				for p, u := range rec.Returns {
					if game.Player(p) != winner && u > 0 {
						got.False++
						break
					}
				}
			}
		}
		found := map[float32]bool{}
		for _, rate := range []float64{0.01, 0.05, 0.1, 0.2, 0.3, 0.5} {
			for _, most := range []float64{0.05, 0.2, 0.5} {
				want := Resignation{Games: at[0].Games}
				for k := 1; float64(k) <= 1000*most+1e-9; k++ {
					if float64(at[k].False+1) <= rate*float64(at[k].Resigned+1) {
						want = at[k]
					}
				}
				if got := w.CalibrateResign(rate, most); got != want {
					t.Errorf("%s, rate %v, at most %v: %+v, want %+v", name, rate, most, got, want)
				}
				found[want.Threshold] = true
			}
		}
		if len(found) < 3 {
			t.Errorf("%s: thresholds %v", name, found)
		}
	}
}
