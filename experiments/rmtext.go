package experiments

import (
	"fmt"
	"math"
	"strings"
	"time"
)

// thousands writes a whole number with commas.
func thousands(n int64) string {
	text := fmt.Sprint(n)
	for i := len(text) - 3; i > 0 && text[i-1] != '-'; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// seconds writes a time to three digits, in the unit that suits it.
func seconds(s float64) string {
	switch {
	case s >= 99.95:
		return fmt.Sprintf("%.0f s", s)
	case s >= 0.9995:
		return fmt.Sprintf("%.3g s", s)
	case s >= 0.0009995:
		return fmt.Sprintf("%.3g ms", 1000*s)
	}
	return fmt.Sprintf("%.3g µs", 1e6*s)
}

// rate is leaves a second, in millions.
func (a RMSearch) rate() string {
	if a.Seconds == 0 {
		return "–"
	}
	return fmt.Sprintf("%.0f M", float64(a.Leaves)/a.Seconds/1e6)
}

func (t *RMTable2) write(b *strings.Builder) {
	fmt.Fprintf(b, `
## Table 2: search with representative moves

From the paper's starting hand. Ours at full width, and as the player `+"`expectiminimax`"+`
searches (alpha-beta, transpositions, all depths before included), with the same value;
medians of %d searches on one core. Nobody draws among representative moves, so the rule of drawing
makes no difference. The paper's counts fit no reading of its rules that we tried.

| depth | the paper's leaves | its time | our leaves, full width | time | leaves with pruning | time |
| --- | --- | --- | --- | --- | --- | --- |
`, t.Times)
	for _, r := range t.Rows {
		leaves, ms := "–", "–"
		if x, ok := paperRM[r.Depth]; ok {
			leaves, ms = x.leaves, x.ms+" ms"
		}
		plain := "– | –"
		if r.Plain != nil {
			plain = thousands(r.Plain.Leaves) + " | " + seconds(r.Plain.Seconds)
		}
		fmt.Fprintf(b, "| %d | %s | %s | %s | %s | %s |\n", r.Depth, leaves, ms, plain, thousands(r.Pruned.Leaves), seconds(r.Pruned.Seconds))
	}
}

func (t *RMTable3) write(b *strings.Builder) {
	b.WriteString(`
## Table 3: search with all cards

From the same hand, by the rule as printed (` + "`draw=unless-full`" + `: who has five cards draws
none) and with a draw in every turn (` + "`draw=always`" + `), which is what the paper's count
rests on. Two counts of the same tree: the paper's takes each of the deck's cards for a
branch of its own, the two Removals too; our search makes one branch, of twice the
probability, of cards that are alike, so that it values fewer leaves for the same value.
Leaves a second are of the second. With pruning: alpha-beta, Star 2 and transpositions,
to the depth at once, the value being the same to the last bit.

| rule | depth | the paper's leaves | its time | leaves, every card a branch | leaves, alike cards one branch | time | leaves a second | leaves with pruning | time | value |
| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |
`)
	for _, rule := range t.Rules {
		always := strings.Contains(rule.Game, "draw=always")
		name := "as printed"
		if always {
			name = "a draw in every turn"
		}
		for _, r := range rule.Rows {
			fmt.Fprintf(b, "| %s | %d | %s | %s | %s | %s | %s | %s | %s | %.4g |\n", name, r.Depth, paperCells(r.Depth, always),
				thousands(r.Leaves), thousands(r.Plain.Leaves), seconds(r.Plain.Seconds), r.Plain.rate(),
				thousands(r.Pruned.Leaves), seconds(r.Pruned.Seconds), r.Pruned.Value+0)
		}
		if d := rule.Deep; d != nil {
			value := "–"
			if d.Done == d.Outcomes {
				value = fmt.Sprintf("%.4g", d.Pruned.Value)
			}
			fmt.Fprintf(b, "| %s | %d | %s | – | – | – | – | %s | %s | %s |\n", name, d.Depth, paperCells(d.Depth, always),
				thousands(d.Pruned.Leaves), seconds(d.Pruned.Seconds), value)
		}
	}
	for _, rule := range t.Rules {
		if d := rule.Deep; d != nil && d.Done < d.Outcomes {
			fmt.Fprintf(b, "\nDepth %d of `%s` was stopped after %s: %d of the %d first draws were searched.\n", d.Depth, rule.Game, seconds(d.Limit), d.Done, d.Outcomes)
		}
	}
}

// paperCells are the paper's leaves and time of a depth, which it gives for one rule.
func paperCells(depth int, always bool) string {
	if x, ok := paperFull[depth]; ok && always {
		if x.seconds == "–" {
			return x.leaves + " | –"
		}
		return x.leaves + " | " + x.seconds + " s"
	}
	return "– | –"
}

// rmHead is the head of a table of matches.
const rmHead = "| first | second | games | first wins | 95 % | final HP | turns | depth | time a move |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n"

// row is a match as a row of such a table.
func (r *RMMatch) row() string {
	a, c := &r.Players[0], &r.Players[1]
	depth := "–"
	if a.Depth > 0 || c.Depth > 0 {
		depth = fmt.Sprintf("%s : %s", orDash(a.Depth), orDash(c.Depth))
	}
	return fmt.Sprintf("| `%s` | `%s` | %d | %.1f %% | %.1f–%.1f %% | %.1f : %.1f | %.1f | %s | %s : %s |\n",
		a.Name, c.Name, r.Games, r.Percent, r.Low, r.High, a.HP, c.HP, r.Turns, depth,
		seconds(a.Milliseconds/1000), seconds(c.Milliseconds/1000))
}

func orDash(n int) string {
	if n == 0 {
		return "–"
	}
	return fmt.Sprint(n)
}

// rmLegend explains the columns.
const rmLegend = `
Wins of the first, a draw as half a win, with Wilson's 95 % intervals; players swap seats
after every game. Final HP, depth (the median of those completed) and time a
move are the first's : the second's; turns are those of both.
`

// verdict says how a sequential test ended.
func (r *RMMatch) verdict() string {
	if r.Test == nil {
		return ""
	}
	t := r.Test
	says := map[string]string{
		"H1": "the first is stronger", "H0": "the first is not stronger", "continue": "undecided",
	}[t.Verdict]
	return fmt.Sprintf("\nSequential test of %g Elo against %g (α = %g, β = %g), over pairs of games: log-likelihood ratio %.2f between %.2f and %.2f, %s.\n",
		t.Elo1, t.Elo0, t.Alpha, t.Beta, t.LLR, t.Lower, t.Upper, says)
}

func (t *RMTable4) write(b *strings.Builder) {
	fmt.Fprintf(b, `
## Table 4: representative moves against all cards

The paper: at depth 3 against 3, representative moves win 8 of 10 games (80 %%, Wilson's
interval 49–94 %%), with 22.9 HP at the end on average and 29.6 turns. Ours, on
`+"`%s`"+`, at equal depth and at equal time:

%s%s`, t.Game, rmHead, t.Depth.row())
	if t.Time != nil {
		b.WriteString(t.Time.row())
	}
	b.WriteString(rmLegend + t.Depth.verdict())
	if l := t.Losses; l != nil {
		fmt.Fprintf(b, `
What a choice by representative moves costs, as full-width search to depth %d values it, in
points of the evaluation, a decision at most %d: %d decisions from games between full-width
players of depth 2.

| decision | decisions | another is better | mean loss |
| --- | --- | --- | --- |
`, l.Depth, mostLoss, l.First.Decisions+l.Further.Decisions)
		for _, row := range []struct {
			name string
			RMLoss
		}{{"which card to place", l.First}, {"what the cards on the field do", l.Further}} {
			fmt.Fprintf(b, "| %s | %d | %.0f %% | %.2f |\n", row.name, row.Decisions, 100*float64(row.Worse)/float64(max(1, row.Decisions)), row.Loss)
		}
		if t.Depth.High < 50 && l.First.Worse > 0 {
			share := float64(l.First.Worse) / float64(l.First.Decisions)
			fmt.Fprintf(b, `
So representative moves lose to all cards at equal depth here, and this is why: a card is
placed for one attribute, and in %.0f %% of the turns another card is better, by %.1f points of
the evaluation on average; a player has some %.0f turns a game.
`, 100*share, l.First.Loss/share, t.Depth.Turns/2)
			if d := t.Time; d != nil && d.High < 50 {
				fmt.Fprintf(b, "At equal time they look %d turns ahead in place of %d, which does not make it good.\n", d.Players[0].Depth, d.Players[1].Depth)
			}
			b.WriteString("The paper's figure rests on 10 games.\n")
		}
	}
}

func (t *RMTable5) write(b *strings.Builder) {
	fmt.Fprintf(b, `
## Table 5: representative moves, looking further, against all cards

The paper: at depth 5 against 3, representative moves win 8 of 11 games (73 %%, Wilson's
interval 43–90 %%), with 19.9 HP at the end on average and 26.2 turns. Ours, on `+"`%s`"+`:

%s%s%s%s`, t.Game, rmHead, t.Depth.row(), rmLegend, t.Depth.verdict())
}

func (t *RMBeyond) write(b *strings.Builder) {
	fmt.Fprintf(b, `
## Beyond the paper

Its future work: representative moves in Monte Carlo tree search (UCT), and classes of moves
found without supervision; and learned play. All at equal time, on `+"`%s`"+`.

Classes are found by k-means on the directions of actions' features, in %d of them, by
their silhouettes; nobody told what a card, a place or a battle is.

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
	b.WriteString("\n| | first | second | games | first wins | 95 % | final HP | turns | depth | time a move |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n")
	for _, m := range t.Matches {
		b.WriteString("| " + m.Question + " " + m.Match.row())
	}
	b.WriteString(rmLegend)
	if t.withoutNetwork() {
		b.WriteString("\nAlphaZero's time a move leaves out what its network takes, which is most of it: these matches\nwere played before that was counted. What it may take in all is its `time`, as the others'.\n")
	}
}

// withoutNetwork tells whether AlphaZero's times leave out its network's, as those of
// results made before it was counted do: a search to a time takes that time.
func (t *RMBeyond) withoutNetwork() bool {
	for _, m := range t.Matches {
		for _, p := range m.Match.Players {
			if !strings.HasPrefix(p.Name, "az:") {
				continue
			}
			_, text, _ := strings.Cut(p.Name, "time=")
			text, _, _ = strings.Cut(text, ",")
			if d, err := time.ParseDuration(text); err == nil && p.Milliseconds < d.Seconds()*1000/2 {
				return true
			}
		}
	}
	return false
}
