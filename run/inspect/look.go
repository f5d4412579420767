package inspect

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"

	"tengen/arena"
	"tengen/checkpoints"
	"tengen/checkpoints/pretrained"
	"tengen/interop/gtp"
	"tengen/replay"
	"tengen/run"
	"tengen/vfs"
)

// Options control an inspection.
type Options struct {
	// All verifies every checkpoint, checks every game of the replay against the rules,
	// and lists all parts. Otherwise checkpoints are verified from the newest back to the
	// first intact one.
	All bool
	// Progress, if not nil, is called after each segment of a replay, by the goroutine of
	// Look.
	Progress func(done, all int)
}

// Look inspects what is at path. If nothing is there, or nothing that tengen writes, the
// error is a *[Refusal]; other errors mean that it could not be read. Damage is no error.
func Look(ctx context.Context, path string, o Options) (*Report, error) {
	i := &inspector{ctx: ctx, all: o.All, progress: o.Progress}
	i.found = Report{Path: path, Damaged: []Finding{}, Notes: []Finding{}}
	info, err := os.Stat(path)
	n, shipped := pretrained.Find(path)
	switch {
	case err != nil && shipped:
		data, err := n.File()
		if err != nil {
			return nil, err
		}
		i.found.Kind, i.found.Bytes = KindModel, int64(len(data))
		err = i.tensorsIn(path, data)
		i.found.Sound = i.found.Damages == 0
		return &i.found, err
	case err != nil:
		return nil, missing(path, err)
	}
	if info.Mode().IsRegular() {
		i.found.Bytes = info.Size()
	}
	if i.found.Kind, err = kindOf(path, info); err != nil {
		return nil, err
	}
	if err := i.look(path); err != nil {
		return nil, fmt.Errorf("inspect %s: %w", path, err)
	}
	i.found.Sound = i.found.Damages == 0
	return &i.found, nil
}

// missing is the refusal of a path at which there is nothing, with what may be meant.
func missing(path string, err error) error {
	names := make([]string, len(pretrained.Networks))
	for i, n := range pretrained.Networks {
		names[i] = n.Name
	}
	if errors.Is(err, fs.ErrNotExist) {
		return refuse(path, fmt.Errorf("%w%s", plain(err), run.DidYouMean(path, names...)))
	}
	return refuse(path, plain(err))
}

// inspector fills a report.
type inspector struct {
	ctx      context.Context
	all      bool
	progress func(done, all int) // may be nil
	found    Report
	files    run.Files // of the run that is inspected, with its identity; the zero value for others
	seed     *uint64   // of that run, if it has an identity
}

// look inspects a path whose kind is known.
func (i *inspector) look(path string) (err error) {
	switch i.found.Kind {
	case KindRun:
		err = i.run(path)
	case KindCheckpoints:
		err = i.checkpoints(path)
	case KindCheckpoint:
		err = i.checkpoint(path)
	case KindTensors:
		err = i.tensors(path)
	case KindReplay:
		err = i.replay(path, nil)
	case KindSegment:
		err = i.segment(path)
	case KindMatch, KindGames:
		err = i.match(path)
	case KindEvents:
		i.found.Events, err = i.lines(path, new(eventLine))
	case KindEvaluations:
		i.found.EvaluationGames, err = i.lines(path, new(evaluationLine))
	case KindConfiguration:
		i.found.Configuration, err = i.configuration(path)
	case KindEvaluation:
		err = i.evaluation(path)
	case KindRatings:
		err = i.ratings(path)
	case KindResults:
		err = i.results(path)
	}
	return err
}

// Refusal is the error for a path that can't be inspected.
type Refusal struct {
	What    string // the argument: PATH or PATH:N
	Why     error
	Unknown bool // something is there, but of no known kind
}

func (r *Refusal) Error() string { return fmt.Sprintf("inspect %s: %v", r.What, r.Why) }

// Unwrap returns the reason.
func (r *Refusal) Unwrap() error { return r.Why }

func refuse(what string, why error) error { return &Refusal{What: what, Why: why} }

// unknown returns the error for something that tengen does not write.
func unknown(path, why string) error {
	return &Refusal{What: path, Why: errors.New(why), Unknown: true}
}

// plain returns an error of the file system without its path.
func plain(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

// maxWhole is the size, in bytes, up to which files are read into memory.
const maxWhole = min(8<<30, math.MaxInt)

// readWhole reads a file into memory.
func readWhole(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.Size() > maxWhole {
		return nil, fmt.Errorf("%s has %d bytes; up to %d are read",
			filepath.Base(path), info.Size(), int64(maxWhole))
	}
	return os.ReadFile(path)
}

// decode reads a JSON file into v. If it holds no such JSON, which is damage, decode notes
// that and returns false.
func (i *inspector) decode(path string, v any) (ok bool, err error) {
	data, err := readWhole(path)
	if err != nil {
		return false, err
	}
	if err := json.Unmarshal(data, v); err != nil {
		i.found.damaged(Finding{Path: path, What: err.Error()})
		return false, nil
	}
	return true, nil
}

// Kind is the kind of a file or folder.
type Kind string

// The kinds.
const (
	KindRun           Kind = "run"
	KindCheckpoints   Kind = "checkpoints"
	KindCheckpoint    Kind = "checkpoint"
	KindModel         Kind = "model"
	KindTensors       Kind = "tensors"
	KindReplay        Kind = "replay"
	KindSegment       Kind = "segment"
	KindMatch         Kind = "match"
	KindGames         Kind = "games"
	KindEvents        Kind = "events"
	KindEvaluations   Kind = "evaluation games"
	KindONNX          Kind = "onnx"
	KindConfiguration Kind = "configuration"
	KindEvaluation    Kind = "evaluation"
	KindRatings       Kind = "ratings"
	KindResults       Kind = "results"
)

// Title returns the kind in words, with an article: "a replay segment".
func (k Kind) Title() string { return titles[k] }

var titles = map[Kind]string{
	KindRun: "a run", KindCheckpoints: "a folder of checkpoints", KindCheckpoint: "a checkpoint",
	KindModel: "a network", KindTensors: "tensors", KindReplay: "a folder of replay segments",
	KindSegment: "a replay segment", KindMatch: "the games of a match", KindGames: "games in JSON",
	KindEvents: "a run's events", KindEvaluations: "the games of a run's evaluations",
	KindONNX: "an ONNX model, which is not looked into", KindConfiguration: "a run's configuration",
	KindEvaluation: "an evaluation of a run's network",
	KindRatings:    "the ratings of a run's networks",
	KindResults:    "results of a reproduced experiment",
}

// Names of files in a checkpoint's folder.
const (
	manifestName = "manifest.json"
	modelName    = "model.safetensors"
	averageName  = "average.safetensors"
)

// there reports whether a folder has an entry of this name.
func there(dir, name string) bool {
	_, err := os.Stat(filepath.Join(dir, name))
	return err == nil
}

// kindOf returns the kind of what is at path.
func kindOf(path string, info fs.FileInfo) (Kind, error) {
	switch {
	case info.IsDir():
		return kindOfFolder(path)
	case info.Mode().IsRegular():
		return kindOfFile(path, info.Size())
	}
	return "", refuse(path, errors.New("neither a file nor a folder"))
}

// kindOfFolder determines the kind of a folder from the names in it.
func kindOfFolder(dir string) (Kind, error) {
	inside, err := os.ReadDir(dir)
	if err != nil {
		return "", err
	}
	if there(dir, run.CheckpointsFolder) ||
		there(dir, run.ConfigFile) && (there(dir, run.ReplayFolder) || there(dir, run.EventsFile)) {
		return KindRun, nil
	}
	if there(dir, manifestName) || there(dir, modelName) {
		return KindCheckpoint, nil
	}
	list, err := checkpoints.List(dir)
	if err != nil {
		return "", err
	}
	segments, err := replay.Segments(vfs.OS{}, dir)
	if err != nil {
		return "", err
	}
	absolute, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	empty := len(inside) == 0 && there(filepath.Dir(absolute), run.ConfigFile)
	switch name := filepath.Base(absolute); {
	case len(list) > 0 || empty && name == run.CheckpointsFolder:
		return KindCheckpoints, nil
	case len(segments) > 0 || empty && name == run.ReplayFolder:
		return KindReplay, nil
	case there(dir, arena.MatchFile) || there(dir, gtp.MatchFile):
		return KindMatch, nil
	}
	return "", unknown(dir, "a folder that holds neither a run nor checkpoints nor games")
}

// kindOfFile determines the kind of a file from its first bytes and its name. The name
// identifies files whose first bytes are damaged.
func kindOfFile(path string, size int64) (Kind, error) {
	head, err := beginning(path)
	if err != nil {
		return "", err
	}
	absolute, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	name, extension, dir := filepath.Base(absolute), filepath.Ext(path), filepath.Dir(absolute)
	text := bytes.TrimSpace(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")))
	_, isEvaluation := run.EvaluationOf(name)
	inEval := filepath.Base(dir) == run.EvalFolder
	has := func(keys ...string) bool {
		for _, key := range keys {
			if !bytes.Contains(text, []byte(`"`+key+`"`)) {
				return false
			}
		}
		return true
	}
	switch {
	case bytes.HasPrefix(head, []byte("TENGENRG")) || extension == replay.Extension:
		return KindSegment, nil
	case extension == ".safetensors" || beginsLikeTensors(head, size):
		return KindTensors, nil
	case extension == ".onnx":
		return KindONNX, nil
	case extension == ".yaml" || extension == ".yml":
		return KindConfiguration, nil
	case name == run.EventsFile:
		return KindEvents, nil
	case name == run.EvaluationGamesFile && inEval:
		return KindEvaluations, nil
	case isEvaluation && inEval:
		return KindEvaluation, nil
	case name == run.RatingsFile && inEval:
		return KindRatings, nil
	case name == arena.MatchFile || name == gtp.MatchFile || has("tengen match") ||
		has("tengen gtp match"):
		return KindMatch, nil
	case name == run.LockFile && there(dir, run.ConfigFile):
		return "", unknown(path,
			"the lock of a run; "+filepath.Dir(path)+" is all of it, and says who holds it")
	case name == run.IdentityFile && there(dir, run.ConfigFile):
		return "", unknown(path, "the identity of a run; "+filepath.Dir(path)+" is all of it")
	case extension == ".svg":
		return "", unknown(path, "a picture, of which nothing is checked")
	case len(text) == 0:
		return "", unknown(path, "it is empty")
	case text[0] != '{':
		return "", unknown(path,
			fmt.Sprintf("nothing that tengen writes; it begins with %q", head[:min(len(head), 16)]))
	case has("event", "time"):
		return KindEvents, nil
	case has("evaluation", "scores") && !has("actions"):
		return KindEvaluations, nil
	case has("actions"):
		return KindGames, nil
	case has("tengen checkpoint") || name == "state.json":
		return "", unknown(path,
			"a part of a checkpoint; "+strings.TrimSuffix(filepath.Dir(path),
				string(filepath.Separator))+" is all of it")
	case has("made", "version", "command"):
		return KindResults, nil
	case has("iteration", "baseline", "seats"):
		return KindEvaluation, nil
	case has("anchor", "networks"):
		return KindRatings, nil
	}
	return "", unknown(path, "JSON, but no game")
}

// beginning returns the first bytes of a file, up to 4 KiB.
func beginning(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	head := make([]byte, 4096)
	n, err := io.ReadFull(f, head)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return nil, err
	}
	return head[:n], nil
}

// beginsLikeTensors reports whether a file begins like safetensors: with the length of a
// header that fits into the file, and the header's first character.
func beginsLikeTensors(head []byte, size int64) bool {
	return len(head) > 8 && head[8] == '{' && binary.LittleEndian.Uint64(head) <= uint64(size-8)
}
