package trainer

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"tengen/checkpoints"
	"tengen/configs"
	"tengen/vfs"
)

// files is a run's folder on its file system: a run reads and writes everything
// through it.
type files struct {
	Folder
	fs vfs.FS
}

// on is the folder on a file system; nil is the operating system's.
func (f Folder) on(fs vfs.FS) files {
	if fs == nil {
		fs = vfs.OS{}
	}
	return files{f, fs}
}

// store are the run's checkpoints.
func (f files) store() checkpoints.Store { return checkpoints.Store{FS: f.fs, Dir: f.Checkpoints()} }

// Exists is Folder.Exists.
func (f files) Exists() bool {
	_, err := f.fs.Stat(f.Config())
	return err == nil
}

// folders are those of a run.
var folders = []string{"checkpoints", "replay", "eval"}

// vacant says why a new run can't begin here, if it can't. What the making of a run leaves
// that was cut short is no hindrance.
func (f files) vacant() error {
	if f.Exists() {
		return fmt.Errorf("%s already holds a run: --resume goes on with it, --run DIR puts the new one elsewhere", f.Folder)
	}
	entries, err := f.fs.ReadDir(string(f.Folder))
	if err != nil {
		return nil // there is no such folder, or nothing can be written to it either
	}
	for _, e := range entries {
		if e.Name() == lockName || vfs.IsTemporary(e.Name()) || slices.Contains(folders, e.Name()) && f.empty(e.Name()) {
			continue
		}
		return fmt.Errorf("%s is not empty and holds no run: --run DIR puts the new run elsewhere", f.Folder)
	}
	return nil
}

// empty says that a folder of the run's holds nothing that a run would miss: without a
// configuration, a checkpoint 000000 holds the weights of --init and no more.
func (f files) empty(name string) bool {
	entries, err := f.fs.ReadDir(filepath.Join(string(f.Folder), name))
	return err == nil && !slices.ContainsFunc(entries, func(e fs.DirEntry) bool {
		return !vfs.IsTemporary(e.Name()) && (name != "checkpoints" || e.Name() != networkName(0))
	})
}

// create makes the folder of a new run and writes what first does and its
// configuration, last, so that a folder with a configuration is complete.
func (f files) create(c *configs.Config, first func() error) error {
	if err := f.vacant(); err != nil {
		return err
	}
	for _, dir := range folders {
		if err := vfs.MkdirAll(f.fs, filepath.Join(string(f.Folder), dir)); err != nil {
			return fmt.Errorf("create the run's folder: %w", err)
		}
	}
	if err := f.fs.RemoveAll(filepath.Join(f.Checkpoints(), networkName(0))); err != nil {
		return fmt.Errorf("create the run's folder: %w", err)
	}
	if err := first(); err != nil {
		return err
	}
	text, err := c.YAML()
	if err != nil {
		return fmt.Errorf("write the run's configuration: %w", err)
	}
	if err := vfs.WriteBytes(f.fs, f.Config(), text); err != nil {
		return fmt.Errorf("write the run's configuration: %w", err)
	}
	return nil
}

// History is Folder.History.
func (f files) History() ([]Event, error) {
	var history []Event
	if err := f.eachEvent(func(e Event) { history = append(history, e) }); err != nil {
		return nil, err
	}
	return history, nil
}

// eachEvent reads the event log line by line.
func (f files) eachEvent(visit func(Event)) error {
	file, err := f.fs.OpenFile(f.Events(), os.O_RDONLY, 0)
	if err != nil {
		return fmt.Errorf("read the event log: %w", err)
	}
	defer file.Close()
	const longest = 1 << 20 // a longer line is none of ours: passed over
	lines := bufio.NewReaderSize(file, longest)
	for whole := true; ; {
		line, err := lines.ReadSlice('\n')
		var e Event
		if whole && err != bufio.ErrBufferFull && json.Unmarshal(line, &e) == nil {
			visit(e)
		}
		whole = err == nil
		switch err {
		case nil, bufio.ErrBufferFull:
		case io.EOF:
			return nil
		default:
			return fmt.Errorf("read the event log: %w", err)
		}
	}
}

// writeJSON puts v under path, all of it or nothing.
func (f files) writeJSON(path string, v any) error {
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return vfs.WriteBytes(f.fs, path, append(text, '\n'))
}
