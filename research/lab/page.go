package lab

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"tengen/research"
)

// Part is the name of the part of a lab's page.
const Part = "lab"

// Layout is the page of a lab.
var Layout = &research.Layout{
	Parts:    []string{Part},
	New:      func(string) research.Part { return &Result{} },
	Markdown: func(p *research.Page) string { return p.Section(Part) },
	Draw:     drawPictures,
	Footer: func(m *research.Made) string {
		if m.Games == 0 {
			return fmt.Sprintf(
				"\n## How it was made\n\n    %s\n\nOn %s. The last call took %.0f s.\n",
				m.Command, m.Machine, m.Seconds)
		}
		opening := "."
		if m.Opening > 0 {
			opening = fmt.Sprintf(", from openings of %d decisions.", m.Opening)
		}
		return fmt.Sprintf("\n## How it was made\n\n    %s\n\nOn %s. %d games of matches, %d of them distinct%s The last call took %.0f s.\n", m.Command, m.Machine, m.Games, m.Distinct, opening, m.Seconds)
	},
}

// Complete implements research.Part.
func (x *Result) Complete(string) error {
	if len(x.Arms) == 0 {
		return fmt.Errorf("no arms")
	}
	for _, p := range x.Pairs {
		for _, row := range p.Elo {
			if len(row) > len(x.Seeds) {
				return fmt.Errorf("%s against %s: %d networks of %d seeds",
					p.Arm, p.Against, len(row), len(x.Seeds))
			}
		}
		if len(p.Elo) > len(x.Seeds) {
			return fmt.Errorf("%s against %s: %d networks of %d seeds",
				p.Arm, p.Against, len(p.Elo), len(x.Seeds))
		}
	}
	return nil
}

// Markdown implements research.Part.
func (x *Result) Markdown(_, folder string) string {
	b := new(strings.Builder)
	seeds := "one seed"
	if n := len(x.Seeds); n != 1 {
		seeds = fmt.Sprintf("%d seeds", n)
	}
	fmt.Fprintf(b, "# %s\n\n%s. %d arms from %s each",
		cell(x.Title), code(x.Game), len(x.Arms), seeds)
	search := "with the search of " + code(x.Arms[0].Name)
	if x.OwnSearch {
		search = "each with the search of its arm"
	}
	if x.Matches > 0 {
		fmt.Fprintf(b, "; networks play at %d simulations a move, %s, %d games a pairing",
			x.Simulations, search, x.GamesAPair)
	}
	b.WriteString(".\n")
	switch {
	case x.Matches == 0 && x.RunsTrained < x.Runs:
		fmt.Fprintf(b, "\n**Not complete:** %d of %d runs are trained.\n", x.RunsTrained, x.Runs)
	case x.RunsTrained < x.Runs || x.MatchesPlayed < x.Matches:
		fmt.Fprintf(b, "\n**Not complete:** %d of %d runs are trained, %d of %d matches played.\n",
			x.RunsTrained, x.Runs, x.MatchesPlayed, x.Matches)
	}
	if x.Matches > 0 {
		x.armsTable(b)
		b.WriteString(`
Elo is over the first arm, with intervals by Student's t over seeds, bold if 0 is not in it. Losses are those of the last iteration on held-out
games, less the entropy of the targets. Evaluations, time and losses are means over seeds.
`)
	} else {
		x.shortTable(b)
		b.WriteString(
			"\nThe arms play no matches. Games, evaluations and time are means over seeds.\n")
	}
	x.exploitTable(b)
	if folder != "" && len(x.intervals()) > 0 {
		fmt.Fprintf(b, "\n![differences](%s/%s.svg)\n", folder, intervalsPicture)
	}
	x.pairsTable(b)
	for _, a := range x.Alone {
		x.aloneTable(b, &a)
	}
	if len(x.Curves) > 0 && folder != "" {
		fmt.Fprintf(b, "\n## Curves\n\n![curves](%s/%s.svg)\n\nMeans over seeds; bands from the least to the greatest.\n", folder, curvesPicture)
	}
	if len(x.Notes) > 0 {
		b.WriteString("\n## Notes\n\n")
		const most = 20
		for i, n := range x.Notes {
			if i == most {
				fmt.Fprintf(b, "- and %d more, in %s.json\n", len(x.Notes)-most, Part)
				break
			}
			n, _, _ = strings.Cut(n, ": over ") // without a warning's figures and advice
			fmt.Fprintf(b, "- %s\n", cell(n))
		}
	}
	return b.String()
}

// armsTable writes the table of arms.
func (x *Result) armsTable(b *strings.Builder) {
	b.WriteString(
		"\n| arm | keys | Elo | 95 % | seeds | evaluations | time | policy loss | value loss |\n" +
			"| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n")
	for i, a := range x.Arms {
		elo, interval := "0", ""
		if i > 0 {
			elo, interval = "–", "–"
			if a.Elo != nil {
				elo, interval = a.Elo.mark(), a.Elo.between()
			}
		}
		asked, seconds, policy, value, held := 0.0, 0.0, 0.0, 0.0, 0
		for _, r := range a.Runs {
			asked += float64(r.Asked) / float64(len(a.Runs))
			seconds += r.Seconds / float64(len(a.Runs))
			if r.HeldOut != nil {
				held++
				policy += r.HeldOut.Policy - r.HeldOut.TargetEntropy
				value += r.HeldOut.Value - r.HeldOut.ValueTargetEntropy
			}
		}
		fmt.Fprintf(b, "| %s | %s | %s | %s | %d | %s | %s | %s | %s |\n", cell(a.Name), a.keys(),
			elo, interval, len(a.Runs),
			count(asked), took(seconds), loss(policy, held), loss(value, held))
	}
}

// keys lists the keys that differ from the first arm.
func (a *ArmResult) keys() string {
	if len(a.Keys) == 0 {
		return "–"
	}
	var list []string
	for _, k := range a.Keys {
		list = append(list, code(k.Key+"="+k.New))
	}
	return strings.Join(list, " ")
}

// shortTable writes the table of arms that play no matches.
func (x *Result) shortTable(b *strings.Builder) {
	b.WriteString("\n| arm | keys | seeds | games | evaluations | time |\n| --- | --- | --- | --- | --- | --- |\n")
	for _, a := range x.Arms {
		games, asked, seconds := 0.0, 0.0, 0.0
		for _, r := range a.Runs {
			n := float64(len(a.Runs))
			games, asked, seconds = games+float64(r.Games)/n, asked+float64(r.Asked)/n,
				seconds+r.Seconds/n
		}
		fmt.Fprintf(b, "| %s | %s | %d | %.0f | %s | %s |\n",
			cell(a.Name), a.keys(), len(a.Runs), games, count(asked), took(seconds))
	}
}

// pairsTable writes the pairings of arms.
func (x *Result) pairsTable(b *strings.Builder) {
	if len(x.Pairs) == 0 {
		return
	}
	others := slices.ContainsFunc(x.Pairs, func(p PairResult) bool {
		return p.Against != x.Arms[0].Name
	})
	b.WriteString("\n## Pairings\n\n*t* are the degrees of freedom of the interval, *s* the standard deviations from seed to seed of both arms;\n" +
		"by seed: the mean of each of the arm's networks against all of the other's.\n\n")
	if others {
		b.WriteString("| arm | against | Elo | 95 % | t | s | by seed |\n| --- | --- | --- | --- | --- | --- | --- |\n")
	} else {
		b.WriteString("| arm | t | s | by seed |\n| --- | --- | --- | --- |\n")
	}
	for _, p := range x.Pairs {
		elo, interval, degrees, spread := "–", "–", "–", "–"
		if d := p.Difference; d != nil {
			elo, interval = d.mark(), d.between()
			if d.Low != nil {
				degrees, spread = fmt.Sprintf("%.1f", d.Degrees),
					fmt.Sprintf("%.0f, %.0f", d.SD, d.SDAgainst)
			}
		}
		var seeds []string // the mean of each of the arm's networks
		for _, row := range p.Elo {
			sum, n := 0.0, 0
			for _, e := range row {
				if e != nil {
					sum, n = sum+*e, n+1
				}
			}
			if n > 0 {
				seeds = append(seeds, signed(sum/float64(n)))
			}
		}
		if others {
			fmt.Fprintf(b, "| %s | %s | %s | %s | %s | %s | %s |\n", cell(p.Arm), cell(p.Against),
				elo, interval, degrees, spread, strings.Join(seeds, " "))
		} else { // the first table has the differences
			fmt.Fprintf(b, "| %s | %s | %s | %s |\n",
				cell(p.Arm), degrees, spread, strings.Join(seeds, " "))
		}
	}
}

// aloneTable writes what arms' networks did alone against an opponent.
func (x *Result) aloneTable(b *strings.Builder, a *AloneResult) {
	fmt.Fprintf(b, "\n## Alone against %s\n\nOne network in each seat in turn, copies of %s in all others.\n\n", cell(a.Opponent), code(a.Opponent))
	b.WriteString("| arm | Elo | 95 % | to the first arm | 95 % | by seed | points | games |\n| --- | --- | --- | --- | --- | --- | --- | --- |\n")
	for _, arm := range a.Arms {
		elo, interval, difference, wide := "–", "–", "–", "–"
		if arm.Mean != nil {
			elo, interval = signed(arm.Mean.Elo), arm.Mean.between()
		}
		if arm.Difference != nil {
			difference, wide = signed(arm.Difference.Elo), arm.Difference.between()
		}
		var seeds []string
		points, n := 0.0, 0
		for i, e := range arm.Elo {
			seeds = append(seeds, signedOrNone(e))
			if i < len(arm.Points) && arm.Points[i] != nil {
				points += *arm.Points[i]
				n++
			}
		}
		fmt.Fprintf(b, "| %s | %s | %s | %s | %s | %s | %s | %d |\n", cell(arm.Name), elo, interval,
			difference, wide, strings.Join(seeds, " "),
			number(n > 0, "%.2f", points/float64(max(1, n))), arm.Games)
	}
}

// between returns the interval, "–" without one.
func (d *Difference) between() string {
	if d.Low == nil || d.High == nil {
		return "–"
	}
	return signed(*d.Low) + " to " + signed(*d.High)
}

// mark returns the Elo, bold if its interval leaves out 0.
func (d *Difference) mark() string {
	if d.Separated() {
		return "**" + signed(d.Elo) + "**"
	}
	return signed(d.Elo)
}

// signed returns an Elo with its sign.
func signed(x float64) string {
	return strings.Replace(fmt.Sprintf("%+.0f", math.Round(x)+0), "-", "−", 1)
}

func signedOrNone(x *float64) string {
	if x == nil {
		return "–"
	}
	return signed(*x)
}

func number(ok bool, form string, x float64) string {
	if !ok {
		return "–"
	}
	return fmt.Sprintf(form, x)
}

func loss(sum float64, n int) string {
	return number(n > 0 && sum != 0, "%.3f", sum/float64(max(1, n)))
}

// took writes a time, "–" if there is none.
func took(seconds float64) string {
	switch {
	case seconds == 0:
		return "–"
	case seconds < 100:
		return fmt.Sprintf("%.0f s", seconds)
	case seconds < 6000:
		return fmt.Sprintf("%.1f min", seconds/60)
	}
	return fmt.Sprintf("%.1f h", seconds/3600)
}

// count writes a number of evaluations, "–" if they were not counted.
func count(x float64) string {
	switch {
	case x == 0:
		return "–"
	case x >= 1e6:
		return fmt.Sprintf("%.2f M", x/1e6)
	case x >= 1e3:
		return fmt.Sprintf("%.0f k", x/1e3)
	}
	return fmt.Sprintf("%.0f", x)
}

// cell returns text that stays in its cell of a table and on its line.
func cell(text string) string {
	return strings.NewReplacer("\n", " ", "\r", " ", "|", `\|`).Replace(text)
}

// code returns text as code in a cell.
func code(text string) string { return "`" + cell(strings.ReplaceAll(text, "`", "'")) + "`" }
