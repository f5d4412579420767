package inspect

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"tengen/run"
	"tengen/vfs"
)

// Run describes a run's folder, except for its checkpoints, games and events.
type Run struct {
	Game       string      `json:"game,omitempty"` // canonical; empty if the configuration can't be read
	Algorithm  string      `json:"algorithm,omitempty"`
	Iterations int         `json:"iterations,omitempty"` // configured
	Holder     *vfs.Holder `json:"holder"`               // of the lock; null if nobody holds it
}

// run inspects a run's folder.
func (i *inspector) run(dir string) error {
	folder := run.Folder(dir)
	r := &Run{}
	i.found.Run = r
	var err error
	if r.Holder, err = folder.Holder(); err != nil && !errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	if err := i.runConfiguration(dir); err != nil {
		return err
	}
	// Checkpoints first: a run in progress writes games before a checkpoint counts them.
	if err := i.checkpoints(folder.Checkpoints()); err != nil {
		return err
	}
	var games *uint64
	if c := i.found.Checkpoint; c != nil {
		games = c.Games
		if r.Game != "" && c.Game != r.Game {
			i.found.damaged(Finding{Path: c.Path, What: fmt.Sprintf("a network for %s in a run of %s", c.Game, r.Game)})
		}
	}
	if err := i.replay(folder.Replay(), games); err != nil {
		return err
	}
	for _, log := range []struct {
		path string
		kind lineKind
		into **Lines
	}{
		{folder.Events(), new(eventLine), &i.found.Events},
		{folder.EvaluationGames(), new(evaluationLine), &i.found.EvaluationGames},
	} {
		lines, err := i.lines(log.path, log.kind)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		*log.into = lines
	}
	return nil
}

// runConfiguration reads the run's configuration.
func (i *inspector) runConfiguration(dir string) error {
	path := run.Folder(dir).Config()
	c, err := i.configuration(path)
	if errors.Is(err, fs.ErrNotExist) {
		i.found.damaged(Finding{Path: path, What: "missing: the run was not begun to the end, or this is none"})
		return nil
	}
	if c != nil {
		r := i.found.Run
		r.Game, r.Algorithm, r.Iterations = c.Game, c.Algorithm, c.Iterations
	}
	return err
}

// leftovers notes incomplete files and folders, which are being written or left by a crash.
func (i *inspector) leftovers(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, e := range entries {
		if vfs.IsTemporary(e.Name()) {
			i.found.note(Finding{Path: filepath.Join(dir, e.Name()), What: "not complete: being written, or left by a crash and removed by the next save"})
		}
	}
	return nil
}
