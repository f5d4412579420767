package experiments

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"
)

// seatNames are those of the paper's game.
var seatNames = []string{"Black", "White", "Red"}

// GoPage is the page of the multiplayer Go paper, theirs beside ours, made of
// the parts that have been run. The parts lie in a folder beside the page, as JSON.
type GoPage struct {
	Path string // of the page: docs/results/go.md

	Table3  *GoTable3
	Table4  *GoTable4
	Figure3 *GoFigure3
	Reward  *GoReward
}

// parts are the page's parts by the names of their files.
func (p *GoPage) parts() map[string]any {
	return map[string]any{"table3": &p.Table3, "table4": &p.Table4, "figure3": &p.Figure3, "reward": &p.Reward}
}

// Dir is the folder of the page's parts and pictures.
func (p *GoPage) Dir() string { return besidePage(p.Path) }

// ReadGoPage reads the parts that are there.
func ReadGoPage(path string) (*GoPage, error) {
	p := &GoPage{Path: path}
	if err := readParts(p); err != nil {
		return nil, err
	}
	return p, nil
}

// complete says what is missing in a part, so that the page can be made of it.
func (p *GoPage) complete(part string) error {
	seats := func(lists ...[]Cell) error {
		for _, list := range lists {
			if len(list) != len(seatNames) {
				return fmt.Errorf("%d cells where each of %d seats has one", len(list), len(seatNames))
			}
		}
		return nil
	}
	switch part {
	case "table3":
		return seats(p.Table3.Points, p.Table3.Unit)
	case "table4":
		for _, r := range p.Table4.Rows {
			if err := seats(r.Seats); err != nil {
				return err
			}
		}
	case "figure3":
		for _, q := range p.Figure3.Points {
			if err := seats(q.Seats); err != nil {
				return err
			}
		}
	case "reward":
		if n := len(p.Reward.Arms); n != len(rewards) {
			return fmt.Errorf("%d arms; %d are wanted", n, len(rewards))
		}
		for _, a := range p.Reward.Arms {
			if err := seats(a.UCTPoints, a.UCTWins, a.OtherPoints, a.OtherWins); err != nil {
				return err
			}
		}
	}
	return nil
}

// Write writes one part, by name, and the page anew.
func (p *GoPage) Write(part string) error {
	if err := writePart(p, p.Path, part); err != nil {
		return err
	}
	return writePage(p, p.Path)
}

// Markdown is the page.
func (p *GoPage) Markdown() string {
	b := new(strings.Builder)
	b.WriteString(`# Multiplayer 5×5 Go: theirs beside ours

The tables and the figure of Driss, Arjonilla, Wang, Saffidine and Cazenave, *Deep
Reinforcement Learning for 5×5 Multiplayer Go*, and what Tengen gets. Points are means with
95 % intervals (1.96·s/√n) and standard deviations s. Games among players that
draw nothing are made to differ by an opening, drawn at random, of the number of
decisions given; the number of distinct games is given too. The paper's narrow
intervals (s of 2 to 5 where games end 25-0-0) suggest repeated games.
`)
	for _, part := range []string{"table3", "table4", "figure3", "reward"} {
		b.WriteString(p.Part(part))
	}
	return b.String()
}

// made is how a part was made; nil where it has not been.
func (p *GoPage) made(part string) *Made {
	switch {
	case part == "table3" && p.Table3 != nil:
		return &p.Table3.Made
	case part == "table4" && p.Table4 != nil:
		return &p.Table4.Made
	case part == "figure3" && p.Figure3 != nil:
		return &p.Figure3.Made
	case part == "reward" && p.Reward != nil:
		return &p.Reward.Made
	}
	return nil
}

// Took notes how long a part took.
func (p *GoPage) Took(part string, d time.Duration) {
	took(p, part, d)
}

// Part is a part of the page, empty where it has not been made.
func (p *GoPage) Part(part string) string {
	b := new(strings.Builder)
	m := p.made(part)
	if m == nil {
		return ""
	}
	switch part {
	case "table3":
		t := p.Table3
		b.WriteString("\n## Table 3: UCT in all seats\n\n| | " + strings.Join(seatNames, " | ") + " |\n| --- | --- | --- | --- |\n")
		fmt.Fprintf(b, "| the paper | %s |\n", strings.Join(paperTable3, " | "))
		fmt.Fprintf(b, "| ours, `utility=points` | %s |\n", cells(t.Points))
		fmt.Fprintf(b, "| ours, `utility=unit` | %s |\n", cells(t.Unit))
	case "table4":
		t := p.Table4
		b.WriteString("\n## Table 4: one in each seat against two others\n\nThe paper gives Black's points.\n\n| in the seat | in the others | the paper, Black | " + strings.Join(seatNames, " | ") + " |\n| --- | --- | --- | --- | --- | --- |\n")
		for _, r := range t.Rows {
			fmt.Fprintf(b, "| `%s` | `%s` | %s | %s |\n", r.Player, r.Against, r.Paper, cells(r.Seats))
		}
	case "figure3":
		f := p.Figure3
		fmt.Fprintf(b, "\n## Figure 3: against two UCT, over training\n\nThe run `%s`, measured at each checkpoint that it kept.\n\n![points by seat over training](%s/figure3.svg)\n\n", f.Run, filepath.Base(p.Dir()))
		b.WriteString("| iteration | games | hours | " + strings.Join(seatNames, " | ") + " |\n| --- | --- | --- | --- | --- | --- |\n")
		for _, q := range f.Points {
			fmt.Fprintf(b, "| %d | %d | %.2f | %s |\n", q.Iteration, q.Games, q.Hours, cells(q.Seats))
		}
		b.WriteString("| the paper's AlphaZero | 50000 | 120 (two RTX 2080 Ti) | about 16 | about 10 | about 11 |\n")
	case "reward":
		b.WriteString(p.Reward.markdown())
	}
	b.WriteString(m.String())
	return b.String()
}

func cells(list []Cell) string {
	words := make([]string, len(list))
	for i, c := range list {
		words[i] = c.String()
	}
	return strings.Join(words, " | ")
}

// String says how a part was made.
func (m Made) String() string {
	opening := ""
	if m.Opening > 0 {
		opening = fmt.Sprintf(" Openings of %d decisions where no UCT plays.", m.Opening)
	}
	return fmt.Sprintf("\n    %s\n\n%d games, %d of them distinct, in %.0f s on %s.%s\n", m.Command, m.Games, m.Distinct, m.Seconds, m.Machine, opening)
}
