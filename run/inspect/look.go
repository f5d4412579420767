package inspect

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"

	"tengen/checkpoints/pretrained"
	"tengen/run"
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
