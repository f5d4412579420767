package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/spf13/cobra"
)

func newInspect() *cobra.Command {
	var all, asJSON bool
	c := &cobra.Command{
		Use:   "inspect PATH[:N]",
		Short: "Say what a file or folder of tengen's holds, and whether it is sound",
		Long: `Inspect says what PATH is, what is in it, and which parts of it are damaged. It
changes nothing, and may be used while a run is going. PATH is one of these:

  a run's folder       its configuration, newest checkpoint, games, and who holds its lock
  checkpoints          a folder of them, or one: sizes, SHA-256, network, counters
  *.safetensors        a network, or any tensors with their metadata
  replay, *.games      a run's games, or one segment of them: checksums and contents
  match.jsonl          games of ` + "`tengen arena --save`" + `, or a game in JSON
  events.jsonl, eval/games.jsonl
  *.onnx               an exported network; its contents are not looked at

Of a folder of checkpoints the newest sound one is verified, and what had to be
passed over on the way. With --all each one is, every game is played through by its
rules, and all parts are listed.

PATH:N prints game N of a run, of a folder of segments, of a segment or of a match;
with --json as docs/formats/game.md describes, for ` + "`tengen play --replay`" + ` and
` + "`tengen analyze`" + `.

What a crash leaves, such as a last record that was cut off and whose game was played
again, is a note and no damage. Where something is damaged the exit status is 1.`,
		Example: `  tengen inspect runs/quick
  tengen inspect runs/quick --all --json
  tengen inspect runs/quick/checkpoints/000020/model.safetensors
  tengen inspect runs/quick:1234`,
		Args: arguments("PATH[:N]"),
		RunE: func(c *cobra.Command, args []string) error {
			path, number, one, err := splitGame(args[0])
			if err != nil {
				return usagef("inspect %s: %w", args[0], err)
			}
			if one {
				return inspectGame(c, path, number, asJSON)
			}
			i := &inspector{ctx: c.Context(), all: all, progress: newProgress(c.ErrOrStderr(), "reading games", "segments")}
			err = i.inspect(path)
			i.progress.close()
			if err != nil {
				return err
			}
			if asJSON {
				err = writeJSON(c.OutOrStdout(), &i.found)
			} else {
				err = i.found.writeText(c.OutOrStdout())
			}
			if err != nil {
				return err
			}
			return i.found.verdict()
		},
	}
	c.Flags().BoolVar(&all, "all", false, "verify every checkpoint, play every game through, list all parts")
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

// Kinds of what is inspected.
const (
	kindRun         = "run"
	kindCheckpoints = "checkpoints"
	kindCheckpoint  = "checkpoint"
	kindModel       = "model"
	kindTensors     = "tensors"
	kindReplay      = "replay"
	kindSegment     = "segment"
	kindMatch       = "match"
	kindGames       = "games"
	kindEvents      = "events"
	kindEvaluations = "evaluation games"
	kindONNX        = "onnx"
)

// inspection is what was found.
type inspection struct {
	Path    string    `json:"path"`
	Kind    string    `json:"kind"`
	Bytes   int64     `json:"bytes,omitempty"` // of a file
	Sound   bool      `json:"sound"`
	Damages int       `json:"damages"` // in all
	Damaged []finding `json:"damaged"` // the first of them
	Notes   []finding `json:"notes"`   // what is no damage, but worth telling

	Run         *foundRun         `json:"run,omitempty"`
	Checkpoints *foundCheckpoints `json:"checkpoints,omitempty"`
	Checkpoint  *foundCheckpoint  `json:"checkpoint,omitempty"` // the newest sound one
	Tensors     *foundTensors     `json:"tensors,omitempty"`
	Replay      *foundReplay      `json:"replay,omitempty"`
	Match       *foundMatch       `json:"match,omitempty"`
	Events      *foundLines       `json:"events,omitempty"`
	Evaluations *foundLines       `json:"evaluation_games,omitempty"`
}

// finding is something to tell about a part of a file or folder.
type finding struct {
	Path   string `json:"path"`
	Offset *int64 `json:"offset,omitempty"` // of the first byte of the part
	Length *int64 `json:"length,omitempty"` // bytes
	Line   int    `json:"line,omitempty"`   // from 1
	What   string `json:"what"`
}

func (f finding) String() string {
	where := f.Path
	if f.Offset != nil && f.Length != nil {
		where += fmt.Sprintf(", bytes %d to %d", *f.Offset, *f.Offset+*f.Length)
	}
	if f.Line > 0 {
		where += fmt.Sprintf(", line %d", f.Line)
	}
	return where + ": " + f.What
}

// most is how many damages, and how many notes, are listed.
const most = 100

func (i *inspection) damaged(f finding) {
	i.Damages++
	if len(i.Damaged) < most {
		f.What = harmless(f.What)
		i.Damaged = append(i.Damaged, f)
	}
}

func (i *inspection) note(f finding) {
	if len(i.Notes) < most {
		f.What = harmless(f.What)
		i.Notes = append(i.Notes, f)
	}
}

// harmless is text, which may quote a damaged file, as a terminal may see it: one line.
func harmless(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, "?"))
}

// verdict is the error for something damaged, nil where all is sound.
func (i *inspection) verdict() error {
	switch i.Damages {
	case 0:
		return nil
	case 1:
		return fmt.Errorf("%s is damaged: %s", i.Path, i.Damaged[0])
	}
	return fmt.Errorf("%s is damaged in %d places, the first: %s", i.Path, i.Damages, i.Damaged[0])
}

func (i *inspection) writeText(w io.Writer) error {
	var list []figure
	if i.Bytes > 0 {
		list = append(list, figure{"bytes", grouped(float64(i.Bytes))})
	}
	if i.Run != nil {
		list = append(list, i.Run.figures()...)
	}
	if i.Checkpoints != nil {
		list = append(list, i.Checkpoints.figures()...)
	}
	if i.Checkpoint != nil {
		list = append(list, i.Checkpoint.figures()...)
	}
	if i.Tensors != nil {
		list = append(list, i.Tensors.figures()...)
	}
	if i.Replay != nil {
		list = append(list, i.Replay.figures()...)
	}
	if i.Match != nil {
		list = append(list, i.Match.figures()...)
	}
	if i.Events != nil {
		list = append(list, i.Events.figures("events")...)
	}
	if i.Evaluations != nil {
		list = append(list, i.Evaluations.figures("evaluation games")...)
	}
	title := fmt.Sprintf("%s: %s", i.Path, titles[i.Kind])
	if err := writeFigures(w, title, list); err != nil {
		return err
	}
	for _, f := range i.Notes {
		fmt.Fprintf(w, "note: %s\n", f)
	}
	for _, f := range i.Damaged {
		fmt.Fprintf(w, "damaged: %s\n", f)
	}
	if n := i.Damages - len(i.Damaged); n > 0 {
		fmt.Fprintf(w, "and %d more\n", n)
	}
	if i.Damages == 0 {
		_, err := fmt.Fprintln(w, "sound")
		return err
	}
	return nil
}

var titles = map[string]string{
	kindRun: "a run", kindCheckpoints: "a folder of checkpoints", kindCheckpoint: "a checkpoint",
	kindModel: "a network", kindTensors: "tensors", kindReplay: "a folder of replay segments",
	kindSegment: "a replay segment", kindMatch: "the games of a match", kindGames: "games in JSON",
	kindEvents: "a run's events", kindEvaluations: "the games of a run's evaluations",
	kindONNX: "an ONNX model, which is not looked into",
}

// inspector fills an inspection.
type inspector struct {
	ctx      context.Context
	all      bool
	progress *progress
	found    inspection
}

// inspect looks at what is at path. An error means that it could not be looked
// at, or that it is nothing of tengen's.
func (i *inspector) inspect(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return usagef("inspect %s: %w", path, plain(err))
	}
	i.found = inspection{Path: path, Damaged: []finding{}, Notes: []finding{}}
	switch {
	case info.IsDir():
		i.found.Kind, err = kindOfFolder(path)
	case info.Mode().IsRegular():
		i.found.Bytes = info.Size()
		i.found.Kind, err = kindOfFile(path, info.Size())
	default:
		return usagef("inspect %s: neither a file nor a folder", path)
	}
	if err != nil {
		return err
	}
	switch i.found.Kind {
	case kindRun:
		err = i.run(path)
	case kindCheckpoints:
		err = i.checkpoints(path)
	case kindCheckpoint:
		err = i.checkpoint(path)
	case kindTensors:
		err = i.tensors(path)
	case kindReplay:
		err = i.replay(path, nil)
	case kindSegment:
		err = i.segment(path)
	case kindMatch, kindGames:
		err = i.match(path)
	case kindEvents:
		i.found.Events, err = i.lines(path, new(eventLine))
	case kindEvaluations:
		i.found.Evaluations, err = i.lines(path, new(evaluationLine))
	}
	if err != nil {
		return fmt.Errorf("inspect %s: %w", path, err)
	}
	i.found.Sound = i.found.Damages == 0
	return nil
}

// plain is an error of the file system without the path, which is said already.
func plain(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

// maxWhole is the size, in bytes, up to which a file is read into memory whole.
const maxWhole = min(8<<30, math.MaxInt)

// readWhole reads a file that its format wants in memory.
func readWhole(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.Size() > maxWhole {
		return nil, fmt.Errorf("%s has %d bytes; up to %d are read", filepath.Base(path), info.Size(), int64(maxWhole))
	}
	return os.ReadFile(path)
}
