package experiments

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"
)

// RMPage is the page of the representative-moves paper, theirs beside ours,
// made of the parts that have been run. The parts lie in a folder beside the page,
// as JSON.
type RMPage struct {
	Path string // of the page: docs/results/representative-moves.md

	Table2 *RMTable2
	Table3 *RMTable3
	Table4 *RMTable4
	Table5 *RMTable5
	Beyond *RMBeyond
}

// rmParts are the parts in their order on the page, by the names of their files.
var rmParts = []string{"table2", "table3", "table4", "table5", "beyond"}

// parts are where the parts are kept.
func (p *RMPage) parts() map[string]any {
	return map[string]any{"table2": &p.Table2, "table3": &p.Table3, "table4": &p.Table4, "table5": &p.Table5, "beyond": &p.Beyond}
}

// Dir is the folder of the page's parts and pictures.
func (p *RMPage) Dir() string { return besidePage(p.Path) }

// ReadRMPage reads the parts that are there.
func ReadRMPage(path string) (*RMPage, error) {
	p := &RMPage{Path: path}
	if err := readParts(p); err != nil {
		return nil, err
	}
	return p, nil
}

// complete says what is missing in a part, so that the page can be made of it.
func (p *RMPage) complete(part string) error {
	lacks := func(what string) error { return fmt.Errorf("it lacks %s", what) }
	switch part {
	case "table2":
		if len(p.Table2.Rows) == 0 {
			return lacks("rows")
		}
		for _, r := range p.Table2.Rows {
			if r.Depth < 1 || r.Depth > 100 {
				return fmt.Errorf("a row of depth %d", r.Depth)
			}
		}
	case "table3":
		if len(p.Table3.Rules) == 0 {
			return lacks("rules")
		}
		for _, rule := range p.Table3.Rules {
			for _, r := range rule.Rows {
				if r.Depth < 1 || r.Depth > 100 {
					return fmt.Errorf("a row of depth %d", r.Depth)
				}
			}
		}
	case "table4":
		if p.Table4.Depth == nil {
			return lacks("the match by depth")
		}
	case "table5":
		if p.Table5.Depth == nil {
			return lacks("the match by depth")
		}
	case "beyond":
		c := p.Beyond.Classes
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
	}
	return nil
}

// made is how a part was made; nil where it has not been.
func (p *RMPage) made(part string) *Made {
	switch {
	case part == "table2" && p.Table2 != nil:
		return &p.Table2.Made
	case part == "table3" && p.Table3 != nil:
		return &p.Table3.Made
	case part == "table4" && p.Table4 != nil:
		return &p.Table4.Made
	case part == "table5" && p.Table5 != nil:
		return &p.Table5.Made
	case part == "beyond" && p.Beyond != nil:
		return &p.Beyond.Made
	}
	return nil
}

// Took notes how long a part took.
func (p *RMPage) Took(part string, d time.Duration) {
	took(p, part, d)
}

// Write writes one part, by name, the plot, and the page anew.
func (p *RMPage) Write(part string) error {
	if err := writePart(p, p.Path, part); err != nil {
		return err
	}
	if p.Table2 != nil || p.Table3 != nil {
		if err := p.draw(filepath.Join(p.Dir(), "leaves")); err != nil {
			return err
		}
	}
	return writePage(p, p.Path)
}

// Markdown is the page.
func (p *RMPage) Markdown() string {
	b := new(strings.Builder)
	b.WriteString(`# Representative moves: theirs beside ours

The tables of Taucer, Polk and Oommen, *On Addressing the Challenges of Complex Stochastic
Games Using "Representative" Moves* (AIAI 2018), and what Tengen gets. A depth is a number
of turns. A turn is a sequence of small actions here (place a card, then one action for
each card), so that a time a move is one for each of these.
`)
	for _, part := range rmParts {
		b.WriteString(p.Part(part))
		if part == "table3" && (p.Table2 != nil || p.Table3 != nil) {
			fmt.Fprintf(b, "\n![leaf nodes by depth](%s/leaves.svg)\n", filepath.Base(p.Dir()))
		}
	}
	return b.String()
}

// Part is a part of the page, empty where it has not been made.
func (p *RMPage) Part(part string) string {
	m := p.made(part)
	if m == nil {
		return ""
	}
	b := new(strings.Builder)
	switch part {
	case "table2":
		p.Table2.write(b)
	case "table3":
		p.Table3.write(b)
	case "table4":
		p.Table4.write(b)
	case "table5":
		p.Table5.write(b)
	case "beyond":
		p.Beyond.write(b)
	}
	fmt.Fprintf(b, "\n    %s\n\n", m.Command)
	if m.Games > 0 {
		fmt.Fprintf(b, "%d games, %d of them distinct, seed %d, in", m.Games, m.Distinct, m.Seed)
	} else {
		b.WriteString("In")
	}
	fmt.Fprintf(b, " %.0f s on %s.\n", m.Seconds, m.Machine)
	return b.String()
}
