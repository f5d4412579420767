package experiments

import (
	"fmt"
	"math"
	"strings"
)

const turtleHead = `# The Great Turtle Race: theirs beside ours

The tables of Przybylski and Król, *Mastering Strategies in a Board Game of Imperfect
Information for Different Search Techniques* (2017), and what Tengen gets. F is the
strategy Fast, E Efficient-smart, H Hybrid, D Dummy. A cell is what the row wins against
the column, in %: the paper's figure, of 100 games, then **ours**, with Wilson's 95 %
interval; players swap seats after every game, and a shared win counts half. An
asterisk marks a cell where the two differ by more than chance explains nineteen times in
twenty (the test of two shares, with both numbers of games).
`

const turtleBeyondHead = `
# Beyond the paper

One player sits in each seat in turn, the first, and another in all others. Its share of
wins is given with Wilson's 95 % interval, beside what it would get if all were equal.
`

// String is "51.2 (48.1–54.3)".
func (r Rate) String() string { return fmt.Sprintf("%.1f (%.1f–%.1f)", r.Percent, r.Low, r.High) }

// title is the table's heading.
func (t *TurtleTable) title() string {
	title := fmt.Sprintf("Table %s: %s against %s", paperTurtles[t.Table-1].number, t.Row, t.Column)
	if t.open() {
		title += ", with open hands"
	}
	return title
}

// open says whether all see everything.
func (t *TurtleTable) open() bool { return strings.Contains(t.Game, "hands=open") }

// write writes the table and its picture.
func (t *TurtleTable) write(b *strings.Builder, picture string) {
	fmt.Fprintf(b, "\n## %s\n\n", t.title())
	if t.open() {
		fmt.Fprintf(b, "The same searches when nothing is hidden (`%s`) but what will be drawn, beside the paper's figures for hidden hands.\n\n", t.Game)
	}
	fmt.Fprintf(b, "| %s, against %s | %s |\n| --- | --- | --- | --- | --- |\n", t.Row, t.Column, strings.Join(turtleLetters, " | "))
	for i, row := range turtleLetters {
		fmt.Fprintf(b, "| %s |", row)
		for j := range turtleLetters {
			e, ok := t.entry(i, j)
			if !ok {
				b.WriteString(" |")
				continue
			}
			mark := ""
			if e.apart() {
				mark = " \\*"
			}
			fmt.Fprintf(b, " %.0f → **%.1f** (%.1f–%.1f)%s |", e.theirs, e.ours.Percent, e.ours.Low, e.ours.High, mark)
		}
		b.WriteString("\n")
	}
	fmt.Fprintf(b, "\n![%s](%s)\n\n", t.title(), picture)
	if paperTurtles[t.Table-1].twice() {
		b.WriteString("Below the diagonal stand the same games, seen from the other side. ")
	}
	fmt.Fprintf(b, "%d games a cell of ours. %s\n", t.least(), t.gap().sentence())
	fmt.Fprintf(b, "\nThe players, with F for example: `%s` against `%s`, of %s and %s a move.\n",
		t.Cells[0].Match.First.Name, t.Cells[0].Match.Second.Name,
		t.Cells[0].Match.First.time(), t.Cells[0].Match.Second.time())
}

// least is the number of games of a cell.
func (t *TurtleTable) least() int {
	n := t.Cells[0].Match.Games
	for i := range t.Cells {
		n = min(n, t.Cells[i].Match.Games)
	}
	return n
}

// sentence says which cells differ by more than chance explains.
func (g turtleGap) sentence() string {
	if len(g.apart) == 0 {
		return fmt.Sprintf("None of the %d cells differs from the paper's by more than chance explains.", g.cells)
	}
	return fmt.Sprintf("Of %d cells %d differ by more than chance explains, in points: %s. Of so many, chance alone would mark %.1f.",
		g.cells, len(g.apart), strings.Join(g.apart, ", "), float64(g.cells)/20)
}

// differences says in which tables ours are not theirs, and why as far as it is known.
func (p *TurtlePage) differences(b *strings.Builder) {
	var rows []string
	for _, t := range p.tables {
		if t == nil || t.open() {
			continue
		}
		g := t.gap()
		rows = append(rows, fmt.Sprintf("| %s | %d | %d | %+.1f | %.1f | %.1f |\n", t.title(), g.cells, len(g.apart), g.mean, g.rms, g.noise))
	}
	if len(rows) == 0 {
		return
	}
	fmt.Fprintf(b, `
## What differs, and why

Ours less theirs, in points of the row's wins, over the cells that were played. Chance
alone would make the root mean square what the last column says.

| table | cells | beyond chance | mean | root mean square | by chance |
| --- | --- | --- | --- | --- | --- |
%s
- The paper's cells have 100 games each, so that a figure near 50 %% is known to ± 10 points.
%s- The paper gives neither the depth of minimax and alpha-beta nor what they do about what is
  hidden. Ours look %d turns ahead in each of %d determinizations of the others' hands and
  colours, and value a line of play by the strategies' move scores alone, to which a win is
  worth nothing by itself.
%s- By MCTS with D rollouts are drawn at random, which is a full search all the same; D of minimax and alpha-beta
  values all moves alike, and moves at random.
- What the rules leave open (the cards of the deck, the start, who wins with a turtle that nobody
  owns) is as the game's parameters say by default; the paper may have decided otherwise.
`, strings.Join(rows, ""), paperTwice(), turtleDepth, turtleWorlds, p.aboutMCTS())
}

// paperTwice compares the paper's Tables II and III, which are the same match twice.
func paperTwice() string {
	square, chance, most, n := 0.0, 0.0, 0.0, 0.0
	a, c := &paperTurtles[1], &paperTurtles[2]
	for _, cell := range a.cells() {
		p, q := a.percent[cell[0]][cell[1]], c.percent[cell[0]][cell[1]]
		square += (p - q) * (p - q)
		mean := (p + q) / 2
		chance += mean * (100 - mean) * 2 / paperTurtleGames
		most = max(most, math.Abs(p-q))
		n++
	}
	return fmt.Sprintf(`- Its Tables II and III show how much that is. Alpha-beta chooses what minimax
  chooses, so that they are one table, made twice: they differ by up to %.0f points, with a
  root mean square of %.1f; by chance it would be %.1f. Table VI is made of the same players.
`, most, math.Sqrt(square/n), math.Sqrt(chance/n))
}

// aboutMCTS compares how MCTS does against players that move at random.
func (p *TurtlePage) aboutMCTS() string {
	theirs := [2]float64{100, 0} // least and most
	ours, n, games := 0.0, 0.0, 0
	for _, number := range []int{4, 5} {
		for i := range turtleStrategies {
			x := paperTurtles[number-1].percent[i][3]
			theirs[0], theirs[1] = min(theirs[0], x), max(theirs[1], x)
			if t := p.Table(TurtleTablePart(number, false)); t != nil {
				if e, ok := t.entry(i, 3); ok {
					ours += e.ours.Percent
					games += e.games
					n++
				}
			}
		}
	}
	text := fmt.Sprintf(`- The paper gives no settings of its MCTS: not the simulations, nor the rollouts, nor what
  it does about hidden hands. It wins %.0f to %.0f %% against searches by Dummy, which move at random:
  it plays hardly better than at random itself, whatever its strategy.
`, theirs[0], theirs[1])
	if ours /= max(1, n); ours > theirs[1] {
		text = strings.TrimSuffix(text, "\n") + fmt.Sprintf(` Ours, a search of
  information sets with rollouts by the strategy, wins %.1f %% of these games (%d of them):
  it plays better than the paper's, which is why Tables IV and V differ. In Table I both
  sides search alike, so that a better search need not change its figures.
`, ours, games)
	}
	return text
}
