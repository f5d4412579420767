package truth

import (
	"fmt"
	"slices"
	"strings"

	"tengen/internal/chart"
	"tengen/research"
)

// titles are the parts of the page in order, with their headings.
var titles = []struct{ part, title string }{
	{"uct", "UCT with random playouts"},
	{"alphazero", "AlphaZero"},
	{"descent", "Descent"},
}

// Layout is the page of perfect play.
var Layout = &research.Layout{
	Parts: parts(),
	New:   func(string) research.Part { return &Table{} },
	Markdown: func(p *research.Page) string {
		text := "# Connect Four: the share of perfect moves\n\n" + opening(p) + head
		for _, name := range parts() {
			text += p.Section(name)
		}
		return text
	},
	Draw: func(p *research.Page, name string) error {
		t := p.Part(name).(*Table)
		if t.Run == "" {
			return nil
		}
		return t.draw(p.Picture(name))
	},
	Footer: func(m *research.Made) string {
		return fmt.Sprintf("\n    %s\n\n%d decisions in %.0f s on %s.\n",
			m.Command, m.Games, m.Seconds, m.Machine)
	},
}

func parts() []string {
	var list []string
	for _, t := range titles {
		list = append(list, t.part)
	}
	return list
}

// opening tells what is known, what was found, and how sure it is.
func opening(p *research.Page) string {
	text := `Connect Four on 7 columns and 6 rows is solved (Allis 1988): the first player wins, and a program finds the value of every
move.
`
	t, ok := p.Part("alphazero").(*Table)
	if !ok || t == nil || len(t.Rows) == 0 {
		return text + "\n"
	}
	list := func(r *Row) string {
		var shares []string
		for _, c := range r.Cells {
			shares = append(shares, fmt.Sprintf("%.1f", c.Outcome.Percent))
		}
		return strings.Join(shares, " / ")
	}
	last := &t.Rows[len(t.Rows)-1]
	alone := last
	for i := range t.Rows {
		if t.Rows[i].Simulations == 0 {
			alone = &t.Rows[i]
		}
	}
	widest := 0.0
	for _, c := range append(append([]Cell(nil), alone.Cells...), last.Cells...) {
		widest = max(widest, (c.Outcome.High-c.Outcome.Low)/2)
	}
	return text + fmt.Sprintf(`After %.1f hours of training an AlphaZero network alone keeps the result in %s %% of random positions early, in
the middle and late in the game, and with %d simulations in %s %%.
It is one run of one seed, and %d positions of each set make a share sure to ± %.1f or better.

`, last.Hours, list(alone), last.Simulations, list(last), t.Positions, widest)
}

const head = `A player's moves on random positions are compared with the solver's: whether they keep the *result*, and whether they are
*exact*, that is, also win as soon or lose as late as possible. *Open* is the share of moves that keep the result in positions
in which some move throws it away. Shares are in %, with 95 % intervals of the first (those of the others are at most ± 4).

All positions of a set are different, and every decision stands alone. The network alone takes the move with the greatest
prior; that of Descent, which has no policy, the move after which it values the position most.
With *proofs* a search proves values from the ends of games ([proven values](../design/search.md#proven-values)).
`

// Complete implements research.Part.
func (t *Table) Complete(string) error {
	if t.Game == "" || len(t.Stages) == 0 {
		return fmt.Errorf("no game, or no sets of positions")
	}
	for _, r := range t.Rows {
		if len(r.Cells) != len(t.Stages) {
			return fmt.Errorf("%s: %d cells for %d sets of positions",
				r.Player, len(r.Cells), len(t.Stages))
		}
	}
	return nil
}

// Markdown implements research.Part.
func (t *Table) Markdown(name, folder string) string {
	b := new(strings.Builder)
	title := name
	for _, x := range titles {
		if x.part == name {
			title = x.title
		}
	}
	fmt.Fprintf(b, "\n## %s\n\n", title)
	var sets []string
	for _, s := range t.Stages {
		sets = append(sets,
			fmt.Sprintf("%s: %d to %d stones, %d open", s.Name, s.From, s.To, s.Open))
	}
	fmt.Fprintf(b, "%s. %d positions of each set (%s).\n\n",
		t.Game, t.Positions, strings.Join(sets, "; "))
	if t.Run != "" && t.Interrupted == nil {
		fmt.Fprintf(b, "![moves that keep the result, by hours of training](%s/%s.svg)\n\n",
			folder, name)
	}
	columns, rule := "| player |", "| --- |"
	if t.Run != "" {
		columns, rule = "| iteration | games | hours | player |", "| --- | --- | --- | --- |"
	}
	for _, s := range t.Stages {
		columns += fmt.Sprintf(" %s: result | exact | open |", s.Name)
		rule += " --- | --- | --- |"
	}
	b.WriteString(columns + "\n" + rule + "\n")
	shown := t.shown()
	for _, r := range t.Rows {
		if !slices.Contains(shown, r.Iteration) {
			continue
		}
		if t.Run != "" {
			fmt.Fprintf(b, "| %d | %d | %.2f ", r.Iteration, r.Games, r.Hours)
		}
		fmt.Fprintf(b, "| %s |", r.what())
		for _, c := range r.Cells {
			open := "–"
			if c.Open != nil {
				open = fmt.Sprintf("%.1f", c.Open.Percent)
			}
			fmt.Fprintf(b, " %v | %.1f | %s |", c.Outcome, c.Exact.Percent, open)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// shown returns the iterations that the table has, at most four; the picture has all.
func (t *Table) shown() []int {
	var all, list []int
	for _, r := range t.Rows {
		if !slices.Contains(all, r.Iteration) {
			all = append(all, r.Iteration)
		}
	}
	step := (len(all) + 3) / 4
	for i, n := range all {
		if (len(all)-1-i)%step == 0 {
			list = append(list, n)
		}
	}
	return list
}

// what names a row's player in few words.
func (r *Row) what() string {
	switch {
	case r.Simulations == 0:
		return "network alone"
	case strings.HasPrefix(r.Player, "ubfm"):
		return fmt.Sprintf("%d iterations", r.Simulations)
	}
	text := fmt.Sprintf("%d simulations", r.Simulations)
	if r.Proofs {
		text += ", proofs"
	}
	return text
}

// draw writes the shares of moves that keep the result by hours of training as base.svg: of
// the network alone as dashed lines, and with the fewest simulations.
func (t *Table) draw(base string) error {
	p := chart.New("moves that keep the result of perfect play")
	p.X.Label, p.Y.Label = "hours of training", "%, 95 % band"
	p.X.Min, p.Y.Max = 0, 100
	least := 0 // simulations
	for _, r := range t.Rows {
		if r.Simulations > 0 && (least == 0 || r.Simulations < least) {
			least = r.Simulations
		}
	}
	for k, stage := range t.Stages {
		ink := chart.Colors[k%len(chart.Colors)]
		for _, simulations := range []int{0, least} {
			var mean, high, low []chart.Point
			for _, r := range t.Rows {
				if r.Simulations != simulations || k >= len(r.Cells) {
					continue
				}
				c := r.Cells[k].Outcome
				mean = append(mean, chart.Point{X: r.Hours, Y: c.Percent})
				high = append(high, chart.Point{X: r.Hours, Y: c.High})
				low = append(low, chart.Point{X: r.Hours, Y: c.Low})
			}
			if len(mean) == 0 {
				continue
			}
			s := chart.Style{Color: ink}
			name := fmt.Sprintf("%s, %d simulations", stage.Name, simulations)
			if simulations == 0 {
				name = stage.Name + ", network alone"
				s.Dash = "4 4"
			} else {
				p.Band(low, high, ink)
			}
			p.Line(name, mean, s)
		}
	}
	lowest := 90.0
	for _, r := range t.Rows {
		for _, c := range r.Cells {
			lowest = min(lowest, c.Outcome.Low)
		}
	}
	p.Y.Min = lowest - 0.5*(100-lowest) // room for the legend
	p.Corner = chart.BottomRight
	return research.WritePicture(&chart.Sheet{
		Width: 600, RowHeight: 410, Rows: [][]*chart.Panel{{p}},
	}, base)
}
