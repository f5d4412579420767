package inspect

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"tengen/configs"
	"tengen/game"
	"tengen/internal/runid"
	"tengen/run"
	"tengen/vfs"
)

// Run describes a run's folder, except for its checkpoints, games and events.
type Run struct {
	// canonical; empty if the configuration can't be read
	Game       string      `json:"game,omitempty"`
	Algorithm  string      `json:"algorithm,omitempty"`
	Iterations int         `json:"iterations,omitempty"` // configured
	Holder     *vfs.Holder `json:"holder"`               // of the lock; null if nobody holds it
	// that its files carry; empty if an earlier version began it
	Identity runid.ID `json:"identity"`
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
	if err := i.identity(folder); err != nil {
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
			i.found.damaged(Finding{
				Path: c.Path, What: fmt.Sprintf("a network for %s in a run of %s", c.Game, r.Game),
			})
		}
	}
	if err := i.replay(folder.Replay(), games); err != nil {
		return err
	}
	if err := i.cluster(filepath.Join(dir, run.ClusterFolder)); err != nil {
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
	return i.small(folder)
}

// identity reads the run's identity and compares the configuration with what the run has written.
func (i *inspector) identity(folder run.Folder) error {
	files := folder.On(nil)
	id, err := files.ReadIdentity()
	if errors.Is(err, fs.ErrPermission) {
		return err
	}
	if err != nil {
		i.found.damaged(Finding{
			Path: folder.Identity(), What: strings.TrimPrefix(err.Error(), folder.Identity()+": "),
		})
		return nil
	}
	if id == nil {
		return nil
	}
	i.files = files.Of(id)
	i.found.Run.Identity, i.seed = id.ID, &id.Config.Seed
	read, err := files.Resolve()
	if err != nil {
		return nil // the damage has been found
	}
	for _, change := range configs.Changes(id.Written(&read.Config), &read.Config) {
		f := Finding{
			Path: folder.Config(), Line: read.Sources[change.Key].Line,
			What: "changed since the run wrote it: " + change.String(),
		}
		if verdict, why := change.OnResume(); verdict != configs.Taken {
			f.What += ", with which it is not resumed: " + why
			i.found.damaged(f)
		} else {
			i.found.note(f)
		}
	}
	return nil
}

// owner reports what belongs to another run, and returns whether it does.
func (i *inspector) owner(path string, line int, got runid.ID) (other bool) {
	err := i.files.Check(got)
	if err != nil {
		i.found.damaged(Finding{Path: path, Line: line, What: err.Error()})
	}
	return err != nil
}

// small checks that the small files of a run are its own.
func (i *inspector) small(folder run.Folder) error {
	paths := []string{folder.Ratings()}
	entries, err := os.ReadDir(filepath.Dir(folder.Ratings()))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, e := range entries {
		if _, ok := run.EvaluationOf(e.Name()); ok {
			paths = append(paths, filepath.Join(filepath.Dir(folder.Ratings()), e.Name()))
		}
	}
	for _, path := range paths {
		text, err := vfs.ReadFileUpTo(vfs.OS{}, path, run.MaxSmall)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil && !errors.Is(err, vfs.ErrTooLong) {
			return err
		}
		var file struct {
			Run runid.ID `json:"run"`
		}
		if err == nil {
			err = json.Unmarshal(text, &file)
		}
		if err != nil {
			i.found.damaged(Finding{Path: path, What: err.Error()})
			continue
		}
		i.owner(path, 0, file.Run)
	}
	return nil
}

// runConfiguration reads the run's configuration.
func (i *inspector) runConfiguration(dir string) error {
	path := run.Folder(dir).Config()
	c, err := i.configuration(path)
	if errors.Is(err, fs.ErrNotExist) {
		i.found.damaged(Finding{
			Path: path, What: "missing: the run was not begun to the end, or this is none",
		})
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
			i.found.note(Finding{
				Path: filepath.Join(dir, e.Name()),
				What: "not complete: being written, or left by a crash and removed by the next save",
			})
		}
	}
	return nil
}

// Configuration is the part of a run's configuration that reports show.
type Configuration struct {
	Game       string `json:"game"` // canonical
	Algorithm  string `json:"algorithm"`
	Iterations int    `json:"iterations"` // configured
	// the last iteration made with it, if another configuration followed
	Until *int `json:"until,omitempty"`
}

// maxConfig is the greatest size of a configuration, in bytes.
const maxConfig = 1 << 20

// configuration reads a configuration. It returns nil if the file is damaged.
func (i *inspector) configuration(path string) (*Configuration, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxConfig+1))
	if err != nil {
		return nil, err
	}
	if len(text) > maxConfig {
		i.found.damaged(Finding{
			Path: path, What: fmt.Sprintf("a configuration has up to %d bytes", maxConfig),
		})
		return nil, nil
	}
	until, earlier := run.EarlierConfigOf(filepath.Base(path))
	resolved, err := configs.Resolve(configs.Options{Name: path, Text: text})
	if err != nil {
		i.found.damaged(inConfig(path, err))
		return nil, nil
	}
	c := &resolved.Config
	found := &Configuration{
		Game: canonical(c.Game), Algorithm: string(c.Algorithm), Iterations: c.Training.Iterations,
	}
	if earlier {
		found.Until = &until
	}
	return found, nil
}

// inConfig returns the finding for an error of configs.Resolve, which begins with the path
// and usually the line.
func inConfig(path string, err error) Finding {
	rest, ok := strings.CutPrefix(err.Error(), path+":")
	if !ok {
		return Finding{Path: path, What: err.Error()}
	}
	if number, what, ok := strings.Cut(rest, ": "); ok {
		if line, err := strconv.Atoi(number); err == nil {
			return Finding{Path: path, Line: line, What: what}
		}
	}
	return Finding{Path: path, What: strings.TrimSpace(rest)}
}

// canonical returns the canonical name of a game, or the name itself for an unknown game.
func canonical(name string) string {
	if g, err := game.New(name); err == nil {
		return g.Name()
	}
	return name
}
