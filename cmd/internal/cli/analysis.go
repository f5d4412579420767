package cli

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"tengen/game"
	"tengen/interop/analysis"
	"tengen/player"
)

// DefaultMoves is the default number of moves in the text of an analysis.
const DefaultMoves = 5

// Analysis is the result of a search of a position.
type Analysis struct {
	// Value is what each seat can expect, in points where utilities are points, by the heuristic of
	// a search that has one, else in utilities. Null is not known.
	Value     []*float64 `json:"value"`
	Points    bool       `json:"in_points"`
	Heuristic string     `json:"heuristic,omitempty"`
	// WinRates are those of the two colours of Go, draws counting half, and Lead what Black leads
	// by at the end, komi counted; both only in two-player Go.
	WinRates []float64 `json:"win_rates,omitempty"`
	Lead     *float64  `json:"lead,omitempty"`
	Visits   int       `json:"visits"` // of all moves
	// of a search to a depth: positions below each move
	Nodes bool     `json:"visits_are_nodes,omitempty"`
	Exact bool     `json:"exact"` // the value is certain
	Full  bool     `json:"tree_full"`
	Line  []string `json:"line"` // the principal variation
	// all legal ones, the most visited first; of a search to a depth the best
	Moves []AnalyzedMove `json:"moves"`
	seats []string       // by seat
	mover game.Player
}

// AnalyzedMove is the result for one move.
type AnalyzedMove struct {
	Move   string      `json:"move"`
	Action game.Action `json:"action"`
	Visits int         `json:"visits"`
	Share  float64     `json:"share"`           // of all visits
	Prior  *float64    `json:"prior,omitempty"` // the network's probability, without noise
	Value  []*float64  `json:"value,omitempty"` // as Analysis.Value; none without visits
	Exact  bool        `json:"exact,omitempty"`
	// until the game is over, the move included, by a solver
	Plies int `json:"plies,omitempty"`
}

// AnalysisOf returns the analysis of s by a player that has just searched it.
func AnalysisOf(g game.Game, s game.State, viewer player.Analyzer) *Analysis {
	a := viewer.Analysis()
	t := NewAnalysis(g, s, a)
	if t.Nodes = a.Turns > 0; t.Nodes { // how many say little of a move
		slices.SortStableFunc(t.Moves, func(a, b AnalyzedMove) int {
			return cmp.Compare(b.of(t.mover), a.of(t.mover))
		})
	}
	return t
}

// scoreHeuristic is the heuristic whose value is what a colour of Go leads by.
const scoreHeuristic = "score"

// AddWinRates adds those that follow from the values by the outlook of the position, of two-player
// Go.
func (t *Analysis) AddWinRates(o *analysis.Outlook, utilities []float32) {
	black := 0.0
	switch {
	case t.Heuristic == scoreHeuristic:
		t.Lead = t.Value[0]
		black = o.BlackWins(*t.Lead, t.Exact)
	case t.Heuristic != "":
		return
	default:
		x := o.Of(utilities, 0)
		if black = x.Winrate; x.Scored {
			t.Lead = &x.Lead
			if t.Exact {
				black = o.BlackWins(x.Lead, true)
			}
		}
	}
	if !math.IsNaN(black) {
		t.WinRates = []float64{black, 1 - black}
	}
}

// of returns the value of the move for a seat.
func (m *AnalyzedMove) of(seat game.Player) float64 {
	if m.Value == nil || m.Value[seat] == nil {
		return 0
	}
	return *m.Value[seat]
}

// NewAnalysis returns v, an analysis of s, with names and in points if the game has them.
func NewAnalysis(g game.Game, s game.State, v player.Analysis) *Analysis {
	scale := game.PointsPerUtility(g)
	mover := s.CurrentPlayer()
	heuristic := v.Scale != nil && v.Scale.Heuristic != game.ResultHeuristic
	scaled := func(utilities []float32) []*float64 {
		list := make([]*float64, len(utilities))
		for i, x := range utilities {
			value := scale * float64(x)
			if heuristic {
				value = v.Scale.Of(x)
			}
			if v.Scale == nil || !v.Scale.Alone || game.Player(i) == mover {
				list[i] = &value
			}
		}
		return list
	}
	t := &Analysis{
		Value: scaled(v.Value), Points: scale != 1 && !heuristic, Exact: v.Exact, Full: v.Full,
		Line: lineOf(g, s, v.PrincipalVariation), Moves: []AnalyzedMove{}, mover: mover,
		seats: game.SeatNames(g),
	}
	if heuristic {
		t.Heuristic = v.Scale.Heuristic
	}
	for _, m := range v.Moves {
		t.Visits += m.Visits
	}
	moves := slices.Clone(v.Moves)
	slices.SortStableFunc(moves, func(a, b player.Considered) int {
		return cmp.Or(cmp.Compare(b.Visits, a.Visits),
			cmp.Compare(b.Value[t.mover], a.Value[t.mover]), cmp.Compare(b.Prior, a.Prior))
	})
	for _, m := range moves {
		x := AnalyzedMove{
			Move: game.ActionName(g, s, m.Action), Action: m.Action, Visits: m.Visits,
			Share: float64(m.Visits) / float64(max(t.Visits, 1)), Exact: m.Exact, Plies: m.Plies,
		}
		if m.Visits > 0 || m.Exact || slices.Max(m.Value) > 0 {
			x.Value = scaled(m.Value)
		}
		if m.Prior > 0 {
			prior := float64(m.Prior)
			x.Prior = &prior
		}
		t.Moves = append(t.Moves, x)
	}
	return t
}

// lineOf names the actions of a line that starts in s. In games with hidden information it ends at
// the first other player's move, since that depends on hands drawn at random.
func lineOf(g game.Game, s game.State, line []game.Action) []string {
	names := []string{}
	_, hidden := s.(game.ImperfectInformation)
	next := g.NewState()
	next.CopyFrom(s)
	for _, a := range line {
		if hidden && next.CurrentPlayer() != s.CurrentPlayer() {
			break
		}
		names = append(names, game.ActionName(g, next, a))
		next.Apply(a)
	}
	return names
}

// lineMoves is the number of moves of a line that are printed; later ones have few visits.
const lineMoves = 12

// Text returns the analysis of the player who as text: the values of the seats, the line, and the
// moves with the most visits.
func (t *Analysis) Text(who string, moves int) string {
	var b strings.Builder
	unit := ""
	switch {
	case t.Points:
		unit = " points"
	case t.Heuristic != "":
		unit = " by " + t.Heuristic
	}
	var expected []string
	for i, x := range t.Value {
		if x != nil {
			expected = append(expected, fmt.Sprintf("%s %.3g", t.seats[i], *x))
		}
	}
	verb, full := "expects", ""
	if t.Exact {
		verb = "knows to expect"
	}
	if t.Full {
		full = "; its tree was full"
	}
	counted := "visits"
	if t.Nodes {
		counted = "nodes"
	}
	fmt.Fprintf(&b, "%s %s %s%s, after %d %s%s\n",
		who, verb, strings.Join(expected, ", "), unit, t.Visits, counted, full)
	if t.WinRates != nil {
		fmt.Fprintf(&b, "  wins: %s %.0f %%, %s %.0f %%",
			t.seats[0], 100*t.WinRates[0], t.seats[1], 100*t.WinRates[1])
		if t.Lead != nil {
			switch lead := *t.Lead; {
			case lead > 0:
				fmt.Fprintf(&b, "; %s leads by %.3g points, komi counted", t.seats[0], lead)
			case lead < 0:
				fmt.Fprintf(&b, "; %s leads by %.3g points, komi counted", t.seats[1], -lead)
			default:
				fmt.Fprint(&b, "; neither leads, komi counted")
			}
		}
		fmt.Fprintln(&b)
	}
	if len(t.Line) > 0 {
		more := ""
		if len(t.Line) > lineMoves {
			more = " …"
		}
		fmt.Fprintf(&b, "  line: %s%s\n",
			strings.Join(t.Line[:min(lineMoves, len(t.Line))], " "), more)
	}
	shown := t.Moves[:min(moves, len(t.Moves))]
	width, priors := 5, false
	for _, m := range shown {
		width = max(width, len([]rune(m.Move)))
		priors = priors || m.Prior != nil
	}
	for _, m := range shown {
		exact, value := "", "not visited"
		if m.Value != nil {
			value = fmt.Sprintf("%.3g%s", m.of(t.mover), unit)
		}
		prior := ""
		if priors {
			p := 0.0
			if m.Prior != nil {
				p = *m.Prior
			}
			prior = fmt.Sprintf("  prior %3.0f %%", 100*p)
		}
		if m.Exact {
			exact = " exactly"
		}
		if m.Plies > 0 {
			exact += fmt.Sprintf(", over in %d", m.Plies)
		}
		fmt.Fprintf(&b, "  %-*s %3.0f %%  %*d %s%s  %s%s\n", width, m.Move, 100*m.Share,
			len(fmt.Sprint(t.Visits)), m.Visits, counted, prior, value, exact)
	}
	return b.String()
}
