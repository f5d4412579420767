package experiments

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// TurtlePage is the page of the Great Turtle Race, theirs beside ours, made of
// the parts that have been run. The parts lie in a folder beside the page, as JSON.
type TurtlePage struct {
	Path string // of the page: docs/results/turtle-race.md

	tables [len(turtleTableParts)]*TurtleTable
	beyond [len(turtleBeyondParts)]*TurtleBeyond
}

// The parts in their order on the page, by the names of their files.
var (
	turtleTableParts  = [...]string{"table1", "table2", "table2-open", "table3", "table3-open", "table4", "table5", "table6"}
	turtleBeyondParts = [...]string{"beyond-theirs", "beyond-players", "beyond-ceiling", "beyond-time", "beyond-opponents"}
)

// TurtleTablePart is the part of a table, 1 to 6, or of its variant with open hands.
func TurtleTablePart(number int, open bool) string {
	part := fmt.Sprintf("table%d", number)
	if open {
		part += "-open"
	}
	return part
}

// TurtleBeyondPart is the part of one of TurtleSections.
func TurtleBeyondPart(section string) string { return "beyond-" + section }

// ReadTurtlePage reads the parts that are there.
func ReadTurtlePage(path string) (*TurtlePage, error) {
	p := &TurtlePage{Path: path}
	if err := readParts(p); err != nil {
		return nil, err
	}
	return p, nil
}

func (p *TurtlePage) parts() map[string]any {
	parts := map[string]any{}
	for i, name := range turtleTableParts {
		parts[name] = &p.tables[i]
	}
	for i, name := range turtleBeyondParts {
		parts[name] = &p.beyond[i]
	}
	return parts
}

// Table is the part of a table, nil where it has not been made.
func (p *TurtlePage) Table(part string) *TurtleTable {
	if i := slices.Index(turtleTableParts[:], part); i >= 0 {
		return p.tables[i]
	}
	return nil
}

// Beyond is a part that goes beyond the paper, nil where it has not been made.
func (p *TurtlePage) Beyond(part string) *TurtleBeyond {
	if i := slices.Index(turtleBeyondParts[:], part); i >= 0 {
		return p.beyond[i]
	}
	return nil
}

// Put puts a part in its place: a *TurtleTable or a *TurtleBeyond.
func (p *TurtlePage) Put(part string, found any) {
	switch place := p.parts()[part].(type) {
	case **TurtleTable:
		*place = found.(*TurtleTable)
	case **TurtleBeyond:
		*place = found.(*TurtleBeyond)
	default:
		panic("reproduce: the page has no part " + part)
	}
}

// Dir is the folder of the page's parts and pictures.
func (p *TurtlePage) Dir() string { return besidePage(p.Path) }

// made is how a part was made; nil where it has not been.
func (p *TurtlePage) made(part string) *Made {
	if t := p.Table(part); t != nil {
		return &t.Made
	}
	if b := p.Beyond(part); b != nil {
		return &b.Made
	}
	return nil
}

// complete says what is missing in a part, so that the page can be made of it.
func (p *TurtlePage) complete(part string) error {
	sound := func(m *TurtleMatch) error {
		switch {
		case m.Players < 2 || m.Players > 5:
			return fmt.Errorf("a match of %d players", m.Players)
		case m.Games < 1:
			return fmt.Errorf("a match of %d games", m.Games)
		case m.Percent < 0 || m.Percent > 100:
			return fmt.Errorf("a match of which %g %% are won", m.Percent)
		}
		return nil
	}
	if t := p.Table(part); t != nil {
		if t.Table < 1 || t.Table > len(paperTurtles) || !strings.HasPrefix(part, TurtleTablePart(t.Table, false)) {
			return fmt.Errorf("table %d is not that of the file", t.Table)
		}
		for _, cell := range paperTurtles[t.Table-1].cells() {
			if _, ok := t.entry(cell[0], cell[1]); !ok {
				return fmt.Errorf("it lacks the cell of %s against %s", turtleStrategies[cell[0]], turtleStrategies[cell[1]])
			}
		}
		for i := range t.Cells {
			if err := sound(&t.Cells[i].Match); err != nil {
				return err
			}
		}
	}
	if b := p.Beyond(part); b != nil {
		if len(b.Matches) == 0 {
			return fmt.Errorf("it lacks matches")
		}
		for i := range b.Matches {
			if err := sound(&b.Matches[i].Match); err != nil {
				return err
			}
		}
	}
	return nil
}

// Took notes how long a part took.
func (p *TurtlePage) Took(part string, d time.Duration) { took(p, part, d) }

// Write writes one part, by name, its picture if it is a table, and the page anew.
func (p *TurtlePage) Write(part string) error {
	if err := writePart(p, p.Path, part); err != nil {
		return err
	}
	if t := p.Table(part); t != nil {
		if err := t.draw(filepath.Join(p.Dir(), part)); err != nil {
			return err
		}
	}
	return writePage(p, p.Path)
}

// Markdown is the page.
func (p *TurtlePage) Markdown() string {
	b := new(strings.Builder)
	b.WriteString(turtleHead)
	for _, part := range turtleTableParts {
		b.WriteString(p.Part(part))
	}
	p.differences(b)
	if slices.ContainsFunc(p.beyond[:], func(b *TurtleBeyond) bool { return b != nil }) {
		b.WriteString(turtleBeyondHead)
	}
	for _, part := range turtleBeyondParts {
		b.WriteString(p.Part(part))
	}
	return b.String()
}

// Part is a part of the page, empty where it has not been made.
func (p *TurtlePage) Part(part string) string {
	m := p.made(part)
	if m == nil {
		return ""
	}
	b := new(strings.Builder)
	if t := p.Table(part); t != nil {
		t.write(b, filepath.Base(p.Dir())+"/"+part+".svg")
	} else {
		p.Beyond(part).write(b, part)
	}
	b.WriteString(m.String())
	return b.String()
}
