package turtlerace

import (
	"fmt"
	"slices"
	"strings"

	"tengen/research"
)

// The parts in their order on the page.
var (
	tableParts = []string{
		"table1", "table2", "table2-open", "table3", "table3-open", "table4", "table5", "table6",
	}
	beyondParts = []string{
		"beyond-theirs", "beyond-players", "beyond-ceiling", "beyond-time", "beyond-opponents",
		"beyond-weak",
	}
)

// tablePart returns the part of a table, 1 to 6.
func tablePart(number int) string { return fmt.Sprintf("table%d", number) }

// TableOf returns the table of a part, 1 to 6, and whether it is the variant with open hands; ok is
// false if the part is no table.
func TableOf(part string) (number int, open, ok bool) {
	_, _ = fmt.Sscanf(part, "table%d", &number)
	return number, strings.HasSuffix(part, "-open"), slices.Contains(tableParts, part)
}

// BeyondPart returns the part of one of Sections.
func BeyondPart(section string) string { return "beyond-" + section }

// Layout is the page of the Great Turtle Race.
var Layout = &research.Layout{
	Parts: slices.Concat(tableParts, beyondParts),
	New: func(name string) research.Part {
		if slices.Contains(tableParts, name) {
			return &Table{}
		}
		return &Beyond{}
	},
	Markdown: func(p *research.Page) string {
		text := head
		for _, part := range tableParts {
			text += p.Section(part)
		}
		text += differences(p)
		beyond := ""
		for _, part := range beyondParts {
			beyond += p.Section(part)
		}
		if beyond != "" {
			text += beyondHead + beyond
		}
		return text
	},
	Draw: func(p *research.Page, part string) error {
		if t, ok := p.Part(part).(*Table); ok {
			return t.draw(p.Picture(part))
		}
		return nil
	},
}
