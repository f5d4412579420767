package lab

import (
	"context"
	"fmt"
	"math"
	"slices"

	"tengen/arena"
	"tengen/configs"
	"tengen/internal/interval"
	"tengen/nn"
	"tengen/research"
	"tengen/run"
	"tengen/run/history"
)

// Result is what a lab has found so far. It is a part of a page.
type Result struct {
	research.Made `json:"made"`
	Title         string `json:"title"`
	Game          string `json:"game"`
	// what ended the runs: evaluations, seconds or iterations
	Unit        string `json:"budget"`
	Simulations int    `json:"simulations"`
	GamesAPair  int    `json:"games_a_pair"`
	// each network played with its arm's search; else all with the first arm's
	OwnSearch bool          `json:"own_search"`
	Seeds     []uint64      `json:"seeds"`
	Arms      []ArmResult   `json:"arms"`  // the first is the one that the others are compared with
	Pairs     []PairResult  `json:"pairs"` // those that have played
	Alone     []AloneResult `json:"alone"`
	Curves    []Curve       `json:"curves"`
	Notes     []string      `json:"notes"`

	// NashUnit is that of NashConv, chips or utility; "" if it was not measured.
	NashUnit string `json:"nash_conv_unit,omitempty"`

	Runs           int `json:"runs"` // in all
	RunsTrained    int `json:"runs_trained"`
	Matches        int `json:"matches"`
	MatchesPlayed  int `json:"matches_played"`
	MatchesRepeats int `json:"rounds_not_counted"` // they repeated an earlier one
}

// ArmResult is an arm and its runs.
type ArmResult struct {
	Name string           `json:"name"`
	Base string           `json:"base"`
	Keys []configs.Change `json:"keys"` // that differ from the first arm
	// Elo is the arm's difference to the first; null for the first, and before there are matches.
	Elo  *Difference `json:"elo"`
	Runs []RunResult `json:"runs"`
	// NashConv is the mean over runs; missing if it was not measured.
	NashConv *NashConv `json:"nash_conv,omitempty"`
}

// RunResult is a run that was trained to its end.
type RunResult struct {
	Seed       uint64  `json:"seed"`
	Folder     string  `json:"folder"` // its name
	Network    string  `json:"network_digest"`
	Iterations int     `json:"iterations"`
	Games      int     `json:"games"`
	Steps      uint64  `json:"steps"`
	Asked      uint64  `json:"evaluations_asked"` // by self-play; 0 if training.evaluations is 0
	Seconds    float64 `json:"seconds"`           // of wall-clock time, over all processes
	// Losses are those of the last iteration.
	Losses  nn.Losses  `json:"losses"`
	HeldOut *nn.Losses `json:"held_out"`
	// of the last network that was evaluated, relative to UCT; null if none was
	Rating *run.Elo `json:"rating"`
	// NashConv of the network's policy, in Result.NashUnit; missing if it was not measured.
	NashConv *float64 `json:"nash_conv,omitempty"`
}

// PairResult is how two arms' networks did against each other.
type PairResult struct {
	Arm     string `json:"arm"`
	Against string `json:"against"`
	// Elo has the difference of each pairing, by seeds of the arm and of the other; null if it was
	// not played.
	Elo   [][]*float64 `json:"elo"`
	Games int          `json:"games"`
	// Difference is over the first seeds whose networks have all played each other; null without
	// any.
	Difference *Difference `json:"difference"`
}

// AloneResult is how each arm's networks did alone against copies of an opponent.
type AloneResult struct {
	Opponent string     `json:"opponent"`
	Arms     []AloneArm `json:"arms"`
}

// AloneArm is an arm of an AloneResult.
type AloneArm struct {
	Name       string      `json:"name"`
	Elo        []*float64  `json:"elo"`    // by seed; null if it was not played
	Points     []*float64  `json:"points"` // likewise: the mean raw score
	Games      int         `json:"games"`
	Mean       *Difference `json:"mean"`       // Elo over the opponent
	Difference *Difference `json:"difference"` // to the first arm; null for that
}

// result returns the result so far.
func (r *running) result() (*Result, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.resultLocked()
}

func (r *running) resultLocked() (*Result, error) {
	x := &Result{
		Title: r.File.Title, Game: r.Game.Name(), Unit: r.Arms[0].budget().unit,
		Simulations: r.Simulations,
		GamesAPair:  r.File.Match.Games, OwnSearch: r.File.Match.OwnSearch, Seeds: r.File.Seeds,
		Pairs: []PairResult{}, Alone: []AloneResult{}, Curves: []Curve{}, Notes: []string{},
		Runs: len(r.Arms) * len(r.File.Seeds), RunsTrained: len(r.networks),
		Matches: len(r.matches()), MatchesPlayed: len(r.standings),
	}
	x.Opening = r.Opening
	x.Seed = r.File.Match.Seed
	for _, s := range r.standings {
		x.Count(s.Games, s.Distinct)
		x.MatchesRepeats += s.Rounds - s.Counted
	}
	histories := make([][]*history.Run, len(r.Arms))
	for i := range r.Arms {
		arm := ArmResult{
			Name: r.Arms[i].Name, Base: r.Arms[i].Base, Keys: r.Arms[i].Keys, Runs: []RunResult{},
		}
		for s, seed := range r.File.Seeds {
			n := r.networks[place{i, s}]
			if n == nil {
				continue
			}
			h, err := history.Read(context.Background(), string(n.folder))
			if err != nil {
				return nil, err
			}
			histories[i] = append(histories[i], h)
			arm.Runs = append(arm.Runs, runResult(seed, n, h))
			x.note(&r.Arms[i], seed, n, h)
		}
		x.Arms = append(x.Arms, arm)
	}
	for _, pair := range r.pairs() {
		if p, ok := r.pairResult(pair); ok {
			x.Pairs = append(x.Pairs, p)
			if pair[1] == 0 {
				x.Arms[pair[0]].Elo = p.Difference
			}
		}
	}
	for o := range r.opponents {
		x.Alone = append(x.Alone, r.aloneResult(o))
	}
	x.NashUnit = r.unitOfNash
	x.exploited()
	x.Curves = r.curves(histories)
	return x, nil
}

func runResult(seed uint64, n *network, h *history.Run) RunResult {
	p := n.Progress
	return RunResult{
		Seed: seed, Folder: n.folder.Name(), Network: n.digest, Iterations: h.Iteration(),
		Games: p.Games, Steps: p.Steps,
		Asked: p.Asked, Seconds: p.Elapsed, Losses: p.Losses, HeldOut: p.HeldOut,
		Rating:   h.RatingOf(h.Iteration()),
		NashConv: n.nashConv,
	}
}

// note adds what a reader should know of a run.
func (x *Result) note(arm *Arm, seed uint64, n *network, h *history.Run) {
	add := func(form string, args ...any) {
		x.Notes = append(x.Notes,
			fmt.Sprintf("%s, seed %d: ", arm.Name, seed)+fmt.Sprintf(form, args...))
	}
	if want := arm.Config.Training.Evaluations; want > 0 && n.Progress.Asked < uint64(want) {
		add("training.iterations=%d ended the run after %.0f %% of its evaluations",
			arm.Config.Training.Iterations, 100*float64(n.Progress.Asked)/float64(want))
	}
	for _, w := range h.Warnings {
		add("iteration %d: %s", w.Iteration, w.Message)
	}
}

// elo returns the difference of the first player of a match to the second.
func elo(s *arena.Standings) float64 {
	return eloOf(s.Dominance[0][1].Mean(), s.Counted*s.Seatings)
}

// pairResult returns the result of two arms, false if they have not played.
func (r *running) pairResult(pair [2]int) (PairResult, bool) {
	n := len(r.File.Seeds)
	p := PairResult{
		Arm: r.Arms[pair[0]].Name, Against: r.Arms[pair[1]].Name, Elo: make([][]*float64, n),
	}
	table := make([][]float64, n)
	for i := range n {
		p.Elo[i] = make([]*float64, n)
		table[i] = make([]float64, n)
		for k := range n {
			table[i][k] = math.NaN()
			if s := r.standings[match{pair[0], i, pair[1], k, -1}]; s != nil {
				table[i][k] = elo(s)
				p.Elo[i][k] = &table[i][k]
				p.Games += s.Games
			}
		}
	}
	// The greatest table of the first seeds that is complete.
	complete := 0
	for k := 1; k <= n; k++ {
		whole := true
		for i := range k {
			whole = whole && !slices.ContainsFunc(table[i][:k], math.IsNaN)
		}
		if whole {
			complete = k
		}
	}
	if complete > 0 {
		part := make([][]float64, complete)
		for i := range part {
			part[i] = table[i][:complete]
		}
		d := difference(part)
		p.Difference = &d
	}
	return p, p.Games > 0
}

// aloneResult returns the results against an opponent.
func (r *running) aloneResult(o int) AloneResult {
	x := AloneResult{Opponent: r.opponents[o].player.Name()}
	for i := range r.Arms {
		a := AloneArm{
			Name: r.Arms[i].Name, Elo: make([]*float64, len(r.File.Seeds)),
			Points: make([]*float64, len(r.File.Seeds)),
		}
		var played []float64
		for s := range r.File.Seeds {
			if t := r.standings[match{arm: i, seed: s, opponent: o}]; t != nil {
				e, points := elo(t), t.Players[0].Points.Mean()
				a.Elo[s], a.Points[s] = &e, &points
				a.Games += t.Games
				played = append(played, e)
			}
		}
		if len(played) > 0 {
			m := mean(played)
			a.Mean = &m
			if i > 0 && x.Arms[0].Mean != nil {
				d := minus(m, *x.Arms[0].Mean)
				a.Difference = &d
			}
		}
		x.Arms = append(x.Arms, a)
	}
	return x
}

// Difference is how much stronger one arm is than another, over all pairings of their networks.
type Difference struct {
	Elo float64 `json:"elo"` // the mean over the pairings
	// Low and High bound the 95 % interval; null if an arm has fewer than two networks.
	Low  *float64 `json:"low"`
	High *float64 `json:"high"`
	// SE is the standard error of Elo, and Degrees its degrees of freedom; 0 without an interval.
	SE      float64 `json:"se"`
	Degrees float64 `json:"degrees"`
	// SD and SDAgainst estimate the standard deviation of the strength of either arm's networks,
	// what games add taken out; 0 without an interval.
	SD        float64 `json:"sd_elo"`
	SDAgainst float64 `json:"sd_elo_against"`
	Networks  int     `json:"networks"` // of the arm
	Against   int     `json:"networks_against"`
}

// Separated reports whether the interval leaves out 0.
func (d *Difference) Separated() bool {
	return d.Low != nil && d.High != nil && (*d.Low > 0 || *d.High < 0)
}

// difference returns the difference of two arms from a table of differences in Elo: an element for
// each network of the arm (rows) and of the other (columns), which must all be there.
//
// An element is the sum of what the row's seed and the column's seed are worth, and of what is
// left: the luck of the games, and how these two networks suit each other. Elements of a row share
// its seed, so they are not independent, and the spread of all of them would give an interval that
// is much too narrow. The seeds are the units. With r rows, c columns, and the mean squares of the
// analysis of variance with two factors (rows R, columns C, the rest E), the expectations are
//
//	E[R] = c·σr² + σe²    E[C] = r·σc² + σe²    E[E] = σe²
//
// and the variance of the mean is σr²/r + σc²/c + σe²/(r·c) = (R + C − E)/(r·c): each seed's and
// the games' noise is in it once. Without − E, the sum of the variances of row means and column
// means, the noise of games counts twice. E is taken to be no more than R and C, which it exceeds
// by chance only, so that subtracting it can't make the variance too small. Student's t has the
// degrees of freedom of Welch and Satterthwaite for R + C; those for R + C − E are fewer, and with
// them 98 in 100 intervals of the protocol's labs contain the difference, where with these it is 95
// (TestCoverage). Both arms use the same seeds' numbers; if that makes their networks alike,
// differences vary less, and the interval is wider than need be.
func difference(table [][]float64) Difference {
	r, c := len(table), len(table[0])
	mean := 0.0
	rows, columns := make([]float64, r), make([]float64, c)
	for i, row := range table {
		for j, x := range row {
			mean += x / float64(r*c)
			rows[i] += x / float64(c)
			columns[j] += x / float64(r)
		}
	}
	d := Difference{Elo: mean, Networks: r, Against: c}
	if r < 2 || c < 2 {
		return d
	}
	var ofRows, ofColumns, rest float64 // mean squares
	for _, x := range rows {
		ofRows += float64(c) * (x - mean) * (x - mean) / float64(r-1)
	}
	for _, x := range columns {
		ofColumns += float64(r) * (x - mean) * (x - mean) / float64(c-1)
	}
	for i, row := range table {
		for j, x := range row {
			e := x - rows[i] - columns[j] + mean
			rest += e * e / float64((r-1)*(c-1))
		}
	}
	d.SD = math.Sqrt(max(0, ofRows-rest) / float64(c))
	d.SDAgainst = math.Sqrt(max(0, ofColumns-rest) / float64(r))
	rest = min(rest, ofRows, ofColumns)
	sum := ofRows + ofColumns - rest
	d.SE = math.Sqrt(sum / float64(r*c))
	if sum == 0 { // all elements are equal, which says nothing of others
		d.Degrees = float64(min(r, c) - 1)
		return d
	}
	both := ofRows + ofColumns
	d.Degrees = both * both / (ofRows*ofRows/float64(r-1) + ofColumns*ofColumns/float64(c-1))
	d.interval()
	return d
}

// interval sets the bounds from Elo, SE and Degrees.
func (d *Difference) interval() {
	if d.SE == 0 {
		return // equal numbers say nothing of others
	}
	half := interval.Quantile(d.Degrees) * d.SE
	low, high := d.Elo-half, d.Elo+half
	d.Low, d.High = &low, &high
}

// mean returns the mean of what several networks of an arm achieved against the same opponent, with
// an interval of Student's t over the networks.
func mean(xs []float64) Difference {
	d := Difference{Networks: len(xs)}
	variance := 0.0
	for _, x := range xs {
		d.Elo += x / float64(len(xs))
	}
	if len(xs) < 2 {
		return d
	}
	for _, x := range xs {
		variance += (x - d.Elo) * (x - d.Elo) / float64(len(xs)-1)
	}
	d.SD, d.SE, d.Degrees = math.Sqrt(variance), math.Sqrt(variance/float64(len(xs))),
		float64(len(xs)-1)
	d.interval()
	return d
}

// minus returns the difference of two means of independent networks, with Welch's interval.
func minus(a, b Difference) Difference {
	d := Difference{
		Elo: a.Elo - b.Elo, Networks: a.Networks, Against: b.Networks, SD: a.SD, SDAgainst: b.SD,
	}
	if a.Degrees == 0 || b.Degrees == 0 {
		return d
	}
	va, vb := a.SE*a.SE, b.SE*b.SE
	d.SE = math.Sqrt(va + vb)
	if d.Degrees = min(a.Degrees, b.Degrees); va+vb > 0 {
		d.Degrees = (va + vb) * (va + vb) / (va*va/a.Degrees + vb*vb/b.Degrees)
	}
	d.interval()
	return d
}

// eloOf returns the difference in Elo that explains a share of n games, a draw being half a win.
// Half a game for either side is added: it keeps a match that was won outright finite, and makes
// the logarithm of the odds nearly unbiased (Haldane 1956, Anscombe 1956).
func eloOf(share float64, n int) float64 {
	won := share*float64(n) + 0.5
	return 400 * math.Log10(won/(float64(n)+1-won))
}
