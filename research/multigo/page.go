package multigo

import (
	"fmt"
	"strings"

	"tengen/research"
)

// Layout is the page of the multiplayer Go paper.
var Layout = &research.Layout{
	Parts: parts,
	New: func(name string) research.Part {
		return map[string]research.Part{
			"table3": &Table3{}, "table4": &Table4{}, FigureAlphaZero: &Figure3{},
			FigureAlphaZero + paperSettings: &Figure3{},
			FigureDescent:                   &Figure3{}, FigureDescent + paperSettings: &Figure3{},
			rewardPart: &Reward{}, rewardPart + equalTime: &Reward{},
		}[name]
	},
	Markdown: func(p *research.Page) string {
		text := head
		for _, part := range parts {
			text += p.Section(part)
		}
		return text
	},
	Draw: func(p *research.Page, part string) error {
		if f, ok := p.Part(part).(*Figure3); ok {
			return f.draw(p.Picture(part))
		}
		return nil
	},
}

// FigureDescent is the part of Figure 3 for runs of Descent, FigureAlphaZero for others.
const (
	FigureAlphaZero = "figure3"
	FigureDescent   = "figure3-descent"
)

// paperSettings ends the name of the part for a run with the paper's settings.
const paperSettings = "-paper"

// FigurePart returns the part of Figure 3 for a run of an algorithm, with the paper's settings or
// others.
func FigurePart(algorithm string, paper bool) string {
	part := FigureAlphaZero
	if algorithm == "descent" {
		part = FigureDescent
	}
	if paper {
		part += paperSettings
	}
	return part
}

// parts are the parts of the page in their order.
var parts = []string{
	"table3", "table4", FigureAlphaZero, FigureAlphaZero + paperSettings, FigureDescent,
	FigureDescent + paperSettings, rewardPart, rewardPart + equalTime,
}

const head = `# Multiplayer 5×5 Go: the paper's results and ours

The paper (Driss, Arjonilla, Wang, Saffidine and Cazenave, *Deep Reinforcement Learning for 5×5 Multiplayer Go*) claims that
AlphaZero and Descent, after 120 hours on two GPUs, beat multiplayer UCT in every seat of three-player 5×5 Go: as Black
AlphaZero gets about 16 of 25 points and Descent about 12, where UCT gets 11.5.
We find UCT as strong, and both learners stronger than there after minutes on two cores; with the paper's own settings
AlphaZero is as strong as there after six minutes of an H200.
Table 4 and Figure 3 are of one network of each kind, from one seed; the two rewards have three.

Points are means with 95 % intervals; s is the standard deviation. Games between players that draw nothing begin with an
opening drawn at random. The paper's narrow intervals (s of 2 to 5 where games end 25-0-0) suggest repeated games.
`

// seatNames are the seats of the paper's game.
var seatNames = []string{"Black", "White", "Red"}

// complete returns an error unless each list has a cell for each seat.
func complete(lists ...[]Cell) error {
	for _, list := range lists {
		if len(list) != len(seatNames) {
			return fmt.Errorf("%d cells where each of %d seats has one", len(list), len(seatNames))
		}
	}
	return nil
}

// Complete implements research.Part.
func (t *Table3) Complete(string) error { return complete(t.Points, t.Unit) }

// Markdown implements research.Part.
func (t *Table3) Markdown(string, string) string {
	b := new(strings.Builder)
	b.WriteString("\n## Table 3: UCT in all seats\n\n| | " + strings.Join(seatNames, " | ") +
		" |\n| --- | --- | --- | --- |\n")
	fmt.Fprintf(b, "| the paper | %s |\n", strings.Join(paperTable3, " | "))
	fmt.Fprintf(b, "| ours, `utility=points` | %s |\n", cells(t.Points))
	fmt.Fprintf(b, "| ours, `utility=unit` | %s |\n", cells(t.Unit))
	return b.String()
}

// Complete implements research.Part.
func (t *Table4) Complete(string) error {
	for _, r := range t.Rows {
		if err := complete(r.Seats); err != nil {
			return err
		}
	}
	return nil
}

// Markdown implements research.Part.
func (t *Table4) Markdown(string, string) string {
	b := new(strings.Builder)
	b.WriteString("\n## Table 4: one in each seat against two others\n\nThe paper gives Black's points.\n\n| in the seat | in the others | the paper, Black | " + strings.Join(seatNames, " | ") + " |\n| --- | --- | --- | --- | --- | --- |\n")
	for _, r := range t.Rows {
		fmt.Fprintf(b, "| `%s` | `%s` | %s | %s |\n", r.Player, r.Against, r.Paper, cells(r.Seats))
	}
	return b.String()
}

// Complete implements research.Part.
func (f *Figure3) Complete(string) error {
	for _, q := range f.Points {
		if err := complete(q.Seats); err != nil {
			return err
		}
	}
	return nil
}

// Markdown implements research.Part.
func (f *Figure3) Markdown(part, folder string) string {
	b := new(strings.Builder)
	title, settings := "Figure 3", ""
	if strings.HasSuffix(part, paperSettings) {
		title, settings = "Figure 3 with the paper's settings",
			", of the preset `paper-"+f.Algorithm+"`"
	}
	fmt.Fprintf(b, "\n## %s: %s against two UCT during training\n\nThe run `%s`%s. The picture has each checkpoint that it kept. The paper's curves end at the dashed lines.\n\n", title, f.name(), f.Run, settings)
	if f.Interrupted == nil {
		fmt.Fprintf(b, "![points by seat during training](%s/%s.svg)\n\n", folder, part)
	}
	b.WriteString("| iteration | games | hours | " + strings.Join(seatNames, " | ") +
		" |\n| --- | --- | --- | --- | --- | --- |\n")
	step := (len(f.Points) + mostRows - 1) / mostRows
	for i, q := range f.Points {
		if (len(f.Points)-1-i)%step != 0 {
			continue // the picture has all
		}
		fmt.Fprintf(b, "| %d | %d | %s | %s |\n",
			q.Iteration, q.Games, hours(q.Hours), means(q.Seats))
	}
	theirs := paperFigure3[f.Algorithm]
	if len(theirs) == len(seatNames) {
		fmt.Fprintf(b,
			"| the paper's %s | 50000 | 120 (two RTX 2080 Ti) | about %g | about %g | about %g |\n",
			f.name(), theirs[0], theirs[1], theirs[2])
	}
	return b.String()
}

// mostRows bounds the rows of a figure's table.
const mostRows = 8

// hours returns two decimals, or for a few minutes two digits.
func hours(h float64) string {
	if h < 0.1 {
		return fmt.Sprintf("%.2g", h)
	}
	return fmt.Sprintf("%.2f", h)
}

// name is that of the algorithm.
func (f *Figure3) name() string {
	if f.Algorithm == "descent" {
		return "Descent"
	}
	return "AlphaZero"
}

// cells returns the cells of the seats; none were played if list is nil.
func cells(list []Cell) string {
	if list == nil {
		return "–" + strings.Repeat(" | –", len(seatNames)-1)
	}
	words := make([]string, len(list))
	for i, c := range list {
		words[i] = c.String()
	}
	return strings.Join(words, " | ")
}

// means returns the cells of the seats without their standard deviations.
func means(list []Cell) string {
	words := strings.Split(cells(list), " | ")
	for i, w := range words {
		words[i], _, _ = strings.Cut(w, " (s")
	}
	return strings.Join(words, " | ")
}
