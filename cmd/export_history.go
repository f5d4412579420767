package cmd

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"tengen/cmd/internal/cli"
	"tengen/internal/notation"
	"tengen/interop/export"
	"tengen/run/history"
)

// The formats of a run's history; those of networks are package export's.
const (
	csvFormat         export.Format = "csv"
	tensorBoardFormat export.Format = "tensorboard"
)

// ofHistory reports whether a format is one of a run's history.
func ofHistory(f export.Format) bool { return f == csvFormat || f == tensorBoardFormat }

// historyReport describes the file written.
type historyReport struct {
	File       string           `json:"file"`
	Source     string           `json:"source"`
	Format     export.Format    `json:"format"`
	Bytes      int64            `json:"bytes"`
	SHA256     string           `json:"sha256"`
	Game       string           `json:"game"`
	State      history.State    `json:"state"`
	Iterations int              `json:"iterations"`
	Names      []string         `json:"names"` // columns of the table, or tags
	PassedOver []history.Damage `json:"passed_over"`
}

// exportHistory writes the history of the run in a folder. out is a file, or for TensorBoard a
// folder; by default it has the run's name.
func exportHistory(
	c *cobra.Command, dir, out string, format export.Format, force, asJSON bool,
) error {
	if c.Flags().Changed("no-fold") {
		return cli.Usagef("--no-fold is for networks; %s is a run's history", format)
	}
	run, err := history.Read(dir)
	if err != nil {
		return cli.Usage(err)
	}
	for _, d := range run.Damaged {
		cli.Warn(c, "%s:%d is passed over: %s",
			run.Folder.Events(), d.Line, d.Problem)
	}
	for _, p := range run.Problems() {
		cli.Warn(c, "%s", p)
	}
	if out == "" {
		if out, err = exportName(dir, format); err != nil {
			return err
		}
	}
	if err := outside(out, []string{dir}); err != nil {
		return err
	}
	r := &historyReport{
		Source: dir, Format: format, Game: run.Game(), State: run.State(),
		Iterations: run.Iteration(),
		Names:      run.Columns(), PassedOver: run.Damaged,
	}
	if r.PassedOver == nil {
		r.PassedOver = []history.Damage{}
	}
	write := run.WriteCSV
	if format == tensorBoardFormat {
		if info, err := os.Stat(out); err == nil && !info.IsDir() {
			return cli.Usagef("--out %s is a file; a folder of TensorBoard is wanted", out)
		}
		others, err := history.OtherEventFiles(out, run.EventFile())
		if err != nil {
			return fmt.Errorf("export: %w", err)
		}
		if len(others) > 0 {
			return cli.Usagef("--out %s holds %s already, which TensorBoard would take for the same run; a folder of its own is wanted", notation.Plain(out), notation.Plain(others[0]))
		}
		out = filepath.Join(out, run.EventFile())
		write, r.Names = run.WriteTensorBoard, run.Tags()
	}
	if err := mayWrite(out, run.Folder.Events(), force); err != nil {
		return err
	}
	if format == tensorBoardFormat {
		if err := os.MkdirAll(filepath.Dir(out), 0o755); err != nil {
			return fmt.Errorf("export: %w", err)
		}
	}
	r.File = out
	if r.Bytes, r.SHA256, err = writeSummed(out, write); err != nil {
		return err
	}
	if asJSON {
		return cli.WriteJSON(c.OutOrStdout(), r)
	}
	what := "columns"
	if format == tensorBoardFormat {
		what = "tags"
	}
	_, err = fmt.Fprintf(c.OutOrStdout(), "%s: %s bytes, %d iterations, %d %s\n",
		r.File, cli.Grouped(float64(r.Bytes)), r.Iterations, len(r.Names), what)
	if err == nil && format == tensorBoardFormat {
		_, err = fmt.Fprintf(c.OutOrStdout(), "show it with: tensorboard --logdir %s\n",
			filepath.Dir(out))
	}
	return err
}
