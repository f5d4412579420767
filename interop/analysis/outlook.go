package analysis

import (
	"math"
	"sort"

	"tengen/game"
	"tengen/game/goban"
	"tengen/internal/random"
	"tengen/player"
)

// Outlook turns the utilities that a search expects into winrates and leads.
//
// Where utilities are wins they are the winrates, and leads are unknown. Where they are points,
// the search knows the mean margin, but not how often it is above komi. For that the Outlook has
// a distribution of the margin at the end of the game: that which the network predicts for the
// position, or that of random playouts. Of all distributions with the mean that the search has
// found it takes the one that is nearest to this one (by relative entropy): the exponentially
// tilted one, whose probabilities are p(m)·exp(θm), normalised.
type Outlook struct {
	wins   bool    // utilities are wins
	points float64 // of the board
	komi   float64 // White's, less Black's
	tilts  []tilt  // by mean, ascending; none where utilities are wins
}

// tilt describes a tilted distribution of the margin, Black's points less White's without komi.
type tilt struct {
	mean, sd float64
	black    float64 // probability that Black wins; a draw counts half
}

// Expectation is what a colour can expect.
type Expectation struct {
	Winrate    float64 // in [0, 1]
	Scored     bool    // Lead and SD are known
	Lead       float64 // the colour's points less the other's, komi counted
	SD         float64 // of the lead, at the end of the game
	Difference float64 // of the utilities, in [-1, 1]
}

// newOutlook makes the outlook of a game under rules. margins has the weights of the margins
// -points to points, not all 0; it is not used where utilities are wins.
func newOutlook(rules goban.Rules, margins []float64) *Outlook {
	o := &Outlook{
		wins: rules.Reward == goban.Win, points: float64(rules.Rows * rules.Columns),
		komi: rules.Komi[1] - rules.Komi[0],
	}
	if !o.wins {
		o.tilts = tiltsOf(margins, o.komi)
	}
	return o
}

// uniform is the weight in a distribution of margins of the uniform one, with which every mean
// can be reached.
const uniform = 0.01

// tiltsOf tabulates the tilted distributions of margins.
func tiltsOf(margins []float64, komi float64) []tilt {
	points := len(margins) / 2
	sum := 0.0
	for _, w := range margins {
		sum += w
	}
	logs := make([]float64, len(margins))
	for i, w := range margins {
		logs[i] = math.Log((1-uniform)*w/sum + uniform/float64(len(margins)))
	}
	const half, largest, small = 160, 12, 0.001
	tilts := make([]tilt, 0, 2*half+1)
	for k := -half; k <= half; k++ {
		// Means change fast near θ = 0 on large boards, and slowly far from it.
		theta := math.Copysign(
			small*math.Expm1(math.Abs(float64(k))/half*math.Log1p(largest/small)), float64(k))
		top := math.Inf(-1)
		for i, l := range logs {
			top = max(top, l+theta*float64(i-points))
		}
		var t tilt
		var all, squares float64
		for i, l := range logs {
			m := float64(i - points)
			p := math.Exp(l + theta*m - top)
			all += p
			t.mean += p * m
			squares += p * m * m
			switch {
			case m > komi:
				t.black += p
			case m == komi:
				t.black += p / 2
			}
		}
		t.mean /= all
		t.black /= all
		t.sd = math.Sqrt(max(0, squares/all-t.mean*t.mean))
		tilts = append(tilts, t)
	}
	return tilts
}

// at interpolates in the table.
func at(tilts []tilt, mean float64) tilt {
	i := sort.Search(len(tilts), func(i int) bool { return tilts[i].mean >= mean })
	switch {
	case i == 0:
		return tilts[0]
	case i == len(tilts):
		return tilts[i-1]
	}
	a, b := tilts[i-1], tilts[i]
	x := (mean - a.mean) / (b.mean - a.mean)
	mix := func(u, v float64) float64 { return u + x*(v-u) }
	return tilt{mean, mix(a.sd, b.sd), mix(a.black, b.black)}
}

// Of returns what a colour can expect, given the utilities of Black and White.
func (o *Outlook) Of(utilities []float32, color game.Player) Expectation {
	black, white := float64(utilities[0]), float64(utilities[1])
	x := Expectation{Difference: black - white}
	if o.wins {
		x.Winrate = 0.5
		if sum := black + white; sum > 0 {
			x.Winrate = black / sum
		}
	} else {
		margin := x.Difference * o.points
		t := at(o.tilts, margin)
		x.Winrate, x.Scored, x.Lead, x.SD = t.black, true, margin-o.komi, t.sd
	}
	if color == 1 {
		x.Winrate, x.Lead, x.Difference = 1-x.Winrate, -x.Lead, -x.Difference
	}
	return x
}

// BlackWins returns the probability that Black wins, a draw counting half, if lead is what Black
// leads by, komi counted, in the mean or, if exact, for certain. It is NaN if that is not known, as
// in a game whose utilities are wins.
func (o *Outlook) BlackWins(lead float64, exact bool) float64 {
	switch {
	case exact && lead == 0:
		return 0.5
	case exact && lead > 0:
		return 1
	case exact:
		return 0
	case o.tilts == nil:
		return math.NaN()
	}
	return at(o.tilts, lead+o.komi).black
}

// bound is the normal quantile of the lower confidence bound of a winrate.
const bound = 1.96

// Lower returns a lower confidence bound of a winrate after a number of visits. The variance of
// a visit's result is not known; it is at most w(1-w).
func Lower(winrate float64, visits int) float64 {
	return max(0, winrate-bound*math.Sqrt(winrate*(1-winrate)/float64(max(visits, 1))))
}

// playouts is the number of random playouts that make an outlook.
const playouts = 64

// Forecast makes outlooks of the positions of a game. It is used by one goroutine.
type Forecast struct {
	game    game.Game
	rules   goban.Rules
	seed    uint64
	predict func(s game.State) [][]float64 // by the network; nil: by playouts
}

// NewForecast makes a Forecast of a game of two-player Go, by the network of p if it predicts
// distributions, or else by random playouts, which seed determines.
func NewForecast(p player.Player, g game.Game, seed uint64) *Forecast {
	rules, ok := goban.RulesOf(g)
	if !ok {
		panic("analysis: " + g.Name() + " is not Go")
	}
	f := &Forecast{game: g, rules: rules, seed: seed}
	if n, ok := player.ForecasterOf(p); ok && rules.Reward == goban.Score {
		f.predict = n.NewForecast(g)
	}
	return f
}

// Of returns the outlook of position s, after a number of moves of game number.
func (f *Forecast) Of(s game.State, number uint64, moves int) *Outlook {
	points := f.rules.Rows * f.rules.Columns
	margins := make([]float64, 2*points+1)
	if f.rules.Reward == goban.Win {
		return newOutlook(f.rules, margins)
	}
	var distributions [][]float64
	if f.predict != nil {
		distributions = f.predict(s)
	} else {
		distributions = f.playOut(s, number, moves)
	}
	// What is not Black's is White's, as on nearly every board at the end of a game.
	for color, distribution := range distributions {
		for i, p := range distribution {
			own := int(math.Round(float64(f.game.Support()[i]) * float64(points)))
			m := 2*own - points
			if color == 1 {
				m = -m
			}
			margins[points+m] += p
		}
	}
	return newOutlook(f.rules, margins)
}

// playOut estimates the distributions of a player.Forecaster by random playouts.
func (f *Forecast) playOut(s game.State, number uint64, moves int) [][]float64 {
	points := f.rules.Rows * f.rules.Columns
	list := [][]float64{make([]float64, points+1), make([]float64, points+1)}
	rng, state := random.New(f.seed, random.Playout, number, uint64(moves)), f.game.NewState()
	var buf []game.Action
	utilities := make([]float32, 2)
	for range playouts {
		state.CopyFrom(s)
		buf = game.Playout(state, rng, buf)
		state.Returns(utilities)
		for c, u := range utilities {
			list[c][int(math.Round(float64(u)*float64(points)))] += 1. / playouts
		}
	}
	return list
}
