package anchors

import (
	"fmt"
	"strings"

	"tengen/research"
)

// Games are the games that have a part of the page: the name of the part, and the game.
var Games = []struct{ Name, Game string }{
	{"go-5x5x3", "go:size=5,players=3"},
	{"go-5x5x2", "go:size=5,players=2,pass=free"},
	{"tcg", "tcg"},
	{"turtle", "turtle:players=2"},
}

// Layout is the page of anchor ladders.
var Layout = &research.Layout{
	Parts: names(),
	New:   func(string) research.Part { return &Table{} },
	Markdown: func(p *research.Page) string {
		text := head
		for _, name := range names() {
			text += p.Section(name)
		}
		return text
	},
	// Games are kept from earlier calls, so the seconds of the last one tell nothing.
	Footer: func(m *research.Made) string {
		return fmt.Sprintf("\n    %s\n\n%d games, %d of them distinct, on %s.\n",
			m.Command, m.Games, m.Distinct, m.Machine)
	},
}

func names() []string {
	var list []string
	for _, g := range Games {
		list = append(list, g.Name)
	}
	return list
}

const head = `# Rulers

UCT players with more and more simulations, each rated against the one below it in all seatings (package arena/rating).
Elo is over the first, which is the UCT of evaluations; a rung's 95 % interval contains those of all steps below.
` + "`tengen eval NETWORK --ruler`" + ` and evaluations during training place networks on it.
`

// Complete implements research.Part.
func (t *Table) Complete(string) error {
	if t.Game == "" || len(t.Anchors) != len(t.Steps)+1 {
		return fmt.Errorf("no game, or %d anchors for %d matches", len(t.Anchors), len(t.Steps))
	}
	return nil
}

// Markdown implements research.Part.
func (t *Table) Markdown(name, _ string) string {
	b := new(strings.Builder)
	fmt.Fprintf(b, "\n## %s\n\n%s\n\n", name, t.Game)
	b.WriteString(
		"| player | Elo | 95 % | over the one below | games |\n| --- | --- | --- | --- | --- |\n")
	for i, r := range t.Anchors {
		if i == 0 {
			fmt.Fprintf(b, "| `%s` | 0 | | | |\n", r.Player)
			continue
		}
		s := t.Steps[i-1]
		fmt.Fprintf(b, "| `%s` | %s | %.0f to %.0f | %s (%.0f to %.0f) | %d |\n", r.Player,
			signed(r.Elo), r.Low, r.High, signed(s.Rating.Elo), s.Rating.Low,
			s.Rating.High, s.Games)
	}
	if u := t.Unbounded; u != nil {
		fmt.Fprintf(b, "\nThe next, `%s`, was ahead of the one below it in %.0f %% of %d games: no bound on its rating.\n", u.Stronger, u.Share, u.Games)
	}
	return b.String()
}

// signed returns an Elo with its sign.
func signed(x float64) string { return strings.Replace(fmt.Sprintf("%+.0f", x), "-", "−", 1) }
