package cards

import (
	"fmt"
	"math"
	"strings"

	"tengen/research"
)

// thousands writes a whole number with commas.
func thousands(n int64) string {
	text := fmt.Sprint(n)
	for i := len(text) - 3; i > 0 && text[i-1] != '-'; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// Markdown implements research.Part.
func (t *Table2) Markdown(string, string) string {
	b := new(strings.Builder)
	fmt.Fprintf(b, `
## Table 2: search with representative moves

From the paper's starting hand. *Real root* is the reading that gives the paper's leaves: alpha-beta in which the player at the
root places a card of its real hand, each way to play that turn with a full window, and representatives (averages of the
starting position) follow from the next turn on; a card must be placed in every turn, and the newest card acts first
(`+"`order=newest`"+`). At depth 5 it gives 2,318,133: the paper's 238,100 lacks a digit, as its times confirm.
No reading without pruning that fits depth 3 fits depth 4. *Mapped* has representatives from the root on (`+"`root=mapped`"+`);
*pruned* is `+"`expectiminimax`"+`, which finds the same value. Times are medians of %d searches on one core.

| depth | the paper's leaves | its time | real root, alpha-beta | the same in whole numbers | mapped, full width, targets apart | targets merged | time | mapped, pruned | time |
| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |
`, t.Times)
	for _, r := range t.Rows {
		leaves, ms := "–", "–"
		if x, ok := paperRepresentative[r.Depth]; ok {
			leaves, ms = x.leaves, x.ms+" ms"
		}
		plain := "– | –"
		if r.Plain != nil {
			plain = thousands(r.Plain.Leaves) + " | " + research.Seconds(r.Plain.Seconds)
		}
		fmt.Fprintf(b, "| %d | %s | %s | %s | %s | %s | %s | %s | %s |\n", r.Depth, leaves, ms,
			counted(r.RealRoot), counted(r.RealRootExact), counted(r.Apart),
			plain, thousands(r.Pruned.Leaves), research.Seconds(r.Pruned.Seconds))
	}
	return b.String()
}

// counted formats a count, 0 if there is none.
func counted(n int64) string {
	if n == 0 {
		return "–"
	}
	return thousands(n)
}

// Markdown implements research.Part.
func (t *Table3) Markdown(string, string) string {
	b := new(strings.Builder)
	b.WriteString(`
## Table 3: search with all cards

From the same hand, by the rule as printed (` + "`draw=unless-full`" + `) and with a draw in every turn (` + "`draw=always`" + `),
which the paper's count implies. The paper makes each card of the deck a branch of its own; our search makes one branch of
equal cards. With pruning: alpha-beta, Star 2 and transpositions; the value is the same to the last bit.

| rule | depth | the paper's leaves | its time | leaves, every card a branch | leaves, equal cards one branch | time | leaves with pruning | time |
| --- | --- | --- | --- | --- | --- | --- | --- | --- |
`)
	for _, rule := range t.Rules {
		always := strings.Contains(rule.Game, "draw=always")
		name := "as printed"
		if always {
			name = "a draw in every turn"
		}
		for _, r := range rule.Rows {
			fmt.Fprintf(b, "| %s | %d | %s | %s | %s | %s | %s | %s |\n", name, r.Depth,
				paperCells(r.Depth, always),
				thousands(r.Leaves), thousands(r.Plain.Leaves), research.Seconds(r.Plain.Seconds),
				thousands(r.Pruned.Leaves), research.Seconds(r.Pruned.Seconds))
		}
		if d := rule.Deep; d != nil {
			fmt.Fprintf(b, "| %s | %d | %s | – | – | – | %s | %s |\n", name, d.Depth,
				paperCells(d.Depth, always),
				thousands(d.Pruned.Leaves), research.Seconds(d.Pruned.Seconds))
		}
	}
	for _, rule := range t.Rules {
		if d := rule.Deep; d != nil && d.Done < d.Outcomes {
			fmt.Fprintf(b, "\nDepth %d of `%s` was stopped after %s: %d of the %d first draws were searched.\n", d.Depth, rule.Game, research.Seconds(d.Limit), d.Done, d.Outcomes)
		}
	}
	if len(t.Readings) > 0 {
		b.WriteString(`
Other readings, a draw in every turn, depth 3, every card a branch:

| reading | leaves | less the paper's |
| --- | --- | --- |
`)
		for _, r := range t.Readings {
			fmt.Fprintf(b, "| %s | %s | %+.4f %% |\n",
				r.Name, thousands(r.Leaves), 100*(float64(r.Leaves)/paperFullLeaves-1))
		}
	}
	return b.String()
}

// paperFullLeaves are the leaves of the paper's Table 3.
const paperFullLeaves = 263836900

// paperCells returns the paper's leaves and time of a depth. It gives them for one rule.
func paperCells(depth int, always bool) string {
	if x, ok := paperFull[depth]; ok && always {
		if x.seconds == "–" {
			return x.leaves + " | –"
		}
		return x.leaves + " | " + x.seconds + " s"
	}
	return "– | –"
}

// matchHead is the header of a table of matches.
const matchHead = "| first | second | games | first wins, % | final HP | turns | depth |\n| --- | --- | --- | --- | --- | --- | --- |\n"

// row returns the match as a row of such a table, "" if r is nil.
func (r *Match) row() string {
	if r == nil {
		return ""
	}
	a, c := &r.Players[0], &r.Players[1]
	depth := "–"
	if a.Depth > 0 || c.Depth > 0 {
		depth = fmt.Sprintf("%s : %s", orDash(a.Depth), orDash(c.Depth))
	}
	return fmt.Sprintf("| `%s` | `%s` | %d | %.1f (%.1f–%.1f) | %.1f : %.1f | %.1f | %s |\n",
		a.Name, c.Name, r.Games, r.Percent, r.Low, r.High, a.HP, c.HP, r.Turns, depth)
}

func orDash(n int) string {
	if n == 0 {
		return "–"
	}
	return fmt.Sprint(n)
}

// matchLegend explains the columns of such a table.
const matchLegend = `
With 95 % intervals; a draw counts as half a win, and players swap seats after every game. Final HP and depth (the median of
those completed) are first : second.
`

// verdict describes the result of the sequential test. r may be nil.
func (r *Match) verdict() string {
	if r == nil || r.Test == nil {
		return ""
	}
	t := r.Test
	says := map[string]string{
		"H1": "the first is stronger", "H0": "the first is not stronger", "continue": "undecided",
	}[t.Verdict]
	return fmt.Sprintf("\nSequential test of %g Elo against %g (α = %g, β = %g), over pairs of games: ratio %.2f between %.2f and %.2f, %s.\n",
		t.Elo1, t.Elo0, t.Alpha, t.Beta, t.LLR, t.Lower, t.Upper, says)
}

// Markdown implements research.Part.
func (t *Table4) Markdown(string, string) string {
	b := new(strings.Builder)
	fmt.Fprintf(b, `
## Table 4: representative moves against all cards

In the paper, at depth 3 against 3, representative moves win 8 of 10 games, with 22.9 HP at the end and 29.6 turns. Ours, on
`+"`%s`"+`, mapped to the card with the greatest value (`+"`root=mapped`"+`):

%s`, t.Game, matchHead)
	b.WriteString(t.Depth.row() + t.Time.row() + matchLegend + t.Depth.verdict())
	if l := t.Losses; l != nil {
		fmt.Fprintf(b, `
What choosing by representative moves costs, by full-width search to depth %d, in points of the evaluation and at most %d a
decision: %d decisions from games between full-width players of depth 2.

| decision | decisions | another is better | mean loss |
| --- | --- | --- | --- |
`, l.Depth, mostLoss, l.First.Decisions+l.Further.Decisions)
		for _, row := range []struct {
			name string
			DecisionLoss
		}{{"which card to place", l.First}, {"what the cards on the field do", l.Further}} {
			fmt.Fprintf(b, "| %s | %d | %.0f %% | %.2f |\n", row.name, row.Decisions,
				100*float64(row.Worse)/float64(max(1, row.Decisions)), row.Loss)
		}
		if t.Interrupted == nil && t.Depth.High < 50 && l.First.Worse > 0 {
			share := float64(l.First.Worse) / float64(l.First.Decisions)
			fmt.Fprintf(b, `
With this mapping a card is chosen for one attribute only: in %.0f %% of the turns another is better, by %.1f points on
average, and a player has about %.0f turns a game.
`, 100*share, l.First.Loss/share, t.Depth.Turns/2)
			if d := t.Time; d != nil && d.High < 50 {
				fmt.Fprintf(b, "At equal time they look %d turns ahead instead of %d, which does not make up for it.\n", d.Players[0].Depth, d.Players[1].Depth)
			}
		}
	}
	return b.String()
}

// Markdown implements research.Part.
func (t *Table5) Markdown(string, string) string {
	b := new(strings.Builder)
	fmt.Fprintf(b, `
## Table 5: representative moves, looking further, against all cards

In the paper, at depth 5 against 3, representative moves win 8 of 11 games, with 19.9 HP at the end and 26.2 turns. Ours, on
`+"`%s`"+`:

%s%s%s`, t.Game, matchHead, t.Depth.row(), t.Depth.verdict())
	return b.String()
}

// Markdown implements research.Part.
func (t *Beyond) Markdown(string, string) string {
	b := new(strings.Builder)
	fmt.Fprintf(b, `
## Beyond the paper

The paper's future work: representative moves in UCT, and classes of moves found without supervision; and learned play. All
matches are at equal time, on `+"`%s`"+`. Classes are found by k-means on the directions of actions' features; their number, %d,
is chosen by silhouettes.

| share | what an action of the class changes, on average |
| --- | --- |
`, t.Game, t.Classes.K)
	for k, mean := range t.Classes.Means {
		var parts []string
		for i, x := range mean {
			if math.Abs(float64(x)) >= 0.05 {
				parts = append(parts, fmt.Sprintf("%s %+.1f", t.Classes.Names[i], x))
			}
		}
		if len(parts) == 0 {
			parts = []string{"nothing"}
		}
		fmt.Fprintf(b, "| %.0f %% | %s |\n", 100*t.Classes.Shares[k], strings.Join(parts, ", "))
	}
	b.WriteString("\n" + matchHead)
	for _, m := range t.Matches {
		b.WriteString(m.Match.row())
	}
	return b.String()
}
