package cards

import (
	"fmt"
	"strings"

	"tengen/internal/chart"
	"tengen/research"
)

// parts are the parts of the page in their order.
var parts = []string{"table2", "table3", "table4", "table4-real", "table5", "table5-real", "beyond"}

// Layout is the page of the representative-moves paper.
var Layout = &research.Layout{
	Parts: parts,
	New: func(name string) research.Part {
		return map[string]research.Part{
			"table2": &Table2{}, "table3": &Table3{}, "table4": &Table4{}, "table4-real": &Real{},
			"table5": &Table5{}, "table5-real": &Real{}, "beyond": &Beyond{},
		}[name]
	},
	Markdown: func(p *research.Page) string {
		text := head
		for _, part := range parts {
			text += p.Section(part)
			if part == "table3" && hasSearches(p) {
				text += fmt.Sprintf("\n![leaf nodes by depth](%s/leaves.svg)\n", p.Folder())
			}
		}
		return text
	},
	Draw: func(p *research.Page, _ string) error {
		if hasSearches(p) {
			return draw(p)
		}
		return nil
	},
	Footer: func(m *research.Made) string {
		played := "In"
		if m.Games > 0 {
			played = fmt.Sprintf("%d games, %d of them distinct, seed %d, in",
				m.Games, m.Distinct, m.Seed)
		}
		return fmt.Sprintf("\n    %s\n\n%s %s on %s.\n", m.Command, played, m.Took(), m.Machine)
	},
}

const head = `# Representative moves: the paper's results and ours

The paper (Taucer, Polk and Oommen, *On Addressing the Challenges of Complex Stochastic Games Using "Representative" Moves*,
AIAI 2018) claims that representative moves cut the leaves of a search from 263,836,900 to 3,100 at depth 3, and yet win 8 of
10 games against the search with all cards (49–94 %), and 8 of 11 if they look two turns further (43–90 %).
We find the leaves (Table 2 to the rounding, if the paper lost a digit at depth 5; Table 3 to 0.2 %), and the wins only in part:
they hang on how a representative becomes a real card, which the paper does not say. Mapped to the greatest card ours lose
nearly all games to the same depth; with the real hand at the root neither side is clearly better at the same depth, and
representatives that look two turns further win most games (Table 5).

Depths are numbers of turns, each a sequence of small actions (place a card, then one action for each card); a time a move
is that of one of these.
`

// hasSearches reports whether the page has a table of searches, which the plot shows.
func hasSearches(p *research.Page) bool {
	return p.Part("table2") != nil || p.Part("table3") != nil
}

func lacks(what string) error { return fmt.Errorf("it lacks %s", what) }

// checkDepth returns an error for depths that no search has.
func checkDepth(depth int) error {
	if depth < 1 || depth > 100 {
		return fmt.Errorf("a row of depth %d", depth)
	}
	return nil
}

// Complete implements research.Part.
func (t *Table2) Complete(string) error {
	for _, r := range t.Rows {
		if err := checkDepth(r.Depth); err != nil {
			return err
		}
	}
	if len(t.Rows) == 0 {
		return lacks("rows")
	}
	return nil
}

// Complete implements research.Part.
func (t *Table3) Complete(string) error {
	for _, rule := range t.Rules {
		for _, r := range rule.Rows {
			if err := checkDepth(r.Depth); err != nil {
				return err
			}
		}
	}
	if len(t.Rules) == 0 {
		return lacks("rules")
	}
	return nil
}

// Complete implements research.Part.
func (t *Table4) Complete(string) error {
	if t.Depth == nil {
		return lacks("the match by depth")
	}
	return nil
}

// Complete implements research.Part.
func (t *Table5) Complete(string) error {
	if t.Depth == nil {
		return lacks("the match by depth")
	}
	return nil
}

// Complete implements research.Part.
func (t *Beyond) Complete(string) error {
	c := t.Classes
	if c == nil {
		return lacks("classes")
	}
	if len(c.Shares) != len(c.Means) {
		return fmt.Errorf("classes with %d shares and %d means", len(c.Shares), len(c.Means))
	}
	for _, mean := range c.Means {
		if len(mean) != len(c.Names) {
			return fmt.Errorf("a class with %d of %d features", len(mean), len(c.Names))
		}
	}
	return nil
}

// curve is one line of the plot.
type curve struct {
	name   string
	color  string
	dashed bool
	points []chart.Point
}

// Colors of the plot: representative moves, all cards.
var (
	representativeColor = "#1f77b4"
	fullColor           = "#d62728"
	grayColor           = "#707070"
)

// curves returns the leaf nodes by depth, ours and the paper's.
func curves(p *research.Page) []curve {
	point := func(depth int, leaves int64) chart.Point {
		return chart.Point{X: float64(depth), Y: float64(max(1, leaves))}
	}
	var list []curve
	if t, ok := p.Part("table2").(*Table2); ok {
		plain := curve{name: "representative moves", color: representativeColor}
		pruned := curve{
			name: "representative moves, pruned", color: representativeColor, dashed: true,
		}
		for _, r := range t.Rows {
			if r.Plain != nil {
				plain.points = append(plain.points, point(r.Depth, r.Plain.Leaves))
			}
			pruned.points = append(pruned.points, point(r.Depth, r.Pruned.Leaves))
		}
		list = append(list, plain, pruned)
	}
	if t, ok := p.Part("table3").(*Table3); ok {
		for _, rule := range t.Rules {
			if !strings.Contains(rule.Game, "draw=always") {
				continue
			}
			plain := curve{name: "all cards, a draw in every turn", color: fullColor}
			pruned := curve{name: "all cards, pruned", color: fullColor, dashed: true}
			for _, r := range rule.Rows {
				plain.points = append(plain.points, point(r.Depth, r.Leaves))
				pruned.points = append(pruned.points, point(r.Depth, r.Pruned.Leaves))
			}
			if d := rule.Deep; d != nil && d.Done == d.Outcomes {
				pruned.points = append(pruned.points, point(d.Depth, d.Pruned.Leaves))
			}
			list = append(list, plain, pruned)
		}
	}
	return append(list,
		curve{
			name: "the paper, representative moves", color: grayColor,
			points: []chart.Point{{X: 3, Y: 3100}, {X: 4, Y: 62400}, {X: 5, Y: 238100}},
		},
		curve{
			name: "the paper, all cards", color: grayColor,
			points: []chart.Point{{X: 3, Y: 263836900}},
		},
	)
}

// draw writes the plot of leaf nodes by depth.
func draw(p *research.Page) error {
	fig := chart.New("leaf nodes from the paper's starting hand")
	fig.X.Label, fig.Y.Label = "depth in turns", "leaf nodes"
	fig.Y.Log = true
	for _, c := range curves(p) {
		if len(c.points) == 0 {
			continue
		}
		s := chart.Style{Color: c.color, Mark: chart.Dot}
		if c.color == grayColor {
			s.Mark = chart.Cross
		}
		if c.dashed {
			s.Dash, s.Mark = "5 3", chart.Ring
		}
		fig.Line(c.name, c.points, s)
	}
	fig.Corner = chart.TopLeft
	fig.Y.Min, fig.Y.Max = 1, 1e12 // room for the legend
	fig.X.Min = 0.8
	return research.WritePicture(&chart.Sheet{
		Width: 680, RowHeight: 450, Rows: [][]*chart.Panel{{fig}},
	}, p.Picture("leaves"))
}
