package descent

import (
	"fmt"
	"io"
	"math"
	"strings"
)

// WriteMarkdown writes the result as tables. command is the command that produced them, machine
// the machine that it ran on.
func (r *Result) WriteMarkdown(w io.Writer, command, machine string) error {
	e := r.Experiment
	b := new(strings.Builder)
	fmt.Fprintf(b, `# What Descent learns from, and how it searches

Cohen-Solal (*Learning to Play Two-Player Perfect-Information Games without Knowledge*, 2020) claims that learning from all states
of the search trees wins 78 %% of games, from the states played 46–51 %% (with their searches' values) or 14–22 %% (with the
result), and that Descent in self-play wins 86.5 %% where unbounded best-first minimax wins 72.5 %%.
%s
Intervals are by Student's t over %d seeds on one small game, after %g minutes of training each on %s.
Then each network played %d games against each of the other variants: unbounded best-first minimax with %d iterations, the first %d
decisions drawn at random; %d games, %d of them distinct. A draw counts as half a win.

    %s

Machine: %s.
`, r.found(), e.Seeds, e.Minutes, "`"+r.Game+"`", e.Games, e.Search, e.Opening, r.Played, r.Distinct, command, machine)
	if r.Interrupted != nil {
		fmt.Fprintf(b, "\n%s.\n", r.Interrupted.Note())
	}
	for _, p := range r.Pools {
		fmt.Fprintf(b, "\n## %s\n\n| variant | wins | published |", p.Question)
		for _, arm := range p.Arms {
			fmt.Fprintf(b, " against %s |", arm.Name)
		}
		b.WriteString(
			" games learned from | training steps | network evaluations |\n| --- | --- | --- |")
		b.WriteString(strings.Repeat(" --- |", len(p.Arms)+3) + "\n")
		for i, arm := range p.Arms {
			fmt.Fprintf(b, "| %s | %v | %s |", arm.Name, arm.Wins, arm.Published)
			for j, x := range arm.Against {
				if i == j {
					b.WriteString(" |")
					continue
				}
				fmt.Fprintf(b, " %v |", x)
			}
			fmt.Fprintf(b, " %.0f | %.0f | %.0f |\n", arm.TrainingGames, arm.Steps, arm.Evaluations)
		}
	}
	b.WriteString(`
- tree: all states of the search trees with their minimax values; root: the states played with the values of their searches;
  terminal: the states played with the game's result. Self-play searches with Descent, 2 iterations a move.
- ubfm: as tree, but self-play searches with unbounded best-first minimax, 24 iterations a move.
- Published: mean wins over nine games for two, with runs of days.
`)
	_, err := io.WriteString(w, b.String())
	return err
}

// found says in a sentence how the first arm of each pool fares against the others, and which of
// the differences the intervals show.
func (r *Result) found() string {
	var all, shown []string
	intervals := false
	for _, p := range r.Pools {
		for i, arm := range p.Arms {
			if i == 0 || i >= len(p.Arms[0].Against) {
				continue
			}
			if x := p.Arms[0].Against[i]; x.N > 0 {
				pair := p.Arms[0].Name + " against " + arm.Name
				all = append(all, fmt.Sprintf("%s %v %%", pair, x))
				intervals = intervals || x.CI != nil
				if x.CI != nil && math.Abs(x.Mean-50) > *x.CI {
					shown = append(shown, pair)
				}
			}
		}
	}
	switch {
	case len(all) == 0:
		return "Nothing has been played here."
	case !intervals:
		return "Here the first of each pair wins: " + strings.Join(all, ", ") +
			"; one seed gives no interval."
	case len(shown) == 0:
		return "Here the first of each pair wins: " + strings.Join(all, ", ") +
			"; every interval contains 50 %."
	}
	return "Here the first of each pair wins: " + strings.Join(all, ", ") +
		"; intervals that exclude 50 %: " + strings.Join(shown, ", ") + "."
}

// String is "62.5 ± 8.1", "–" without games.
func (p Percent) String() string {
	if p.N == 0 {
		return "–"
	}
	if p.CI == nil {
		return fmt.Sprintf("%.1f", p.Mean)
	}
	return fmt.Sprintf("%.1f ± %.1f", p.Mean, *p.CI)
}
