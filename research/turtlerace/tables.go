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

// strategies are the paper's strategies in the order of its tables, by their names in the game.
// letters are their letters in the tables.
var strategies = []string{"fast", "efficient", "hybrid", "dummy"}

var letters = []string{"F", "E", "H", "D"}

// The paper's searches.
const (
	mcts      = "MCTS"
	minimax   = "minimax"
	alphaBeta = "alpha-beta"
)

// paperTable is a table of the paper: how many of 100 games the algorithm and strategy of a row win
// against those of a column. If the algorithms are the same, no strategy plays itself.
type paperTable struct {
	number  string // in the paper
	row     string // algorithm
	column  string
	percent [4][4]float64
}

// paperGames is the number of games of a cell in the paper.
const paperGames = 100

// noGames marks a cell without games.
const noGames = -1

// paperTables are Tables I to VI of Przybylski and Król (2017).
var paperTables = [6]paperTable{
	{"I", mcts, mcts,
		[4][4]float64{
			{noGames, 47, 38, 52}, {53, noGames, 46, 40}, {62, 54, noGames, 46},
			{48, 60, 54, noGames},
		}},
	{"II", minimax, minimax,
		[4][4]float64{
			{noGames, 53, 46, 81}, {47, noGames, 43, 78}, {54, 57, noGames, 80},
			{19, 22, 20, noGames},
		}},
	{"III", alphaBeta, alphaBeta,
		[4][4]float64{
			{noGames, 66, 41, 76}, {34, noGames, 47, 67}, {59, 53, noGames, 81},
			{24, 33, 19, noGames},
		}},
	{"IV", mcts, alphaBeta,
		[4][4]float64{{27, 26, 21, 50}, {29, 27, 18, 57}, {32, 28, 34, 45}, {20, 27, 24, 53}}},
	{"V", mcts, minimax,
		[4][4]float64{{24, 21, 19, 51}, {27, 28, 37, 51}, {25, 26, 26, 55}, {24, 23, 32, 52}}},
	{"VI", alphaBeta, minimax,
		[4][4]float64{{49, 58, 59, 74}, {42, 58, 36, 74}, {65, 50, 59, 76}, {20, 21, 26, 42}}},
}

// twice reports whether rows and columns have the same algorithm, so that two cells are of the same
// match.
func (t *paperTable) twice() bool { return t.row == t.column }

// cells returns the pairs of strategies that play, as rows and columns. If the algorithms are the
// same it returns each pair once.
func (t *paperTable) cells() (list [][2]int) {
	for i := range strategies {
		for j := range strategies {
			if !t.twice() || i < j {
				list = append(list, [2]int{i, j})
			}
		}
	}
	return list
}

// Settings of the searches that the paper does not give.
const (
	searchDepth      = 4  // turns that minimax and alpha-beta look ahead
	determinizations = 20 // of minimax and alpha-beta
	mctsC            = 0.7
	mctsEpsilon      = 0.1 // part of the actions of a rollout that are drawn
)

// searches returns the player of an algorithm with a strategy; simulations are those of MCTS. To
// Dummy all actions have the same value, so that minimax and alpha-beta choose at random: the
// random player replaces them. MCTS ends a search once its choice is certain, which changes no
// choice. Alpha-beta has no transposition table: at so small a depth it is faster without one, and
// chooses the same.
func searches(algorithm, strategy string, simulations int) string {
	switch {
	case algorithm == mcts:
		return fmt.Sprintf(
			"uct:simulations=%d,early_stop=true,c=%g,utility=unit,rollout=%s,epsilon=%g",
			simulations, mctsC, strategy, mctsEpsilon)
	case strategy == "dummy":
		return "random"
	case algorithm == minimax:
		return fmt.Sprintf("minimax:depth=%d,strategy=%s,determinizations=%d",
			searchDepth, strategy, determinizations)
	}
	return fmt.Sprintf("alphabeta:depth=%d,strategy=%s,determinizations=%d,tt=0",
		searchDepth, strategy, determinizations)
}
