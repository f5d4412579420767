package experiments

import (
	"context"
	"fmt"
	"math"
)

// TurtleTable is one of the paper's tables: every strategy of one search against every
// strategy of another, or the same.
type TurtleTable struct {
	Made Made `json:"made"`
	// Table is its number in the paper, 1 to 6.
	Table int    `json:"table"`
	Game  string `json:"game"`
	Row   string `json:"row"` // algorithm
	// Column is the algorithm of the columns. Where it is the same, each two strategies
	// have one cell, of which the other side is the rest.
	Column string       `json:"column"`
	Cells  []TurtleCell `json:"cells"`
}

// TurtleCell is a pair of strategies.
type TurtleCell struct {
	Row    string      `json:"row"` // strategy
	Column string      `json:"column"`
	Match  TurtleMatch `json:"match"`
}

// Table plays one of the paper's tables, 1 to 6, with everything in sight of all where open.
func (m *TurtleGames) Table(ctx context.Context, number int, open bool, made Made) (*TurtleTable, error) {
	if number < 1 || number > len(paperTurtles) {
		return nil, fmt.Errorf("the paper has no table %d", number)
	}
	g, err := turtle(2, open)
	if err != nil {
		return nil, err
	}
	paper := &paperTurtles[number-1]
	t := &TurtleTable{Made: made, Table: number, Game: g.Name(), Row: paper.row, Column: paper.column}
	what := "table " + paper.number
	if open {
		what += ", open hands"
	}
	cells := paper.cells()
	for k, cell := range cells {
		first, second := turtleStrategies[cell[0]], turtleStrategies[cell[1]]
		// The games of a cell are its own, in whatever order the tables are made.
		seed := m.Seed + uint64(number)<<40 + uint64(k)<<48
		r, err := m.match(ctx, g, searches(paper.row, first, m.Simulations), searches(paper.column, second, m.Simulations), m.Games, seed, func(finished, all int) {
			m.progress(what, "games", k*all+finished, len(cells)*all)
		})
		if err != nil {
			return nil, err
		}
		t.Cells = append(t.Cells, TurtleCell{first, second, *r})
		t.Made.add(r)
	}
	return t, nil
}

// turtleEntry is a place in a table: theirs and ours.
type turtleEntry struct {
	theirs float64 // of 100 games, in %
	ours   Rate
	games  int
}

// entry is the place of a row and a column; not ok where nothing is played, or it is missing.
func (t *TurtleTable) entry(row, column int) (e turtleEntry, ok bool) {
	paper := &paperTurtles[t.Table-1]
	if e.theirs = paper.percent[row][column]; e.theirs == noGames {
		return e, false
	}
	for i := range t.Cells {
		c := &t.Cells[i]
		e.ours, e.games = c.Match.Rate, c.Match.Games
		if c.Row == turtleStrategies[row] && c.Column == turtleStrategies[column] {
			return e, true
		}
		if paper.twice() && c.Row == turtleStrategies[column] && c.Column == turtleStrategies[row] {
			e.ours = e.ours.other()
			return e, true
		}
	}
	return e, false
}

// apart says that theirs and ours differ by more than chance explains, nineteen times in
// twenty: by the test of two shares, theirs of 100 games, with a common variance.
func (e *turtleEntry) apart() bool {
	const z = 1.959963984540054
	p, q, n := e.theirs/100, e.ours.Percent/100, float64(e.games)
	mean := (paperTurtleGames*p + n*q) / (paperTurtleGames + n)
	return math.Abs(p-q) > z*math.Sqrt(mean*(1-mean)*(1/float64(paperTurtleGames)+1/n))
}

// turtleGap says how ours and theirs differ over the cells of a table.
type turtleGap struct {
	cells int
	apart []string // the cells that differ by more than chance explains, in words
	mean  float64  // of ours less theirs, in points
	rms   float64  // root of the mean square of the same
	noise float64  // what the last would be on average if chance alone made the difference
}

// gap compares the cells that were played.
func (t *TurtleTable) gap() (g turtleGap) {
	for _, cell := range paperTurtles[t.Table-1].cells() {
		e, ok := t.entry(cell[0], cell[1])
		if !ok {
			continue
		}
		g.cells++
		d := e.ours.Percent - e.theirs
		g.mean += d
		g.rms += d * d
		p := e.ours.Percent
		g.noise += p * (100 - p) * (1/float64(paperTurtleGames) + 1/float64(e.games))
		if e.apart() {
			g.apart = append(g.apart, fmt.Sprintf("%s–%s (%+.0f)", turtleLetters[cell[0]], turtleLetters[cell[1]], d))
		}
	}
	n := float64(max(1, g.cells))
	g.mean, g.rms, g.noise = g.mean/n, math.Sqrt(g.rms/n), math.Sqrt(g.noise/n)
	return g
}
