package turtlerace

import (
	"fmt"
	"math"
	"strings"

	"tengen/research"
)

const head = `# The Great Turtle Race: the paper's results and ours

The paper (Przybylski and Król, *Mastering Strategies in a Board Game of Imperfect Information for Different Search
Techniques*, 2017) claims that minimax and alpha-beta beat MCTS with every strategy, and that Hybrid is the best strategy.
We find the opposite for MCTS: ours wins three of four games or more (Tables IV and V), because the paper's hardly beats
players that move at random; most cells of minimax and alpha-beta among themselves (Tables II, III and VI) agree.

F is the strategy Fast, E Efficient-smart, H Hybrid, D Dummy.
A cell is the share of wins of the row against the column, in %: the paper's, of 100 games (± 10), then **ours** with its
95 % interval. Players swap seats after every game, and a shared win counts half. An asterisk marks cells that differ
significantly (p < 0.05 by the test of two shares).
`

const beyondHead = `
# Beyond the paper

The first player has each seat in turn, and another player all other seats. Shares of wins are in %, with 95 % intervals;
if all players were equal, the first would win 100 ÷ players.
`

// title returns the table's heading.
func (t *Table) title() string {
	title := fmt.Sprintf("Table %s: %s against %s", paperTables[t.Table-1].number, t.Row, t.Column)
	if t.open() {
		title += ", with open hands"
	}
	return title
}

// open reports whether all players see everything.
func (t *Table) open() bool { return strings.Contains(t.Game, "hands=open") }

// Complete implements research.Part.
func (t *Table) Complete(part string) error {
	if t.Table < 1 || t.Table > len(paperTables) ||
		!strings.HasPrefix(part, tablePart(t.Table)) {
		return fmt.Errorf("table %d is not that of the file", t.Table)
	}
	for _, cell := range paperTables[t.Table-1].cells() {
		if _, ok := t.entry(cell[0], cell[1]); !ok {
			return fmt.Errorf("it lacks the cell of %s against %s",
				strategies[cell[0]], strategies[cell[1]])
		}
	}
	for i := range t.Cells {
		if err := t.Cells[i].Match.check(); err != nil {
			return err
		}
	}
	return nil
}

// Markdown implements research.Part.
func (t *Table) Markdown(part, folder string) string {
	b := new(strings.Builder)
	fmt.Fprintf(b, "\n## %s\n\n", t.title())
	if t.open() {
		fmt.Fprintf(b, "The same searches with open hands (`%s`), where only the cards to be drawn are hidden, beside the paper's figures for hidden hands.\n\n", t.Game)
	}
	fmt.Fprintf(b, "| %s, against %s | %s |\n| --- | --- | --- | --- | --- |\n",
		t.Row, t.Column, strings.Join(letters, " | "))
	twice := paperTables[t.Table-1].twice()
	for i, row := range letters {
		if twice && i == len(letters)-1 {
			break // the same games from the other side
		}
		fmt.Fprintf(b, "| %s |", row)
		for j := range letters {
			e, ok := t.entry(i, j)
			if !ok || twice && j < i {
				b.WriteString(" |")
				continue
			}
			mark := ""
			if e.apart() {
				mark = " \\*"
			}
			fmt.Fprintf(b, " %.0f → **%.1f** (%.1f–%.1f)%s |",
				e.theirs, e.ours.Percent, e.ours.Low, e.ours.High, mark)
		}
		b.WriteString("\n")
	}
	b.WriteString("\n")
	if t.Interrupted == nil {
		fmt.Fprintf(b, "![%s](%s/%s.svg)\n\n", t.title(), folder, part)
	}
	if len(t.Cells) == 0 {
		return b.String() // interrupted
	}
	m := &t.Cells[0].Match
	fmt.Fprintf(b, "%d games a cell, such as `%s` against `%s` (%s and %s a move).\n",
		t.least(), m.First.Name, m.Second.Name, m.First.time(), m.Second.time())
	return b.String()
}

// least returns the least number of games of a cell.
func (t *Table) least() int {
	n := t.Cells[0].Match.Games
	for i := range t.Cells {
		n = min(n, t.Cells[i].Match.Games)
	}
	return n
}

// differences says in which tables our figures differ from the paper's, and why as far as is known.
func differences(p *research.Page) string {
	var rows []string
	for _, part := range tableParts {
		t, ok := p.Part(part).(*Table)
		if !ok || t.open() {
			continue
		}
		g := t.gap()
		rows = append(rows,
			fmt.Sprintf("| %s | %d | %d | %+.1f | %.1f | %.1f |\n",
				t.title(), g.cells, g.apart, g.mean, g.rms, g.noise))
	}
	if len(rows) == 0 {
		return ""
	}
	return fmt.Sprintf(`
## What differs, and why

Our figures minus the paper's, in points of the row's wins. The last column is the root mean square by chance alone.

| table | cells | significant | mean | root mean square | by chance |
| --- | --- | --- | --- | --- | --- |
%s
%s- The paper gives neither the depth of minimax and alpha-beta nor how they treat hidden information. Ours look %d turns
  ahead in each of %d determinizations, and value a sequence of moves by the strategies' move scores alone.
%s- MCTS with D is a full search with random rollouts; minimax and alpha-beta with D move at random.
- Where the rules leave something open, the games follow the defaults of the game's parameters.
`, strings.Join(rows, ""), paperTwice(), searchDepth, determinizations, aboutMCTS(p))
}

// paperTwice compares the paper's Tables II and III, which are the same matches played twice.
func paperTwice() string {
	square, chance, most, n := 0.0, 0.0, 0.0, 0.0
	a, c := &paperTables[1], &paperTables[2]
	for _, cell := range a.cells() {
		p, q := a.percent[cell[0]][cell[1]], c.percent[cell[0]][cell[1]]
		square += (p - q) * (p - q)
		mean := (p + q) / 2
		chance += mean * (100 - mean) * 2 / paperGames
		most = max(most, math.Abs(p-q))
		n++
	}
	return fmt.Sprintf(`- Alpha-beta chooses what minimax chooses, so that the paper's Tables II and III are one table measured twice: they differ
  by up to %.0f points, with a root mean square of %.1f; chance alone would cause %.1f.
`, most, math.Sqrt(square/n), math.Sqrt(chance/n))
}

// aboutMCTS compares the results of MCTS against players that move at random.
func aboutMCTS(p *research.Page) string {
	theirs := [2]float64{100, 0} // least and most
	ours, n, games := 0.0, 0.0, 0
	for _, number := range []int{4, 5} {
		for i := range strategies {
			x := paperTables[number-1].percent[i][3]
			theirs[0], theirs[1] = min(theirs[0], x), max(theirs[1], x)
			if t, ok := p.Part(tablePart(number)).(*Table); ok {
				if e, ok := t.entry(i, 3); ok {
					ours += e.ours.Percent
					games += e.games
					n++
				}
			}
		}
	}
	text := fmt.Sprintf(`- The paper gives no settings of its MCTS. It wins %.0f to %.0f %% against searches by Dummy, which move at random.
`, theirs[0], theirs[1])
	if ours /= max(1, n); ours > theirs[1] {
		text = strings.TrimSuffix(text, "\n") + fmt.Sprintf(` Ours, an
  information-set search with rollouts by the strategy, wins %.1f %% of %d such games.
`, ours, games)
	}
	return text
}
