package cmd

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"tengen/cmd/internal/cli"
	"tengen/game"
	"tengen/internal/notation"
	"tengen/run/history"
	"tengen/vfs"
)

func newCompare() *cobra.Command {
	var by, out string
	var asJSON, bySeed bool
	c := &cobra.Command{
		Use:   "compare RUN RUN…",
		Short: "Compare the settings, results and curves of runs",
		Long: `Compare reads the histories of runs. It prints the settings in which they differ and
their results: iterations, games, time, the last losses, points by seat with 95 %
intervals, ratings. Runs may be unfinished or of different games; results that can't be
compared are marked.

With --by-seed, runs whose configurations differ in the seed alone (and in what does not
change what is learned) are a group, with the mean of each figure over its runs and the
95 % interval of that mean by Student's distribution.

--out DIR also plots their curves over iterations, games, hours or network
evaluations (--by), and writes
compare.svg and compare.json to DIR. docs/compare.md explains the plot. The
runs themselves are not changed.`,
		Example: `  tengen compare runs/first runs/second
  tengen compare runs/first runs/second runs/third --by hours --out pictures
  tengen compare --by-seed runs/a-1 runs/a-2 runs/a-3 runs/b-1 runs/b-2 runs/b-3
  tengen compare runs/first runs/second --json`,
		Args: cli.Arguments("RUN", "RUN…"),
		RunE: func(c *cobra.Command, args []string) error {
			axis, err := history.ParseAxis(by)
			if err != nil {
				return cli.Usagef("--by %s: iterations, games, hours or evaluations is wanted", by)
			}
			if len(args) > history.MaxRuns {
				return cli.Usagef("compare takes up to %d runs, and was given %d",
					history.MaxRuns, len(args))
			}
			if err := outside(out, args); err != nil {
				return err
			}
			x, err := history.Compare(c.Context(), args)
			if err != nil {
				return cli.Usage(err)
			}
			if out != "" {
				if err := writeComparison(out, x, axis); err != nil {
					return err
				}
			}
			if bySeed {
				if asJSON {
					return cli.WriteJSON(c.OutOrStdout(), map[string]any{
						"groups": x.Groups(), "settings": x.Settings, "notes": x.Notes,
					})
				}
				return groupsText(c.OutOrStdout(), x)
			}
			if asJSON {
				return cli.WriteJSON(c.OutOrStdout(), x)
			}
			if err := comparisonText(c.OutOrStdout(), x); err != nil {
				return err
			}
			if out != "" {
				_, err = fmt.Fprintf(c.OutOrStdout(), "\ncurves over %s: %s\n",
					axis, filepath.Join(out, "compare.svg"))
			}
			return err
		},
	}
	c.Flags().StringVar(&by, "by",
		string(history.Games), "x axis of the curves: iterations, games, hours or evaluations")
	c.Flags().StringVar(&out, "out", "", "folder for the plot (SVG) and JSON (default: no plot)")
	c.Flags().BoolVar(&bySeed, "by-seed",
		false, "means and intervals of groups of runs that differ in their seeds")
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

// writeComparison writes the plot and the JSON document.
func writeComparison(dir string, x *history.Comparison, by history.Axis) error {
	svg, err := x.Draw(by)
	if err != nil {
		return err
	}
	var document bytes.Buffer
	if err := cli.WriteJSON(&document, x); err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("compare: %w", err)
	}
	for _, f := range []struct {
		name string
		data []byte
	}{{"compare.svg", svg}, {"compare.json", document.Bytes()}} {
		if err := vfs.WriteBytes(vfs.OS{}, filepath.Join(dir, f.name), f.data); err != nil {
			return err
		}
	}
	return nil
}

// missing stands for a missing figure.
const missing = "–"

// groupsText writes a column for each group of runs.
func groupsText(w io.Writer, x *history.Comparison) error {
	var table bytes.Buffer
	t := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
	groups := x.Groups()
	var names []string
	heads := []string{""}
	for i, g := range groups {
		runs := "runs"
		if len(g.Runs) == 1 {
			runs = "run"
		}
		heads = append(heads, fmt.Sprintf("group %d (%d %s)", i+1, len(g.Runs), runs))
		for _, f := range g.Figures {
			if !slices.Contains(names, f.Name) {
				names = append(names, f.Name)
			}
		}
	}
	line := func(cells ...string) { fmt.Fprintln(t, strings.Join(cells, "\t")) }
	empty := make([]string, len(groups))
	line(heads...)
	line(append([]string{"settings that differ"}, empty...)...)
	settings := groupSettings(x, groups)
	for _, s := range settings {
		line(append([]string{"  " + s.Key}, s.Values...)...)
	}
	if len(settings) == 0 {
		line(append([]string{"  none"}, empty...)...)
	}
	line(append([]string{"means, with 95 % intervals"}, empty...)...)
	for _, name := range names {
		cells := []string{"  " + name}
		for _, g := range groups {
			cell := missing
			if i := slices.IndexFunc(g.Figures, func(f history.Summary) bool {
				return f.Name == name
			}); i >= 0 {
				f := g.Figures[i]
				if cell = meanText(f); f.N < len(g.Runs) {
					cell += fmt.Sprintf(" (of %d)", f.N)
				}
			}
			cells = append(cells, cell)
		}
		line(cells...)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for text := range strings.Lines(table.String()) {
		fmt.Fprintln(w, strings.TrimRight(text, " \n"))
	}
	fmt.Fprintln(w)
	for i, g := range groups {
		fmt.Fprintf(w, "group %d: %s\n", i+1, cli.InLine(strings.Join(g.Runs, ", ")))
	}
	for _, note := range x.Notes {
		fmt.Fprintln(w, notation.Plain(note))
	}
	return nil
}

// groupSettings returns the settings in which groups differ, by group. A setting in which runs of a
// group differ, such as the seed, is left out.
func groupSettings(x *history.Comparison, groups []history.Group) []history.Setting {
	at := map[string]int{}
	for i, r := range x.Runs {
		at[r.Name] = i
	}
	var list []history.Setting
	for _, s := range x.Settings {
		of := history.Setting{Key: s.Key}
		for _, g := range groups {
			value := s.Values[at[g.Runs[0]]]
			if slices.ContainsFunc(g.Runs, func(name string) bool {
				return s.Values[at[name]] != value
			}) {
				break
			}
			if value = cli.InLine(value); value == "" {
				value = missing
			}
			of.Values = append(of.Values, value)
		}
		if len(of.Values) == len(groups) && len(slices.Compact(slices.Clone(of.Values))) > 1 {
			list = append(list, of)
		}
	}
	return list
}

// meanText returns a mean with its interval, both to the interval's second digit: "17,000", "2.054
// ± 0.021".
func meanText(f history.Summary) string {
	if f.CI95 == nil {
		if f.Mean != math.Trunc(f.Mean) {
			return rounded(f.Mean, f.Mean, 4)
		}
		return cli.Grouped(f.Mean)
	}
	return rounded(f.Mean, *f.CI95, 2) + " ± " + rounded(*f.CI95, *f.CI95, 2)
}

// rounded returns x to as many decimals as of has with some digits, and at most 4.
func rounded(x, of float64, digits int) string {
	decimals := 0
	if of != 0 {
		decimals = min(4, max(0, digits-1-int(math.Floor(math.Log10(math.Abs(of))))))
	}
	whole, fraction, _ := strings.Cut(strconv.FormatFloat(math.Abs(x), 'f', decimals, 64), ".")
	n, _ := strconv.ParseFloat(whole, 64) // digits
	text := cli.Grouped(n)
	if fraction != "" {
		text += "." + fraction
	}
	if x < 0 {
		text = "-" + text
	}
	return text
}

// comparisonText writes a column for each run.
func comparisonText(w io.Writer, x *history.Comparison) error {
	var table bytes.Buffer
	t := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
	line := func(name string, value func(i int) string) {
		known := false
		cells := make([]string, len(x.Runs))
		for i := range x.Runs {
			if cells[i] = cli.InLine(value(i)); cells[i] == "" {
				cells[i] = missing
			} else {
				known = true
			}
		}
		if known {
			fmt.Fprintf(t, "  %s\t%s\n", name, strings.Join(cells, "\t"))
		}
	}
	// Every line has all cells: others would end a column.
	title := func(name string, of func(i int) string) {
		cells := make([]string, len(x.Runs))
		for i := range cells {
			cells[i] = cli.InLine(of(i))
		}
		fmt.Fprintf(t, "%s\t%s\n", name, strings.Join(cells, "\t"))
	}
	nothing := func(int) string { return "" }
	title("", func(i int) string { return x.Runs[i].Name })
	title("settings that differ", nothing)
	for _, s := range x.Settings {
		line(s.Key, func(i int) string { return s.Values[i] })
	}
	if len(x.Settings) == 0 {
		title("  none", nothing)
	}
	title("results", nothing)
	results(x.Runs, line)
	if err := t.Flush(); err != nil {
		return err
	}
	for text := range strings.Lines(table.String()) {
		fmt.Fprintln(w, strings.TrimRight(text, " \n"))
	}
	notes := x.Notes
	if same := sameOpponent(x.Runs); same != "" {
		notes = append([]string{scoreUnit(x.Runs) + " are against " + same}, notes...)
	}
	for i, note := range notes {
		if i == 0 {
			fmt.Fprintln(w)
		}
		fmt.Fprintln(w, notation.Plain(note))
	}
	return nil
}

// sameOpponent returns the common opponent of all evaluated runs, "" if there is none.
func sameOpponent(runs []history.Result) string {
	against := ""
	for _, r := range runs {
		if r.Strength == nil {
			continue
		}
		if against != "" && against != r.Strength.Against {
			return ""
		}
		against = r.Strength.Against
	}
	return against
}

// results writes the lines of results.
func results(runs []history.Result, line func(name string, value func(i int) string)) {
	line("state", func(i int) string { return string(runs[i].State) })
	line("processes", func(i int) string { return fmt.Sprint(runs[i].Processes) })
	line("iterations", func(i int) string {
		if runs[i].Of == 0 {
			return fmt.Sprint(runs[i].Iterations)
		}
		return fmt.Sprintf("%d of %d", runs[i].Iterations, runs[i].Of)
	})
	line("games", func(i int) string { return cli.Grouped(float64(runs[i].Games)) })
	line("training steps", func(i int) string { return cli.Grouped(float64(runs[i].Steps)) })
	line("time", func(i int) string {
		return time.Duration(runs[i].Seconds * float64(time.Second)).Round(time.Second).String()
	})
	for _, head := range []struct {
		name string
		of   func(l *history.Losses) *float64
	}{
		{"policy loss", func(l *history.Losses) *float64 { return l.Policy }},
		{"value loss", func(l *history.Losses) *float64 { return &l.Value }},
		{"loss of cells' labels", func(l *history.Losses) *float64 { return l.Cells }},
		{"loss of seats' labels", func(l *history.Losses) *float64 { return l.Seats }},
		{"loss of the belief", func(l *history.Losses) *float64 { return l.Belief }},
		{"the same by counting", func(l *history.Losses) *float64 { return l.BeliefPrior }},
		{"entropy of value targets", func(l *history.Losses) *float64 {
			return l.ValueTargetEntropy
		}},
	} {
		for _, data := range []struct {
			name string
			of   func(r *history.Result) *history.Losses
		}{
			{"", func(r *history.Result) *history.Losses { return r.Training }},
			{", held out", func(r *history.Result) *history.Losses { return r.HeldOut }},
		} {
			line(head.name+data.name, func(i int) string {
				if l := data.of(&runs[i]); l != nil {
					if x := head.of(l); x != nil {
						return fmt.Sprintf("%.4g", *x)
					}
				}
				return ""
			})
		}
	}
	strengths(runs, line)
}

// scoreUnit returns the word for the scores of runs: "results" if all games have results alone.
func scoreUnit(runs []history.Result) string {
	for _, r := range runs {
		if unit := game.ScoreUnitOf(r.Game); unit == "points" {
			return unit
		}
	}
	return "results"
}

// strengths writes the lines of points and ratings.
func strengths(runs []history.Result, line func(name string, value func(i int) string)) {
	of := func(form func(s *history.Measurement) string) func(i int) string {
		return func(i int) string {
			if s := runs[i].Strength; s != nil {
				return form(s)
			}
			return ""
		}
	}
	line("measured at",
		of(func(s *history.Measurement) string { return fmt.Sprintf("iteration %d", s.Iteration) }))
	if sameOpponent(runs) == "" {
		line("against", of(func(s *history.Measurement) string { return s.Against }))
	}
	line("games a seat", of(func(s *history.Measurement) string { return fmt.Sprint(s.Games) }))
	unit := scoreUnit(runs)
	var seats []string
	seen := map[string]bool{}
	for _, r := range runs {
		if r.Strength == nil {
			continue
		}
		for _, s := range r.Strength.Seats {
			if !seen[s.Seat] {
				seen[s.Seat] = true
				seats = append(seats, s.Seat)
			}
		}
	}
	for _, name := range seats {
		line(unit+", "+name, of(func(s *history.Measurement) string {
			for _, seat := range s.Seats {
				if seat.Seat == name {
					return withInterval(seat.Points, seat.CI95)
				}
			}
			return ""
		}))
	}
	line(unit+", sum",
		of(func(s *history.Measurement) string { return withInterval(s.Sum, s.CI95) }))
	line("rating", func(i int) string {
		if r := runs[i].Rating; r != nil {
			return r.Elo.String()
		}
		return ""
	})
}

// withInterval returns a text such as "19.40 ± 2.60".
func withInterval(x float64, half *float64) string {
	if half == nil {
		return fmt.Sprintf("%.2f, no interval", x)
	}
	return fmt.Sprintf("%.2f ± %.2f", x, *half)
}
