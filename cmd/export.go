package cmd

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"tengen/checkpoints"
	"tengen/cmd/internal/cli"
	"tengen/game"
	"tengen/internal/notation"
	"tengen/interop/export"
	"tengen/nn"
	"tengen/player"
	"tengen/run/history"
	"tengen/search/nneval"
	"tengen/vfs"
)

func newExport() *cobra.Command {
	var format, out string
	var noFold, half, force, asJSON bool
	c := &cobra.Command{
		Use:   "export CHECKPOINT",
		Short: "Write a network or a run's history for use elsewhere",
		Long: `Export writes a network for use in other programs, as an ONNX model or as safetensors.
Both have metadata: the game, the meaning of the observation's planes, the names of seats
and actions, the utilities that the value head predicts. docs/export.md shows how to
evaluate them in Python and JavaScript.

CHECKPOINT is the folder of a run, a folder of checkpoints, a checkpoint, a file
model.safetensors, or the name of a network that comes with the program.

The ONNX model takes "observation" [N, planes, rows, columns] and returns "policy"
[N, actions], logits, if the network has a policy, and "values" [N, players], expected
utilities. BatchNorm is folded into the convolutions unless --no-fold is given;
safetensors written with --no-fold can be used like a checkpoint. With --half their
weights have half precision, and the file half the size.

With --format csv or tensorboard, CHECKPOINT is the folder of a run, and its history is
written: a table, or a folder for TensorBoard (docs/formats/history.md).`,
		Example: `  tengen export go-5x5x3
  tengen export runs/quick --format safetensors --out quick.safetensors
  tengen export runs/quick --no-fold --half --out quick.safetensors
  tengen export runs/quick/checkpoints/000020 --out first.onnx --no-fold --json
  tengen export runs/quick --format csv
  tengen export runs/quick --format tensorboard --out logs/quick`,
		Args: cli.Arguments("CHECKPOINT"),
		RunE: func(c *cobra.Command, args []string) error {
			kind, err := exportFormat(format, out)
			if err != nil {
				return err
			}
			if half && kind != export.Safetensors {
				return cli.Usagef("--half: only safetensors are written in half precision, not %s",
					kind)
			}
			if ofHistory(kind) {
				return exportHistory(c, args[0], out, kind, force, asJSON)
			}
			if out == "" {
				if out, err = exportName(args[0], kind); err != nil {
					return err
				}
			}
			n, model, err := exported(c, args[0])
			if err != nil {
				return err
			}
			if err := mayWrite(out, model.Path, force); err != nil {
				return err
			}
			r, err := writeExport(out, kind, n, !noFold, half)
			if err != nil {
				return err
			}
			r.Source = model.Path
			if asJSON {
				return cli.WriteJSON(c.OutOrStdout(), r)
			}
			_, err = io.WriteString(c.OutOrStdout(), r.text(n))
			return err
		},
	}
	c.Flags().StringVar(&format, "format", "",
		"onnx, safetensors, csv or tensorboard (default: the ending of --out, else onnx)")
	c.Flags().StringVar(&out, "out", "", "file to write, or folder for tensorboard (default: the last part of CHECKPOINT, in the current folder)")
	c.Flags().BoolVar(&noFold, "no-fold", false, "keep BatchNorm with its running statistics")
	c.Flags().BoolVar(&half, "half", false, "write weights in half precision (safetensors)")
	c.Flags().BoolVar(&force, "force", false, "replace an existing file")
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

// exportFormat returns the format that --format or the ending of --out gives.
func exportFormat(format, out string) (export.Format, error) {
	formats := append(export.Formats(), csvFormat, tensorBoardFormat)
	ending := export.Format(strings.TrimPrefix(filepath.Ext(out), "."))
	known := slices.Contains(formats, ending)
	switch f := export.Format(format); {
	case format == "" && known:
		return ending, nil
	case format == "" && ending != "" && out != "":
		return "",
			cli.Usagef(
				"--out %s: the ending .%s is no format's; .%s, .%s or .%s is wanted, or --format",
				out, ending, formats[0], formats[1], formats[2])
	case format == "":
		return export.ONNX, nil
	case !slices.Contains(formats, f):
		return "", cli.Usagef("--format %s: there are %s, %s, %s and %s",
			format, formats[0], formats[1], formats[2], formats[3])
	case known && ending != f:
		return "", cli.Usagef("--out %s ends in .%s, but --format is %s", out, ending, f)
	default:
		return f, nil
	}
}

// exported loads the network at path, and its game if this program knows it.
func exported(c *cobra.Command, path string) (*export.Network, *checkpoints.Model, error) {
	model, err := player.LoadModel(path)
	if err != nil {
		return nil, nil, cli.Usage(err)
	}
	for _, err := range model.PassedOver {
		cli.Warn(c, "an older checkpoint is used: %s",
			cli.OneLine(err))
	}
	n := &export.Network{
		Params: model.Params, Game: model.Game,
		Iteration: model.Iteration, Step: model.Step, Average: model.Average,
		Version: cli.ReadVersion().Version,
	}
	g, err := game.New(model.Game)
	if err != nil {
		cli.Warn(c, "planes, seats and actions are not named: %s",
			cli.OneLine(err))
		return n, model, nil
	}
	if err := nneval.Fits(g, model.Params.Spec); err != nil {
		return nil, nil, cli.Usagef("%s: %w", path, err)
	}
	if err := nneval.Probe(g, nn.Fold(model.Params), path, nil); err != nil {
		return nil, nil, cli.Usage(err)
	}
	n.Rules = g
	return n, model, nil
}

// exportReport describes the file written.
type exportReport struct {
	File   string `json:"file"`
	Source string `json:"source"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
	Half   bool   `json:"half"` // weights in half precision
	*export.Description
}

// writeExport writes the file atomically.
func writeExport(
	out string, format export.Format, n *export.Network, fold, half bool,
) (*exportReport, error) {
	d, err := export.Describe(format, n, fold)
	if err != nil {
		return nil, err
	}
	r := &exportReport{File: out, Half: half, Description: d}
	r.Bytes, r.SHA256, err = writeSummed(out, func(w io.Writer) error {
		if half {
			return export.WriteHalf(w, n, fold)
		}
		return export.Write(w, format, n, fold)
	})
	if err != nil {
		return nil, err
	}
	return r, nil
}

func (r *exportReport) text(n *export.Network) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s bytes, SHA-256 %s\n",
		notation.Plain(r.File), cli.Grouped(float64(r.Bytes)), r.SHA256)
	fmt.Fprintf(&b, "  game     %s\n", notation.Plain(n.Game))
	norm := "kept"
	if r.Folded {
		norm = "folded"
	}
	precision := ""
	if r.Half {
		precision = ", weights in half precision"
	}
	fmt.Fprintf(&b, "  network  %s; BatchNorm %s; %s numbers%s\n",
		cli.Network(n.Params.Spec.WithoutAuxiliary()), norm,
		cli.Grouped(float64(r.Numbers)), precision)
	for _, a := range r.Inputs {
		fmt.Fprintf(&b, "  input    %s\n", shaped(a))
	}
	for _, a := range r.Outputs {
		fmt.Fprintf(&b, "  output   %s\n", shaped(a))
	}
	if r.Format == export.ONNX && n.Params.Spec.Policy == nn.PolicyNone {
		fmt.Fprintln(&b, "  no policy: the network has values alone")
	}
	return b.String()
}

// shaped returns a text such as "policy [N, 25]".
func shaped(a export.Array) string {
	words := make([]string, len(a.Shape))
	for i, d := range a.Shape {
		if words[i] = fmt.Sprint(d); d < 0 {
			words[i] = "N"
		}
	}
	return fmt.Sprintf("%s [%s]", a.Name, strings.Join(words, ", "))
}

// writeSummed writes a file atomically and returns its size and its SHA-256.
func writeSummed(
	path string, write func(w io.Writer) error,
) (bytes int64, digest string, err error) {
	sum := sha256.New()
	err = vfs.WriteFile(vfs.OS{}, path, func(w io.Writer) error {
		sum.Reset()
		bytes = 0
		return write(io.MultiWriter(w, sum, (*byteCount)(&bytes)))
	})
	return bytes, hex.EncodeToString(sum.Sum(nil)), err
}

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
	run, err := history.Read(c.Context(), dir)
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
		Iterations: run.Iteration(), PassedOver: run.Damaged,
	}
	if r.PassedOver == nil {
		r.PassedOver = []history.Damage{}
	}
	write := func(w io.Writer) error { return run.WriteCSV(c.Context(), w) }
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
		write = func(w io.Writer) error { return run.WriteTensorBoard(c.Context(), w) }
		if r.Names, err = run.Tags(c.Context()); err != nil {
			return err
		}
	} else if r.Names, err = run.Columns(c.Context()); err != nil {
		return err
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
