package cards

import (
	"context"
	"fmt"
	"strings"

	"tengen/research"
)

// Real is Table 4 or 5 with the real hand at the root.
type Real struct {
	research.Made `json:"made"`
	Game          string `json:"game"`
	Depth         int    `json:"depth"` // of representative moves: 3 or 5
	// Matches are those against all cards and against a player that samples one draw, both to depth
	// 3.
	Matches []*Match `json:"matches"`
	// Ties is the first of them with other preferences among equal actions, at depth 3.
	Ties []*Match `json:"ties,omitempty"`
	// Losses are as in Table4, with the real hand at the root.
	Losses *Losses `json:"losses,omitempty"`
}

// preferredTies are the preferences of both players among equal actions.
const preferredTies = "attack"

// tiesGames bounds the games of the matches of Ties: healing first makes games ten times as long.
const tiesGames = 8

// realRootPlayer searches representative moves with the real hand at the root.
func realRootPlayer(depth int, ties string) string {
	return fmt.Sprintf("expectiminimax:depth=%d,ties=%s,rm=true,root=real", depth, ties)
}

// fullPlayer searches all cards to depth 3.
func fullPlayer(ties string) string { return "expectiminimax:depth=3,ties=" + ties }

// Real plays e.RealGames games of each match, and to depth 3 those of Ties and the decisions. If it
// is interrupted, it returns what it has found and an error.
func (e *Experiments) Real(ctx context.Context, depth int, made research.Made) (*Real, error) {
	t := &Real{Made: made, Game: e.Game, Depth: depth}
	play := func(list *[]*Match, first, second string, games int) error {
		m, err := e.chunked(ctx, first, second, games, &t.Made)
		if m != nil {
			*list = append(*list, m)
		}
		return err
	}
	for _, other := range []string{"", ",samples=1,determinizations=0"} {
		if err := play(&t.Matches, realRootPlayer(depth, preferredTies),
			fullPlayer(preferredTies)+other, e.RealGames); err != nil {
			return t, err
		}
	}
	if depth > 3 {
		return t, nil
	}
	for _, ties := range []string{"random", "heal"} {
		if err := play(&t.Ties, realRootPlayer(depth, ties), fullPlayer(ties),
			min(e.RealGames, tiesGames)); err != nil {
			return t, err
		}
	}
	if e.Decisions > 0 {
		var err error
		if t.Losses, err = e.losses(ctx, "depth=3,rm=true,root=real", 3, e.Decisions); err != nil {
			return t, t.Interrupt("the decisions with the real hand at the root", err)
		}
	}
	return t, nil
}

// Complete implements research.Part.
func (t *Real) Complete(string) error {
	if len(t.Matches) == 0 {
		return lacks("matches")
	}
	for _, m := range append(t.Matches, t.Ties...) {
		if m == nil {
			return lacks("a match")
		}
	}
	return nil
}

// Markdown implements research.Part.
func (t *Real) Markdown(string, string) string {
	b := new(strings.Builder)
	fmt.Fprintf(b, `
### With the real hand at the root, to depth %d

The reading that gives the counts of Table 2 (`+"`root=real`"+`): nothing has to be mapped. Among equal actions both players prefer
attacks. Against all cards, and against a player that samples one draw at each chance node (`+"`samples=1`"+`), both to depth 3, on
`+"`%s`"+`:

%s`, t.Depth, t.Game, matchHead)
	for _, m := range t.Matches {
		b.WriteString(m.row())
	}
	if l := t.Losses; l != nil {
		fmt.Fprintf(b, `
Valued as above, another card is better in %.0f %% of %d placements (mean loss %.2f), another action on the field in %.0f %% of %d (%.2f).
`, l.First.worse(), l.First.Decisions, l.First.Loss, l.Further.worse(), l.Further.Decisions, l.Further.Loss)
	}
	if len(t.Ties) > 0 {
		b.WriteString(`
Ties decide how long games are. The first match with other preferences of both players:

` + matchHead)
		for _, m := range t.Ties {
			b.WriteString(m.row())
		}
	}
	return b.String()
}

// worse returns the share of decisions at which another action is better, in %.
func (l *DecisionLoss) worse() float64 {
	return 100 * float64(l.Worse) / float64(max(1, l.Decisions))
}
