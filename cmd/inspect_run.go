package cmd

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"tengen/configs"
	"tengen/internal/atomicfile"
	"tengen/internal/lockfile"
)

// foundRun is what a run's folder holds beside checkpoints, games and events.
type foundRun struct {
	Game       string            `json:"game,omitempty"` // of the configuration; empty where it can't be read
	Algorithm  string            `json:"algorithm,omitempty"`
	Iterations int               `json:"iterations,omitempty"` // to be made
	Holder     *lockfile.Process `json:"holder"`               // who trains; null where nobody does
}

func (r *foundRun) figures() []figure {
	holder := "nobody"
	if r.Holder != nil {
		holder = r.Holder.Describe(time.Now())
	}
	list := []figure{{"in use by", holder}}
	if r.Game != "" {
		list = append(list, figure{"configuration", fmt.Sprintf("%s on %s, %d iterations", r.Algorithm, r.Game, r.Iterations)})
	}
	return list
}

// run looks at a run's folder.
func (i *inspector) run(dir string) error {
	r := &foundRun{}
	i.found.Run = r
	var err error
	if r.Holder, err = lockfile.Holder(filepath.Join(dir, lockName)); err != nil && !errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	if err := i.config(dir); err != nil {
		return err
	}
	// Checkpoints first: a run that is going adds games before it counts them.
	if err := i.checkpoints(filepath.Join(dir, checkpointsName)); err != nil {
		return err
	}
	var games *uint64
	if c := i.found.Checkpoint; c != nil {
		games = c.Games
		if r.Game != "" && c.Game != r.Game {
			i.found.damaged(finding{Path: c.Path, What: fmt.Sprintf("a network for %s in a run of %s", c.Game, r.Game)})
		}
	}
	if err := i.replay(filepath.Join(dir, replayName), games); err != nil {
		return err
	}
	for _, log := range []struct {
		path string
		kind lineKind
		into **foundLines
	}{
		{filepath.Join(dir, eventsName), new(eventLine), &i.found.Events},
		{filepath.Join(dir, "eval", evaluationsName), new(evaluationLine), &i.found.Evaluations},
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

// maxConfig is the size of a configuration, in bytes, that is no longer one.
const maxConfig = 1 << 20

// config reads the run's configuration.
func (i *inspector) config(dir string) error {
	path := filepath.Join(dir, configName)
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		i.found.damaged(finding{Path: path, What: "missing: the run was not begun to the end, or this is none"})
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxConfig+1))
	if err != nil {
		return err
	}
	if len(text) > maxConfig {
		i.found.damaged(finding{Path: path, What: fmt.Sprintf("a configuration has up to %d bytes", maxConfig)})
		return nil
	}
	resolved, err := configs.Resolve(configs.Options{Name: path, Text: text})
	if err != nil {
		i.found.damaged(finding{Path: path, What: err.Error()})
		return nil
	}
	c := &resolved.Config
	r := i.found.Run
	r.Game, r.Algorithm, r.Iterations = canonical(c.Game), c.Algorithm, c.Training.Iterations
	return nil
}

// leftovers notes what a crash left incomplete in a folder, or is just being written.
func (i *inspector) leftovers(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, e := range entries {
		if atomicfile.IsTemporary(e.Name()) {
			i.found.note(finding{Path: filepath.Join(dir, e.Name()), What: "not complete: being written, or left by a crash and removed by the next save"})
		}
	}
	return nil
}
