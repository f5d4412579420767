package checkpoints

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"

	"tengen/checkpoints/safetensors"
	"tengen/internal/runid"
	"tengen/nn"
	"tengen/vfs"
)

// Folder is the name of the folder of checkpoints in a run's folder.
const Folder = "checkpoints"

// Store is a folder of checkpoints. Each is a folder named after its iteration, such as 000042.
type Store struct {
	FS  vfs.FS
	Dir string
	// Run is the identity of the run that the checkpoints belong to; 0: any. Those of another are
	// errors, which wrap runid.ErrOtherRun, and are never replaced.
	Run runid.ID
}

func onDisk(dir string) Store { return Store{FS: vfs.OS{}, Dir: dir} }

// Save is Store.Save on the operating system's file system.
func Save(dir string, c *Checkpoint) (path string, err error) { return onDisk(dir).Save(c) }

// Load is Store.Load on the operating system's file system.
func Load(path string) (*Checkpoint, error) { return onDisk("").Load(path) }

// Latest is Store.Latest on the operating system's file system.
func Latest(dir string) (c *Checkpoint, passedOver []error, err error) {
	return onDisk(dir).Latest()
}

// List is Store.List on the operating system's file system.
func List(dir string) ([]Entry, error) { return onDisk(dir).List() }

// state is the contents of state.json.
type state struct {
	Iteration int             `json:"iteration"`
	Step      uint64          `json:"step"`
	Game      string          `json:"game"`
	Run       runid.ID        `json:"run,omitempty"`
	Trainer   json.RawMessage `json:"trainer"` // Checkpoint.State
}

func (s Store) path(iteration int) string { return filepath.Join(s.Dir, Name(iteration)) }

// Name returns the name of the folder of an iteration's checkpoint, such as 000042.
func Name(iteration int) string { return fmt.Sprintf("%06d", iteration) }

// Save is Keeper.Save of a keeper of its own.
func (s Store) Save(c *Checkpoint) (path string, err error) { return s.Keeper().Save(c) }

// writeAll writes the files of a checkpoint, the manifest last.
func writeAll(d *vfs.Folder, c *Checkpoint) error {
	m := manifest{Format: formatName, Version: formatVersion}
	add := func(name string, write func(w io.Writer) error) error {
		return d.WriteFile(name, func(w io.Writer) error {
			r := newRecorder(w)
			err := write(r)
			m.Files = append(m.Files, r.entry(name))
			return err
		})
	}
	if err := add(modelFile, func(w io.Writer) error {
		return WriteModel(w, c.Params, c)
	}); err != nil {
		return err
	}
	if c.Average != nil {
		if err := add(averageFile, func(w io.Writer) error {
			return WriteModel(w, c.Average, c)
		}); err != nil {
			return err
		}
	}
	if err := add(optimizerFile, func(w io.Writer) error {
		return safetensors.Write(w, c.Optimizer, nil)
	}); err != nil {
		return err
	}
	if err := add(stateFile, func(w io.Writer) error {
		return writeJSON(w, state{c.Iteration, c.Step, c.Game, c.Run, c.State})
	}); err != nil {
		return err
	}
	return d.WriteFile(manifestFile, func(w io.Writer) error { return writeJSON(w, m) })
}

func writeJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// Load reads the checkpoint in a folder and verifies every file against the manifest.
// If the checkpoint is damaged, the error wraps one of this package's; other errors
// are from the file system. Checkpoint.State equals what was saved except for white
// space.
func (s Store) Load(path string) (*Checkpoint, error) {
	if info, err := s.FS.Stat(path); err == nil && !info.IsDir() {
		return nil, fmt.Errorf("checkpoint %s: %w: a file, not a folder", path, ErrMalformed)
	}
	files, err := contents(s.FS, path)
	if err != nil {
		if why := s.absent(path); why != "" {
			return nil, fmt.Errorf("checkpoint %s: %w: %s", path, ErrMissing, why)
		}
		return nil, err
	}
	c, name, err := parse(files)
	if err != nil {
		return nil, fmt.Errorf("checkpoint %s: %s: %w", path, name, err)
	}
	if s.Run != 0 {
		if err := runid.Check(s.Run, c.Run); err != nil {
			return nil, fmt.Errorf("checkpoint %s: %w", path, err)
		}
	}
	return c, nil
}

// parse returns the checkpoint with the given files; name is the file that an error is about.
func parse(files map[string][]byte) (c *Checkpoint, name string, err error) {
	var st state
	if err := json.Unmarshal(files[stateFile], &st); err != nil {
		return nil, stateFile, fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	c = &Checkpoint{
		Iteration: st.Iteration, Step: st.Step, Game: st.Game, State: st.Trainer, Run: st.Run,
	}
	if string(st.Trainer) == "null" {
		c.State = nil
	}
	var spec *nn.Spec
	for _, f := range []struct {
		name string
		into **nn.Params
	}{{modelFile, &c.Params}, {averageFile, &c.Average}} {
		data, ok := files[f.name]
		if !ok {
			continue // there are no averaged weights
		}
		m, err := ReadModel(data)
		if err != nil {
			return nil, f.name, err
		}
		if m.Game != c.Game || m.Iteration != c.Iteration || m.Step != c.Step {
			return nil,
				f.name,
				fmt.Errorf(
					"%w: of %s at iteration %d, step %d, but %s is of %s at iteration %d, step %d",
					ErrMalformed, m.Game, m.Iteration, m.Step, stateFile, c.Game,
					c.Iteration, c.Step)
		}
		if spec == nil {
			spec = &m.Params.Spec
		} else if !reflect.DeepEqual(*spec, m.Params.Spec) {
			return nil, f.name, fmt.Errorf("%w: not the network of %s", ErrSpec, modelFile)
		}
		*f.into = m.Params
	}
	if c.Optimizer, _, err = safetensors.Decode(files[optimizerFile]); err != nil {
		return nil, optimizerFile, fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	return c, "", nil
}

// Absent says that there is no checkpoint of an iteration, and which are nearest; "" if there is
// one, sound or not, or none at all.
func (s Store) Absent(iteration int) string {
	list, err := s.List()
	i, there := find(list, iteration)
	if there || err != nil || len(list) == 0 {
		return ""
	}
	none := fmt.Sprintf("there is none of iteration %d", iteration)
	switch {
	case i == len(list):
		return fmt.Sprintf("%s; the newest is of %d", none, list[i-1].Iteration)
	case i == 0:
		return fmt.Sprintf("%s, since older ones are thinned out; the nearest is of %d",
			none, list[0].Iteration)
	}
	return fmt.Sprintf("%s, since older ones are thinned out; the nearest are of %d and %d",
		none, list[i-1].Iteration, list[i].Iteration)
}

// absent is Absent for the path of a checkpoint.
func (s Store) absent(path string) string {
	s.Dir = filepath.Dir(path)
	iteration, ok := iterationOf(filepath.Base(path))
	if !ok {
		return ""
	}
	return s.Absent(iteration)
}

// find returns where an iteration is in a list, or would be.
func find(list []Entry, iteration int) (index int, found bool) {
	return slices.BinarySearchFunc(list, iteration, func(e Entry, n int) int {
		return e.Iteration - n
	})
}

// damage reports whether an error of Load is about the checkpoint's contents, not
// about reading it.
func damage(err error) bool {
	for _, kind := range []error{ErrMissing, ErrSize, ErrChanged, ErrMalformed, ErrSpec} {
		if errors.Is(err, kind) {
			return true
		}
	}
	return false
}

// Entry is a checkpoint in a folder; it has not been verified.
type Entry struct {
	Iteration int
	Path      string
}

// List returns the checkpoints in order of iteration, without opening them; none if
// there is no such folder. Whatever has the name of a checkpoint is listed: a link to one is one,
// and a file or a link that leads nowhere is a damaged one.
func (s Store) List() ([]Entry, error) {
	entries, err := s.FS.ReadDir(s.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list checkpoints: %w", err)
	}
	var list []Entry
	for _, e := range entries {
		if n, ok := iterationOf(e.Name()); ok {
			list = append(list, Entry{n, filepath.Join(s.Dir, e.Name())})
		}
	}
	slices.SortFunc(list, func(a, b Entry) int { return a.Iteration - b.Iteration })
	return list, nil
}

// iterationOf returns the iteration whose checkpoint has a name. Names such as 42, which Save does
// not write, are those of none.
func iterationOf(name string) (iteration int, ok bool) {
	n, err := strconv.Atoi(name)
	return n, err == nil && n >= 0 && name == Name(n)
}

// Latest loads the newest valid checkpoint. passedOver are the errors of the damaged
// ones that are newer, newest first. If there is no valid checkpoint, the error wraps
// ErrNone. A checkpoint of another version or of another run is not damaged but an error.
func (s Store) Latest() (c *Checkpoint, passedOver []error, err error) {
	list, err := s.List()
	if err != nil {
		return nil, nil, err
	}
	return s.latest(list)
}

// latest is Latest of a list.
func (s Store) latest(list []Entry) (c *Checkpoint, passedOver []error, err error) {
	c, passedOver, err = s.newest(list)
	switch {
	case err != nil:
		return nil, passedOver, err
	case c != nil:
		return c, passedOver, nil
	case len(list) > 0:
		return nil, passedOver,
			fmt.Errorf("%w in %s is valid: all %d are damaged", ErrNone, s.Dir, len(list))
	}
	return nil, nil, fmt.Errorf("%w in %s", ErrNone, s.Dir)
}

// newest loads the newest valid checkpoint of a list; c is nil if none is valid.
func (s Store) newest(list []Entry) (c *Checkpoint, passedOver []error, err error) {
	for i := len(list) - 1; i >= 0; i-- {
		c, err := s.Load(list[i].Path)
		if err == nil && c.Iteration != list[i].Iteration {
			err = fmt.Errorf("checkpoint %s: %w: it is of iteration %d",
				list[i].Path, ErrMalformed, c.Iteration)
		}
		if err == nil {
			return c, passedOver, nil
		}
		if !damage(err) {
			return nil, passedOver, err
		}
		passedOver = append(passedOver, err)
	}
	return nil, passedOver, nil
}
