package sweep

import (
	"fmt"
	"math"
	"strings"

	"tengen/research"
)

// Networks are the networks that have a part of the page.
var Networks = []string{"go-5x5x3", "go-5x5x2", "turtle", "tcg"}

// Layout is the page of sweeps.
var Layout = &research.Layout{
	Parts: Networks,
	New:   func(string) research.Part { return &Table{} },
	Markdown: func(p *research.Page) string {
		text := head
		for _, name := range Networks {
			text += p.Section(name)
		}
		return text
	},
	Footer: func(m *research.Made) string {
		return fmt.Sprintf("\n    %s\n\n%d games, %d of them distinct, in %.0f s on %s. Openings of %d decisions, the same for all arms.\n", m.Command, m.Games, m.Distinct, m.Seconds, m.Machine, m.Opening)
	},
}

const head = `# Options of the search

Each row is a match of a network against itself at equal simulations: one player has the keys of the row, the other the search
of the network's run; the games of a round have the same opening, in all seatings. The share is that of meetings in which the
row's player finished first, and Elo the difference that gives it, with 95 % intervals over rounds.
`

// Complete implements research.Part.
func (t *Table) Complete(string) error {
	if t.Network == "" || t.Default == "" {
		return fmt.Errorf("no network, or no default player")
	}
	return nil
}

// Markdown implements research.Part.
func (t *Table) Markdown(string, string) string {
	b := new(strings.Builder)
	fmt.Fprintf(b, "\n## %s\n\n%s, against `%s`.\n\n", t.Network, t.Game, t.Default)
	b.WriteString("| keys | Elo | 95 % | share | games |\n| --- | --- | --- | --- | --- |\n")
	for _, a := range t.Arms {
		fmt.Fprintf(b, "| `%s` | %s | %s to %s | %.1f ± %.1f %% | %d |\n", a.Keys,
			signed(a.Elo, a.Share), signed(a.Low, 0), signed(a.High, 100), a.Share, a.CI, a.Games)
	}
	return b.String()
}

// signed returns an Elo with its sign; without a number, infinity with that of the share.
func signed(x *float64, share float64) string {
	switch {
	case x != nil:
		return strings.Replace(fmt.Sprintf("%+.0f", math.Round(*x)+0), "-", "−", 1)
	case share < 50:
		return "−∞"
	}
	return "+∞"
}
