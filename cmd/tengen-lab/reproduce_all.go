package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"tengen/cmd/internal/cli"
	"tengen/vfs"
)

// reproduceStep is one command of `tengen-lab reproduce all`.
type reproduceStep struct {
	// args are those of tengen; RUNS stands for the folder of runs. --out is added for commands
	// that write a page.
	args    []string
	page    string  // without .md; "": the command writes none
	minutes float64 // about, on two quiet cores
}

// steps splits lines of "minutes page: arguments", where - is no page.
func steps(lines ...string) []reproduceStep {
	var list []reproduceStep
	for _, line := range lines {
		var s reproduceStep
		head, args, _ := strings.Cut(line, ": ")
		if _, err := fmt.Sscan(head, &s.minutes, &s.page); err != nil {
			panic(err)
		}
		if s.page == "-" {
			s.page = ""
		}
		s.args = strings.Fields(args)
		list = append(list, s)
	}
	return list
}

// quickSteps make every table small. Trained networks are those that come with the program, except
// for the tables that need runs.
var quickSteps = steps(
	"0.1 go: reproduce go-table3 --games 60",
	"1.5 go: reproduce go-table4 --games 12",
	"1 -: train quick --run RUNS/alphazero --or-resume --listen none --set training.iterations=4 --set training.games=30 --set warm_start.initial_games=30 --set evaluation.every=0",
	"0.5 go: reproduce go-figure3 RUNS/alphazero --games 6 --simulations 60",
	"1 -: train descent-quick --run RUNS/descent --or-resume --listen none --set training.iterations=4 --set training.games=16 --set evaluation.every=0",
	"0.5 go: reproduce go-figure3 RUNS/descent --games 6 --simulations 20",
	"2 go: reproduce go-reward --dir RUNS/reward --iterations 1 --seeds 2 --games 6 --simulations 30 --set training.games=30 --set warm_start.initial_games=30",
	"1 descent-ablation: reproduce descent-ablation --dir RUNS/ablation --minutes 0.1 --seeds 1 --games 6 --iterations 10",
	"0.3 representative-moves: reproduce rm-table2",
	"0.5 representative-moves: reproduce rm-table3",
	"1 representative-moves: reproduce rm-table4 --pairs 4 --games 6 --time 2ms --decisions 60 --real-games 6",
	"0.5 representative-moves: reproduce rm-table5 --pairs 4 --real-games 6",
	"2 representative-moves: reproduce rm-beyond --games 4 --time 2ms --alphazero tcg",
	"1 turtle-race: reproduce turtle-tables --games 30 --simulations 300",
	"1.5 turtle-race: reproduce turtle-beyond --games 20 --time 2ms --alphazero turtle",
	"0.3 search-options: reproduce search-sweep go-5x5x3 --dir RUNS/sweep --games 24 --simulations 30",
	"0.1 connect-four: reproduce connect-four --positions 200",
)

// fullSteps make the pages of docs/results that repeat the papers.
var fullSteps = steps(
	"1 go: reproduce go-table3",
	"50 go: reproduce go-table4 --save RUNS/go",
	"30 -: train quick --run RUNS/alphazero --or-resume --listen none",
	"17 go: reproduce go-figure3 RUNS/alphazero --games 200 --save RUNS/go",
	"30 -: train descent-quick --run RUNS/descent --or-resume --listen none",
	"18 go: reproduce go-figure3 RUNS/descent --simulations 100 --games 300 --save RUNS/go",
	"40 go: reproduce go-reward --dir RUNS/reward --games 100 --iterations 5",
	"40 go: reproduce go-reward --dir RUNS/reward-minutes --games 60 --minutes 3 --iterations 15",
	"30 descent-ablation: reproduce descent-ablation --dir RUNS/ablation",
	"0.5 representative-moves: reproduce rm-table2",
	"4 representative-moves: reproduce rm-table3 --time 5m",
	"8 representative-moves: reproduce rm-table4 mapped --games 500 --time 5ms",
	"30 representative-moves: reproduce rm-table4 real --save RUNS/real",
	"1 representative-moves: reproduce rm-table5 mapped",
	"60 representative-moves: reproduce rm-table5 real --save RUNS/real",
	"40 representative-moves: reproduce rm-beyond --games 100 --time 5ms --alphazero tcg --alphazero-games 500",
	"13 turtle-race: reproduce turtle-tables",
	"4 turtle-race: reproduce turtle-tables 2-open 3-open",
	"4 turtle-race: reproduce turtle-beyond theirs players ceiling --games 200 --alphazero turtle",
	"5 turtle-race: reproduce turtle-beyond time --games 500 --alphazero turtle",
	"3 turtle-race: reproduce turtle-beyond opponents weak --games 100",
	"3 search-options: reproduce search-sweep go-5x5x3 --dir RUNS/sweep --arm c=0.4 --arm c=1.2 --games 2000",
	"3 search-options: reproduce search-sweep turtle --dir RUNS/sweep --arm c=0.4 --arm c=1.2 --games 2000",
	"0.1 connect-four: reproduce connect-four",
)

// doneStep is a line of the file of finished steps.
type doneStep struct {
	Step    string  `json:"step"` // its arguments
	Seconds float64 `json:"seconds"`
}

// reproduceAll says which steps are made, and where.
type reproduceAll struct {
	quick, dryRun, json bool
	dir, runs           string // of pages; of runs and of what is finished
}

// steps returns the steps with their folders.
func (f *reproduceAll) steps() []reproduceStep {
	of := fullSteps
	if f.quick {
		of = quickSteps
	}
	list := slices.Clone(of)
	for i := range list {
		s := &list[i]
		s.args = slices.Clone(s.args)
		for k, a := range s.args {
			s.args[k] = strings.Replace(a, "RUNS", f.runs, 1)
		}
		if s.page != "" {
			s.args = append(s.args, "--out", filepath.Join(f.dir, s.page+".md"))
		}
	}
	return list
}

// donePath is the file of finished steps.
func (f *reproduceAll) donePath() string { return filepath.Join(f.runs, "done.jsonl") }

// done returns the seconds of the finished steps.
func (f *reproduceAll) done() (map[string]float64, error) {
	data, err := os.ReadFile(f.donePath())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	done := map[string]float64{}
	for _, line := range bytes.Split(data, []byte("\n")) {
		var d doneStep
		if json.Unmarshal(line, &d) == nil { // a line cut short by a kill: the step is made again
			done[d.Step] = d.Seconds
		}
	}
	return done, nil
}

// finish records a step.
func (f *reproduceAll) finish(done map[string]float64, step string, took time.Duration) error {
	done[step] = took.Seconds()
	var lines bytes.Buffer
	for _, s := range f.steps() {
		if seconds, ok := done[strings.Join(s.args, " ")]; ok {
			line, err := json.Marshal(doneStep{strings.Join(s.args, " "), seconds})
			if err != nil {
				return err
			}
			lines.Write(append(line, '\n'))
		}
	}
	return vfs.WriteBytes(vfs.OS{}, f.donePath(), lines.Bytes())
}

// writePage writes all pages as one.
func (f *reproduceAll) writePage(path string) error {
	var page bytes.Buffer
	page.WriteString("# All tables, small\n\nMade by `tengen-lab reproduce all --quick`: every table of the papers with few games, to see that it is made, not what it says.\nThe pages with the full numbers are in docs/results.\n")
	var pages []string
	for _, s := range f.steps() {
		if s.page != "" && !slices.Contains(pages, s.page) {
			pages = append(pages, s.page)
		}
	}
	for _, name := range pages {
		text, err := os.ReadFile(filepath.Join(f.dir, name+".md"))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		page.WriteString("\n")
		for line := range strings.Lines(string(text)) {
			if strings.HasPrefix(line, "#") {
				line = "#" + line // a heading below that of the page
			}
			page.WriteString(line)
		}
	}
	return vfs.WriteBytes(vfs.OS{}, path, page.Bytes())
}

// run makes the steps that are not finished.
func (f *reproduceAll) run(c *cobra.Command) error {
	all := f.steps()
	if !f.dryRun { // a run's folder is made by its command
		for _, dir := range []string{f.dir, f.runs} {
			if err := os.MkdirAll(dir, 0o755); err != nil {
				return err
			}
		}
	}
	done, err := f.done()
	if err != nil {
		return err
	}
	left := 0.0
	for _, s := range all {
		if _, ok := done[strings.Join(s.args, " ")]; !ok {
			left += s.minutes
		}
	}
	stderr := c.ErrOrStderr()
	fmt.Fprintf(stderr, "%d of %d steps are left, about %s on two quiet cores\n",
		len(all)-len(done), len(all), spoken(left))
	if f.dryRun {
		for _, s := range all {
			about := spoken(s.minutes)
			if seconds, ok := done[strings.Join(s.args, " ")]; ok {
				about = fmt.Sprintf("done in %.0f s", seconds)
			}
			fmt.Fprintf(c.OutOrStdout(), "%-14s tengen-lab %s\n", about, strings.Join(s.args, " "))
		}
		return nil
	}
	for i, s := range all {
		name := strings.Join(s.args, " ")
		if _, ok := done[name]; ok {
			continue
		}
		fmt.Fprintf(stderr, "%d/%d, about %s: tengen-lab %s\n",
			i+1, len(all), spoken(s.minutes), name)
		began := time.Now()
		root := program().Root()
		root.SetArgs(s.args)
		root.SetIn(strings.NewReader(""))
		root.SetOut(io.Discard)
		root.SetErr(stderr)
		if err := root.ExecuteContext(c.Context()); err != nil {
			if c.Context().Err() != nil {
				return cli.Stopped(
					fmt.Sprintf("stopped in step %d of %d; the same command goes on with it",
						i+1, len(all)), err)
			}
			return fmt.Errorf("tengen-lab %s: %w", name, err)
		}
		if err := c.Context().Err(); err != nil { // training ends without an error
			return cli.Stopped(
				fmt.Sprintf("stopped in step %d of %d; the same command goes on with it",
					i+1, len(all)), err)
		}
		if err := f.finish(done, name, time.Since(began)); err != nil {
			return err
		}
		if f.quick {
			if err := f.writePage(filepath.Join(f.dir, "all.md")); err != nil {
				return err
			}
		}
	}
	return f.print(c, all, done)
}

// print tells how long the steps took.
func (f *reproduceAll) print(c *cobra.Command, all []reproduceStep, done map[string]float64) error {
	var list []doneStep
	sum := 0.0
	for _, s := range all {
		name := strings.Join(s.args, " ")
		list = append(list, doneStep{name, done[name]})
		sum += done[name]
	}
	if f.json {
		return cli.WriteJSON(c.OutOrStdout(), struct {
			Seconds float64    `json:"seconds"`
			Steps   []doneStep `json:"steps"`
		}{sum, list})
	}
	where := f.dir
	if f.quick {
		where = filepath.Join(f.dir, "all.md")
	}
	_, err := fmt.Fprintf(c.OutOrStdout(), "%d steps in %s: %s\n", len(all), spoken(sum/60), where)
	return err
}

// spoken writes minutes as "40 s", "12 min" or "7.5 h".
func spoken(minutes float64) string {
	switch {
	case minutes < 1.5:
		return fmt.Sprintf("%.0f s", 60*minutes)
	case minutes < 120:
		return fmt.Sprintf("%.0f min", minutes)
	}
	return fmt.Sprintf("%.1f h", minutes/60)
}

func newReproduceAll() *cobra.Command {
	var f reproduceAll
	c := &cobra.Command{
		Use:   "all",
		Short: "Every table: the pages in docs/results, or small ones in 20 minutes (--quick)",
		Long: `All makes every table of the papers, one command after the other: the pages of docs/results
as they are. How long that takes is printed first, and --dry-run prints it for each step,
and makes nothing.

--quick makes them small, in less than 20 minutes on two quiet cores, and writes its pages,
and all.md of all, in --runs. Tables of trained networks use those that come with the
program, or runs of a minute, which say little.

After an interruption the same command goes on with the first step that is not finished:
finished ones are listed in done.jsonl in --runs. Remove that file to make all again.`,
		Example: "  tengen-lab reproduce all --quick\n  tengen-lab reproduce all --dry-run",
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			name := "full"
			if f.quick {
				name = "quick"
			}
			if f.runs == "" {
				f.runs = filepath.Join("runs", "reproduce-"+name)
			}
			f.dir = filepath.Join("docs", "results")
			if f.quick {
				f.dir = f.runs
			}
			return f.run(c)
		},
	}
	c.Flags().BoolVar(&f.quick, "quick", false, "every table small, and one page of all")
	c.Flags().BoolVar(&f.dryRun, "dry-run",
		false, "print the steps and their times, and make nothing")
	c.Flags().BoolVar(&f.json, "json", false, "print JSON")
	c.Flags().StringVar(&f.runs, "runs", "", "folder of runs and of what is finished (default: runs/reproduce-quick or runs/reproduce-full)")
	return c
}
