package rating

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"tengen/internal/random"
)

// pairs returns games of two players with the given numbers of wins, draws and losses
// of the first.
func pairs(a, b, won, drawn, lost int) []Game {
	var games []Game
	for i := range won + drawn + lost {
		scores := []float64{1, 0}
		if i >= won {
			scores = []float64{1, 1}
		}
		if i >= won+drawn {
			scores = []float64{0, 1}
		}
		games = append(games, Game{Players: []int{a, b}, Scores: scores})
	}
	return games
}

func fit(t *testing.T, players int, games []Game, o Options) *Result {
	t.Helper()
	r, err := Fit(players, games, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) && got != want {
		t.Errorf("%s: %g, want %g", what, got, want)
	}
}

// TestThreeQuarters uses a score of 75 %: odds of 3 to 1, 400·log10(3) = 190.85 Elo.
func TestThreeQuarters(t *testing.T) {
	r := fit(t, 2, pairs(1, 0, 75000, 0, 25000), Options{AnchorRating: 1000})
	near(t, "rating", r.Ratings[1].Elo, 1190.85, 0.01)
	if r.Ratings[0] != (Rating{1000, 1000, 1000, 100000}) {
		t.Errorf("the anchor has %+v", r.Ratings[0])
	}
	near(t, "dominance", r.Dominance[1][0], 0.75, 0)
	near(t, "dominance", r.Dominance[0][1], 0.25, 0)
	// s of the log odds is 1/√(n·p·(1-p)), so ± 1.96·173.72·√(1/18750) = ± 2.49.
	near(t, "low", r.Ratings[1].Low, 1190.85-2.49, 0.02)
	near(t, "high", r.Ratings[1].High, 1190.85+2.49, 0.02)
}

// TestDavidson: with one pair of players, δ fits the draws, and the odds are those of
// wins to losses.
func TestDavidson(t *testing.T) {
	r := fit(t, 2, pairs(0, 1, 1000, 3000, 6000), Options{})
	near(t, "rating", r.Ratings[1].Elo, 400*math.Log10(6), 0.1)
	near(t, "dominance", r.Dominance[1][0], 0.75, 0)
	// The interval is the same from decided games only: draws only fit δ.
	s := fit(t, 2, pairs(0, 1, 1000, 0, 6000), Options{})
	near(t, "low", r.Ratings[1].Low, s.Ratings[1].Low, 0.01)
	near(t, "high", r.Ratings[1].High, s.Ratings[1].High, 0.01)
}

// TestDrawsTellCloseness: once other games show how common draws are, draws show that
// two players are close. Many even games set δ to 2. A win and 4 draws, 3 points of 5,
// then give the difference x at which 5 games are expected to yield 3 points.
func TestDrawsTellCloseness(t *testing.T) {
	games := append(pairs(0, 1, 20000, 40000, 20000), pairs(0, 2, 1, 4, 0)...)
	r := fit(t, 3, games, Options{Anchor: 2})
	low, high := -5.0, 5.0
	for high-low > 1e-9 {
		x := (low + high) / 2
		points := 5 * (math.Exp(x/2) + 1) / (math.Exp(x/2) + math.Exp(-x/2) + 2)
		if points < 3 {
			low = x
		} else {
			high = x
		}
	}
	m := newModel(3, games, Options{Anchor: 2})
	beta, _ := m.maximise(make([]float64, m.dim), 1e-9, none, m.tolerance())
	near(t, "difference", beta[m.player[0]], low, 1e-4)
	if x := r.Ratings[0]; math.IsInf(x.High, 0) || math.IsInf(x.Low, 0) || x.Elo > eloPerNat*low {
		t.Errorf("%+v, want a finite interval and less than %g", x, eloPerNat*low)
	}
}

// penalised is the log-likelihood of the given wins and losses if x is the logarithm
// of the odds. The absent player is halfway between the two.
func penalised(won, lost, x float64) float64 {
	p, half := 1/(1+math.Exp(-x)), 1/(1+math.Exp(-x/2))
	sum := math.Log(half) + math.Log(1-half) // half a win and a loss of both players
	if won > 0 {
		sum += won * math.Log(p)
	}
	if lost > 0 {
		sum += lost * math.Log(1-p)
	}
	return sum
}

// ofPair returns the estimate and the interval by bisection, in Elo.
func ofPair(won, lost float64) (estimate, low, high float64) {
	bisect := func(inside, outside float64, isInside func(float64) bool) float64 {
		for math.Abs(outside-inside) > 1e-9 {
			if x := (inside + outside) / 2; isInside(x) {
				inside = x
			} else {
				outside = x
			}
		}
		return inside
	}
	estimate = bisect(-20, 20, func(x float64) bool {
		return penalised(won, lost, x+1e-6) > penalised(won, lost, x-1e-6)
	})
	near := func(x float64) bool {
		return 2*(penalised(won, lost, estimate)-penalised(won, lost, x)) < 3.841458820694124
	}
	return eloPerNat * estimate, eloPerNat * bisect(estimate, -40, near),
		eloPerNat * bisect(estimate, 40, near)
}

func TestIntervalOfTwo(t *testing.T) {
	for _, c := range [][2]int{{9, 2}, {2, 2}, {1, 30}, {500, 300}} {
		r := fit(t, 2, pairs(1, 0, c[0], 0, c[1]), Options{})
		elo, low, high := ofPair(float64(c[0]), float64(c[1]))
		near(t, "rating", r.Ratings[1].Elo, elo, 0.01)
		// The robust variance makes the widening slightly greater than 1.
		width := (high - low) / float64(c[0]+c[1])
		near(t, "low", r.Ratings[1].Low, low, width)
		near(t, "high", r.Ratings[1].High, high, width)
	}
}

// TestUnbeaten: games set no upper bound for a player that won them all.
func TestUnbeaten(t *testing.T) {
	for _, n := range []int{1, 3, 20, 1000} {
		elo, low, _ := ofPair(float64(n), 0)
		r := fit(t, 2, pairs(1, 0, n, 0, 0), Options{})
		near(t, "rating", r.Ratings[1].Elo, elo, 0.01)
		near(t, "low", r.Ratings[1].Low, low, 0.05)
		near(t, "high", r.Ratings[1].High, math.Inf(1), 0)
		r = fit(t, 2, pairs(1, 0, 0, 0, n), Options{})
		near(t, "rating of the loser", r.Ratings[1].Elo, -elo, 0.01)
		near(t, "low of the loser", r.Ratings[1].Low, math.Inf(-1), 0)
		near(t, "high of the loser", r.Ratings[1].High, -low, 0.05)
	}
}

// TestNeverLost: draws set no upper bound, unless other games show how common draws
// are.
func TestNeverLost(t *testing.T) {
	r := fit(t, 2, pairs(1, 0, 10, 10, 0), Options{})
	if x := r.Ratings[1]; !math.IsInf(x.High, 1) || !(x.Low > 0 && x.Low < x.Elo && x.Elo < 1500) {
		t.Errorf("%+v", x)
	}
}

// TestChainOfPerfectRecords: neighbours are bounded on one side, and so are players
// many steps away that only others link to the anchor.
func TestChainOfPerfectRecords(t *testing.T) {
	for _, all := range []bool{false, true} {
		var games []Game
		for i := 1; i < 12; i++ {
			games = append(games, pairs(i, i-1, 20, 0, 0)...)
			for j := 0; j < i-1 && all; j++ {
				games = append(games, pairs(i, j, 20, 0, 0)...)
			}
		}
		r := fit(t, 12, games, Options{})
		for i := 1; i < 12; i++ {
			x := r.Ratings[i]
			if !math.IsInf(x.High, 1) || !(100 < x.Low && x.Low < x.Elo-50) ||
				x.Elo <= r.Ratings[i-1].Elo || x.Elo > 6000 || !r.Connected[i] {
				t.Errorf("player %d: %+v", i, x)
			}
		}
		for i, x := range fit(t, 12, games, Options{Anchor: 11}).Ratings[:11] {
			if !math.IsInf(x.Low, -1) || !(x.Elo+50 < x.High && x.High < -100) {
				t.Errorf("player %d below the anchor: %+v", i, x)
			}
		}
	}
}

func TestUnconnected(t *testing.T) {
	games := append(pairs(0, 1, 30, 0, 10), pairs(2, 3, 20, 0, 20)...)
	r := fit(t, 5, games, Options{})
	for i, want := range []bool{true, true, false, false, false} {
		if r.Connected[i] != want {
			t.Errorf("player %d is connected: %v", i, r.Connected[i])
		}
		if x := r.Ratings[i]; want == math.IsInf(x.Low, -1) || want == math.IsInf(x.High, 1) ||
			math.IsNaN(x.Elo) {
			t.Errorf("player %d: %+v", i, x)
		}
	}
	// Those without a link are as far from the anchor's rating as the prior has them.
	uneven := fit(t, 4, append(games[:40:40], pairs(2, 3, 30, 0, 10)...),
		Options{AnchorRating: 1000}).Ratings
	if !(uneven[2].Elo > 999 && uneven[3].Elo < 900) {
		t.Errorf("without a link, the winner has %+v, the loser %+v", uneven[2], uneven[3])
	}
	if !math.IsNaN(r.Dominance[0][2]) || r.Meetings[0][2] != 0 || !math.IsNaN(r.Dominance[1][1]) {
		t.Errorf("dominance %v, meetings %v", r.Dominance, r.Meetings)
	}
	alone := fit(t, 2, games[:40], Options{})
	near(t, "low", r.Ratings[1].Low, alone.Ratings[1].Low, 0.5)
	near(t, "high", r.Ratings[1].High, alone.Ratings[1].High, 0.5)
	if none := fit(t, 2, nil, Options{}); none.Connected[1] ||
		!math.IsInf(none.Ratings[1].High, 1) {
		t.Errorf("without games: %+v", none)
	}
}

// TestLosersTie: if losers always tie, the fit is that of first choices alone. Shares
// 4/7, 2/7, 1/7 correspond to worths of 4, 2, 1.
func TestLosersTie(t *testing.T) {
	var games []Game
	for i, n := range []int{4000, 2000, 1000} {
		for range n {
			g := Game{Players: []int{0, 1, 2}, Scores: make([]float64, 3)}
			g.Scores[i] = 25
			games = append(games, g)
		}
	}
	r := fit(t, 3, games, Options{Anchor: 2})
	near(t, "first", r.Ratings[0].Elo, 400*math.Log10(4), 0.3)
	near(t, "second", r.Ratings[1].Elo, 400*math.Log10(2), 0.3)
}

// TestSelfPlay: games of a player with itself, including ties of its copies, change
// nothing, and do not link it to anyone.
func TestSelfPlay(t *testing.T) {
	games := append(pairs(0, 1, 30, 20, 10),
		Game{Players: []int{0, 1, 1}, Scores: []float64{1, 2, 2}},
		Game{Players: []int{0, 1, 1}, Scores: []float64{2, 1, 0}})
	with := append([]Game(nil), games...)
	for i := range 100 {
		with = append(with, Game{Players: []int{1, 1, 1}, Scores: []float64{1, float64(i % 2), 0}},
			Game{Players: []int{0, 0}, Scores: []float64{1, 1}})
	}
	a, b := fit(t, 2, games, Options{}), fit(t, 2, with, Options{})
	near(t, "rating", b.Ratings[1].Elo, a.Ratings[1].Elo, 1e-6)
	near(t, "low", b.Ratings[1].Low, a.Ratings[1].Low, 1e-2)
	near(t, "high", b.Ratings[1].High, a.Ratings[1].High, 1e-2)
	if b.Ratings[1].Games != 162 || b.Meetings[0][1] != 64 {
		t.Errorf("%d games and %d meetings, want 162 and 64", b.Ratings[1].Games, b.Meetings[0][1])
	}
	if r := fit(t, 2, with[62:], Options{}); r.Connected[1] {
		t.Error("games with oneself link two players")
	}
}

// TestTwoSeatsOfThree: a player in two seats comes first as often as both together:
// 2/3 against an equal.
func TestTwoSeatsOfThree(t *testing.T) {
	var games []Game
	for i, n := range []int{1000, 1000, 1000} {
		for k := range n {
			g := Game{Players: []int{0, 0, 1}, Scores: make([]float64, 3)}
			g.Scores[i], g.Scores[(i+1+k%2)%3] = 2, 1
			games = append(games, g)
		}
	}
	r := fit(t, 2, games, Options{})
	near(t, "rating", r.Ratings[1].Elo, 0, 1e-6)
	near(t, "dominance", r.Dominance[1][0], 0.5, 0)
}

func TestSeats(t *testing.T) {
	truth := noTies(0, 120, -80, 200)
	truth.seats = []float64{0, -100, 50}
	rng := random.New(1, random.Test, 4)
	var games []Game
	for range 6000 {
		p := rng.Perm(4)[:3]
		if rng.IntN(5) == 0 {
			p[1] = p[0]
		}
		games = append(games, truth.play(rng, p))
	}
	r := fit(t, 4, games, Options{Seats: true})
	for i, want := range truth.elo {
		near(t, "player", r.Ratings[i].Elo, want, 20)
	}
	for s, want := range truth.seats {
		near(t, "seat", r.Seats[s].Elo, want, 20)
		if x := r.Seats[s]; x.Games != 6000 ||
			s > 0 && (x.Low > want || x.High < want || x.High-x.Low > 50) {
			t.Errorf("seat %d: %+v, want %g", s, x, want)
		}
	}
	if fit(t, 4, games[:10], Options{}).Seats != nil {
		t.Error("seats although they were not requested")
	}
	// Games among copies also determine the seats.
	games = games[:0]
	for range 5000 {
		games = append(games, truth.play(rng, []int{0, 0, 0}))
	}
	r = fit(t, 1, games, Options{Seats: true})
	near(t, "seat 1 of copies", r.Seats[1].Elo, -100, 20)
	near(t, "seat 2 of copies", r.Seats[2].Elo, 50, 20)
}

// TestSeatsAndPlayersConfounded: a player that always has the same seat can't be
// distinguished from it.
func TestSeatsAndPlayersConfounded(t *testing.T) {
	r := fit(t, 2, pairs(0, 1, 30, 0, 20), Options{Seats: true})
	for _, x := range []Rating{r.Ratings[1], r.Seats[1]} {
		if !math.IsInf(x.Low, -1) || !math.IsInf(x.High, 1) {
			t.Errorf("%+v, want no bounds", x)
		}
	}
}

// TestInvariances: differences depend neither on the order of games, nor on the
// numbering of players, the anchor, or the scale of scores.
func TestInvariances(t *testing.T) {
	rng := random.New(1, random.Test, 5)
	for round := range 3 {
		games := anyGames(rng, 80)
		seats := round == 1
		r := fit(t, 4, games, Options{Anchor: 0, Seats: seats})
		relabel := rng.Perm(4)
		changed := make([]Game, len(games))
		for i, j := range rng.Perm(len(games)) {
			g := Game{}
			for s, p := range games[j].Players {
				g.Players = append(g.Players, relabel[p])
				g.Scores = append(g.Scores, math.Exp(3*games[j].Scores[s])-1e6)
			}
			changed[i] = g
		}
		same := fit(t, 4, changed, Options{Anchor: relabel[0], AnchorRating: 1500, Seats: seats})
		other := fit(t, 4, games, Options{Anchor: 2, Seats: seats})
		for i := range r.Ratings {
			a, b := r.Ratings[i], same.Ratings[relabel[i]]
			near(t, "relabelled", b.Elo, a.Elo+1500, 1e-5)
			near(t, "relabelled low", b.Low, a.Low+1500, 1e-1)
			near(t, "relabelled high", b.High, a.High+1500, 1e-1)
			near(t, "other anchor", other.Ratings[i].Elo-other.Ratings[0].Elo, a.Elo, 1e-5)
			for j := range r.Ratings {
				if x := same.Dominance[relabel[i]][relabel[j]]; i != j &&
					math.Abs(x-r.Dominance[i][j]) > 1e-12 {
					t.Errorf("relabelled dominance %g, want %g", x, r.Dominance[i][j])
				}
			}
		}
		near(t, "low seen from the other", -other.Ratings[0].High, r.Ratings[2].Low, 1e-1)
		near(t, "high seen from the other", -other.Ratings[0].Low, r.Ratings[2].High, 1e-1)
	}
}

// TestGroups: four copies of each game in a group count as one.
func TestGroups(t *testing.T) {
	games := pairs(0, 1, 400, 0, 600)
	var copied []Game
	for i, g := range games {
		g.Group = i + 1
		copied = append(copied, g, g, g, g)
	}
	one, four := fit(t, 2, games, Options{}), fit(t, 2, copied, Options{})
	near(t, "rating", four.Ratings[1].Elo, one.Ratings[1].Elo, 0.2)
	near(t, "low", four.Ratings[1].Low, one.Ratings[1].Low, 0.2)
	near(t, "high", four.Ratings[1].High, one.Ratings[1].High, 0.2)
}

func TestErrors(t *testing.T) {
	game := []Game{{Players: []int{0, 1}, Scores: []float64{1, 0}}}
	for _, c := range []struct {
		players int
		games   []Game
		o       Options
		want    string
	}{
		{0, nil, Options{}, "0 players"},
		{2, game, Options{Anchor: 2}, "anchor is player 2"},
		{2, game, Options{Anchor: -1}, "anchor is player -1"},
		{2, game, Options{AnchorRating: math.NaN()}, "NaN"},
		{1, game, Options{}, "game 0, seat 1: player 1"},
		{2, []Game{{Players: []int{0}, Scores: []float64{1}}}, Options{}, "game 0 has 1 seats"},
		{2, []Game{{Players: make([]int, 13), Scores: make([]float64, 13)}}, Options{},
			"13 seats; 2 to 12"},
		{2, []Game{game[0], {Players: []int{0, 1}, Scores: []float64{1}}}, Options{},
			"game 1 has 2 seats but 1 scores"},
		{2, []Game{{Players: []int{0, 1}, Scores: []float64{1, math.NaN()}}}, Options{},
			"seat 1: the score"},
	} {
		if _, err := Fit(c.players, c.games, c.o); err == nil ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want one with %q", err, c.want)
		}
	}
}

// An infinite bound, or a rating that is not known, is null.
func TestJSON(t *testing.T) {
	r := fit(t, 3, pairs(0, 1, 0, 0, 1), Options{})
	r.Ratings[1].Elo, r.Ratings[1].Low, r.Ratings[2].Elo = 250.5, -306, 0
	text, err := json.Marshal(r.Ratings)
	const want = `[{"elo":0,"low":0,"high":0,"games":1},{"elo":250.5,"low":-306,"high":null,"games":1},{"elo":0,"low":null,"high":null,"games":0}]`
	if err != nil || string(text) != want {
		t.Errorf("%s, %v\nwant %s", text, err, want)
	}
}

// TestFixed: a player of unknown strength meets two whose ratings are known. Its estimate is where
// the likelihood of a direct search is greatest, and known ratings stay what they are.
func TestFixed(t *testing.T) {
	games := append(pairs(2, 0, 80, 0, 20), pairs(2, 1, 30, 0, 70)...)
	r := fit(t, 3, games, Options{AnchorRating: 100, Fixed: map[int]float64{1: 500}})
	if r.Ratings[1] != (Rating{500, 500, 500, 100}) {
		t.Errorf("the known rating became %+v", r.Ratings[1])
	}
	best, at := math.Inf(-1), 0.0
	for elo := 0.0; elo < 1000; elo += 0.05 {
		odds := func(other float64) float64 { return 1 / (1 + math.Pow(10, (other-elo)/400)) }
		l := 80*math.Log(odds(100)) + 20*math.Log(1-odds(100)) + 30*math.Log(odds(500)) +
			70*math.Log(1-odds(500))
		if l > best {
			best, at = l, elo
		}
	}
	near(t, "rating", r.Ratings[2].Elo, at, 3) // the prior pulls a little
	if !(r.Ratings[2].Low < at && at < r.Ratings[2].High) || math.IsInf(r.Ratings[2].Low, 0) ||
		math.IsInf(r.Ratings[2].High, 0) {
		t.Errorf("the interval is %g to %g", r.Ratings[2].Low, r.Ratings[2].High)
	}
}

// TestFixedLinks: a player that met no anchor, but one with a known rating, is rated.
func TestFixedLinks(t *testing.T) {
	games := append(pairs(1, 2, 50, 0, 50), pairs(3, 4, 50, 0, 50)...)
	r := fit(t, 5, games, Options{Fixed: map[int]float64{1: 300}})
	if !r.Connected[2] || r.Connected[3] {
		t.Errorf("connected: %v", r.Connected)
	}
	near(t, "rating", r.Ratings[2].Elo, 300, 3)
}

// TestFixedNarrows: with the truth as known ratings the estimates stay where they are, and the
// interval of the rest becomes narrower.
func TestFixedNarrows(t *testing.T) {
	truth := truths[2].model()
	rng := random.New(1, random.Test, 11)
	var games []Game
	for range 2000 {
		games = append(games, truth.play(rng, rng.Perm(len(truth.elo))[:3]))
	}
	free := fit(t, 4, games, Options{Seats: true})
	known := fit(t, 4, games, Options{
		Seats: true, Fixed: map[int]float64{1: truth.elo[1], 2: truth.elo[2]},
	})
	width := func(r *Result) float64 { return r.Ratings[3].High - r.Ratings[3].Low }
	if !(width(known) < width(free)) {
		t.Errorf("widths: %g with known ratings, %g without", width(known), width(free))
	}
	near(t, "rating", known.Ratings[3].Elo, truth.elo[3], 30)
}

func TestFixedIsRefused(t *testing.T) {
	for _, fixed := range []map[int]float64{
		{0: 100}, {2: 100}, {-1: 0}, {1: math.NaN()}, {1: math.Inf(1)},
	} {
		if _, err := Fit(2, pairs(0, 1, 1, 0, 1), Options{Fixed: fixed}); err == nil {
			t.Errorf("%v was accepted", fixed)
		}
	}
}

// TestMostSeats: games of as many seats as there may be are fitted, by who ties with whom; those of
// one more are refused.
func TestMostSeats(t *testing.T) {
	g := Game{Scores: make([]float64, maxSeats)}
	for s := range maxSeats {
		g.Players = append(g.Players, s)
		g.Scores[s] = float64(-s / 2) // two tie for each place
	}
	tied := Game{Players: g.Players, Scores: make([]float64, maxSeats), Group: 1} // all
	r, err := Fit(maxSeats, []Game{g, tied}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for s := 1; s < maxSeats; s++ {
		above, below := r.Ratings[s-1].Elo, r.Ratings[s].Elo
		if s%2 == 1 && math.Abs(above-below) > 1e-6 || s%2 == 0 && !(above > below+1) {
			t.Errorf("players %d and %d have %g and %g Elo", s-1, s, above, below)
		}
	}
	g.Players, g.Scores = append(g.Players, 0), append(g.Scores, 0)
	if _, err := Fit(maxSeats, []Game{g}, Options{}); err == nil {
		t.Error("a game of one seat too many is fitted")
	}
}
