package inspect

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
)

// Options say how thoroughly to look.
type Options struct {
	// All verifies every checkpoint, plays every game of the replay through by its
	// rules, and lists all parts. Without it the newest sound checkpoint is
	// verified, and what had to be passed over on the way.
	All bool
	// Progress, if not nil, is told how many segments of a replay have been read.
	// It is called by the goroutine that looks.
	Progress func(done, all int)
}

// Look looks at what is at path. An error means that it could not be looked at,
// or, as a *[Refusal], that it is nothing of tengen's. Damage is no error.
func Look(ctx context.Context, path string, o Options) (*Report, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, refuse(path, plain(err))
	}
	i := &inspector{ctx: ctx, all: o.All, progress: o.Progress}
	i.found = Report{Path: path, Damaged: []Finding{}, Notes: []Finding{}}
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

// inspector fills a report.
type inspector struct {
	ctx      context.Context
	all      bool
	progress func(done, all int) // may be nil
	found    Report
}

// look looks at a path whose kind is known.
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

// Refusal is the error for what can't be inspected.
type Refusal struct {
	What    string // that was asked for: PATH or PATH:N
	Why     error
	Unknown bool // something is there, but nothing that can be inspected
}

func (r *Refusal) Error() string { return fmt.Sprintf("inspect %s: %v", r.What, r.Why) }

// Unwrap is the reason.
func (r *Refusal) Unwrap() error { return r.Why }

func refuse(what string, why error) error { return &Refusal{What: what, Why: why} }

// unknown is the error for what is nothing of tengen's.
func unknown(path, why string) error {
	return &Refusal{What: path, Why: errors.New(why), Unknown: true}
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
