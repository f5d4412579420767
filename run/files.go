package run

import (
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"slices"

	"tengen/configs"
	"tengen/internal/runid"
	"tengen/vfs"
)

// Files is a run's folder on a file system.
type Files struct {
	Folder
	FS vfs.FS
	// Run is the run's identity, 0 as long as it is not known: see Of. What carries another, or
	// none, is refused.
	Run runid.ID
}

// On returns the folder on a file system; nil is the operating system's.
func (f Folder) On(fsys vfs.FS) Files {
	if fsys == nil {
		fsys = vfs.OS{}
	}
	return Files{Folder: f, FS: fsys}
}

// Lock locks the run for this process, which others see as command. It creates the
// folder if it is missing.
func (f Files) Lock(command string) (io.Closer, error) {
	if err := vfs.MkdirAll(f.FS, string(f.Folder)); err != nil {
		return nil, fmt.Errorf("create the run's folder: %w", err)
	}
	return f.FS.Lock(f.join(LockFile), command)
}

// Exists reports whether the folder holds a run.
func (f Files) Exists() bool {
	_, err := f.FS.Stat(f.Config())
	return err == nil
}

// folders are those of every run.
var folders = []string{CheckpointsFolder, ReplayFolder, EvalFolder}

// Vacant returns nil if a new run can begin in the folder, and otherwise an error that
// says why not. What Create leaves behind if it is interrupted is no obstacle.
func (f Files) Vacant() error {
	if f.Exists() {
		return fmt.Errorf("%s already holds a run: --resume goes on with it, --run DIR puts the new one elsewhere", f.Folder)
	}
	entries, err := f.FS.ReadDir(string(f.Folder))
	if err != nil {
		return nil // there is no such folder, or nothing can be written to it either
	}
	for _, e := range entries {
		if e.Name() == LockFile || e.Name() == IdentityFile || e.Name() == ClusterFolder ||
			vfs.IsTemporary(e.Name()) || slices.Contains(folders, e.Name()) && f.empty(e.Name()) {
			continue
		}
		return fmt.Errorf("%s is not empty and holds no run: --run DIR puts the new run elsewhere",
			f.Folder)
	}
	return nil
}

// empty reports whether one of the run's folders holds nothing worth keeping: without a
// configuration, a checkpoint 000000 is only a copy of the weights of --init.
func (f Files) empty(name string) bool {
	entries, err := f.FS.ReadDir(f.join(name))
	return err == nil && !slices.ContainsFunc(entries, func(e fs.DirEntry) bool {
		return !vfs.IsTemporary(e.Name()) &&
			(name != CheckpointsFolder || e.Name() != IterationName(0))
	})
}

// ReadConfig reads the run's configuration.
func (f Files) ReadConfig() (*configs.Config, error) {
	r, err := f.Resolve()
	if err != nil {
		return nil, err
	}
	return &r.Config, nil
}

// Resolve reads the run's configuration and the lines of its values.
func (f Files) Resolve() (*configs.Resolved, error) {
	text, err := vfs.ReadFileUpTo(f.FS, f.Config(), configs.MaxFile)
	if err != nil {
		return nil, fmt.Errorf("configuration: %w", err)
	}
	return configs.Resolve(configs.Options{Name: f.Config(), Text: text})
}

// Create creates the folder of a new run and calls first, which may write a first
// checkpoint. It writes the configuration last: a folder with a configuration is complete. f is Of
// id.
func (f Files) Create(id *Identity, first func() error) error {
	if err := f.Vacant(); err != nil {
		return err
	}
	for _, dir := range folders {
		if err := vfs.MkdirAll(f.FS, f.join(dir)); err != nil {
			return fmt.Errorf("create the run's folder: %w", err)
		}
	}
	if err := f.FS.RemoveAll(f.Checkpoint(0)); err != nil {
		return fmt.Errorf("create the run's folder: %w", err)
	}
	if err := f.writeIdentity(id); err != nil {
		return err
	}
	if err := first(); err != nil {
		return err
	}
	return f.writeConfig(id.Config)
}

// Adopt gives a run that has lost its identity this one.
func (f Files) Adopt(id *Identity) error { return f.writeIdentity(id) }

// ChangeConfig replaces the configuration from an iteration on, in id too. It keeps the one
// before as EarlierConfig(iteration). config.yaml stays as it is if it has these values already.
func (f Files) ChangeConfig(id *Identity, c *configs.Config, iteration int) error {
	now, err := f.ReadConfig()
	if err != nil {
		return err
	}
	before := id.Written(now)
	earlier := f.EarlierConfig(iteration)
	// else no iteration was made with the one in between
	if _, err := f.FS.Stat(earlier); err != nil {
		text, err := before.YAML()
		if err == nil {
			err = vfs.WriteBytes(f.FS, earlier, text)
		}
		if err != nil {
			return fmt.Errorf("keep the run's earlier configuration: %w", err)
		}
	}
	// If the process ends in between, config.yaml is that of before.
	id.Config, id.Previous = c, before
	if err := f.writeIdentity(id); err != nil {
		return err
	}
	if len(configs.Changes(now, c)) == 0 {
		return nil
	}
	return f.writeConfig(c)
}

func (f Files) writeConfig(c *configs.Config) error {
	text, err := c.YAML()
	if err == nil {
		err = vfs.WriteBytes(f.FS, f.Config(), text)
	}
	if err != nil {
		return fmt.Errorf("write the run's configuration: %w", err)
	}
	return nil
}

// MaxSmall is the size, in bytes, of the largest of a run's small files: results of evaluations and
// ratings.
const MaxSmall = 16 << 20

// WriteJSON replaces the file at path by v as indented JSON. A crash leaves either the
// old content or the new.
func (f Files) WriteJSON(path string, v any) error {
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return vfs.WriteBytes(f.FS, path, append(text, '\n'))
}
