package turtlerace

import (
	"context"
	"fmt"
	"math"

	"tengen/research"
)

// Table is one of the paper's tables: every strategy of one search algorithm against every
// strategy of another, or of the same algorithm.
type Table struct {
	research.Made `json:"made"`
	// Table is the number in the paper, 1 to 6.
	Table int    `json:"table"`
	Game  string `json:"game"`
	Row   string `json:"row"` // algorithm
	// Column is the algorithm of the columns. If it is that of the rows, each pair of strategies
	// has one cell, which also gives the share of the other strategy.
	Column string `json:"column"`
	Cells  []Cell `json:"cells"`
}

// Cell is the match of a pair of strategies.
type Cell struct {
	Row    string `json:"row"` // strategy
	Column string `json:"column"`
	Match  Match  `json:"match"`
}

// Table plays one of the paper's tables, 1 to 6; if open, all players see everything. If it is
// interrupted, it returns the cells so far and an error.
func (e *Experiments) Table(
	ctx context.Context, number int, open bool, made research.Made,
) (*Table, error) {
	if number < 1 || number > len(paperTables) {
		return nil, fmt.Errorf("the paper has no table %d", number)
	}
	g, err := newGame(2, open)
	if err != nil {
		return nil, err
	}
	paper := &paperTables[number-1]
	t := &Table{Made: made, Table: number, Game: g.Name(), Row: paper.row, Column: paper.column}
	what := "table " + paper.number
	if open {
		what += ", open hands"
	}
	cells := paper.cells()
	for k, cell := range cells {
		first, second := strategies[cell[0]], strategies[cell[1]]
		// The seeds of a cell do not depend on the order in which tables are made.
		seed := e.Seed + uint64(number)<<40 + uint64(k)<<48
		r,
			err := e.match(ctx,
			g, searches(paper.row, first, e.Simulations), searches(paper.column, second,
				e.Simulations), e.Games, seed, &t.Made, func(finished, all int) {
				e.progress(what, "games", k*all+finished, len(cells)*all)
			})
		if r != nil {
			t.Cells = append(t.Cells, Cell{first, second, *r})
		}
		if err != nil {
			return t, err
		}
	}
	return t, nil
}

// entry is one place in a table: the paper's figure and ours.
type entry struct {
	theirs float64 // of 100 games, in %
	ours   research.Rate
	games  int
}

// entry returns the place of a row and a column; ok is false if the paper plays nothing there or
// the cell is missing.
func (t *Table) entry(row, column int) (e entry, ok bool) {
	paper := &paperTables[t.Table-1]
	if e.theirs = paper.percent[row][column]; e.theirs == noGames {
		return e, false
	}
	for i := range t.Cells {
		c := &t.Cells[i]
		e.ours, e.games = c.Match.Rate, c.Match.Games
		if c.Row == strategies[row] && c.Column == strategies[column] {
			return e, true
		}
		if paper.twice() && c.Row == strategies[column] && c.Column == strategies[row] {
			e.ours = e.ours.Other()
			return e, true
		}
	}
	return e, false
}

// apart reports whether the paper's figure and ours differ significantly (p < 0.05) by the test of
// two shares with a common variance, where the paper's share is of 100 games.
func (e *entry) apart() bool {
	const z = 1.959963984540054
	p, q, n := e.theirs/100, e.ours.Percent/100, float64(e.games)
	mean := (paperGames*p + n*q) / (paperGames + n)
	return math.Abs(p-q) > z*math.Sqrt(mean*(1-mean)*(1/float64(paperGames)+1/n))
}

// gap is how our figures and the paper's differ over the cells of a table.
type gap struct {
	cells int
	apart int     // the cells that differ significantly
	mean  float64 // of our figure minus the paper's, in points
	rms   float64 // root mean square of the same
	noise float64 // the expected rms if chance alone made the differences
}

// gap compares the cells of the table.
func (t *Table) gap() (g gap) {
	for _, cell := range paperTables[t.Table-1].cells() {
		e, ok := t.entry(cell[0], cell[1])
		if !ok {
			continue
		}
		g.cells++
		d := e.ours.Percent - e.theirs
		g.mean += d
		g.rms += d * d
		p := e.ours.Percent
		g.noise += p * (100 - p) * (1/float64(paperGames) + 1/float64(e.games))
		if e.apart() {
			g.apart++
		}
	}
	n := float64(max(1, g.cells))
	g.mean, g.rms, g.noise = g.mean/n, math.Sqrt(g.rms/n), math.Sqrt(g.noise/n)
	return g
}
