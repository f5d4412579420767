package history

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// Follow writes event files of the run in a folder to DIR/RUN until ctx ends: what is there at
// once, and what is new every interval and at last. It waits for a run that has not begun. If
// DIR/RUN has files of another run, it takes DIR/RUN-2, and so on. Each process that has something
// to write makes a file of its own, which goes on where those before it end.
func Follow(ctx context.Context, folder, dir string, interval time.Duration) error {
	f := &follower{run: New(folder), dir: dir}
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for {
		err := f.write(context.WithoutCancel(ctx))
		if err == nil && ctx.Err() == nil {
			select {
			case <-ctx.Done():
			case <-tick.C:
			}
			continue
		}
		if f.file != nil {
			err = errors.Join(err, f.file.Close())
		}
		if err != nil {
			return fmt.Errorf("TensorBoard: %w", err)
		}
		return nil
	}
}

// follower is a call of Follow.
type follower struct {
	run  *Run
	dir  string
	to   string       // the run's folder in dir; "" until it is claimed
	out  *TensorBoard // nil until then
	name string       // of the file
	file *os.File     // nil until there is something to write

	version int // of the history that is written
}

func (f *follower) write(ctx context.Context) error {
	if !f.run.Folder.Exists() {
		return nil
	}
	if err := f.run.Refresh(ctx); err != nil {
		return err
	}
	if f.run.Began.IsZero() {
		return nil
	}
	if f.out == nil {
		if err := f.open(); err != nil {
			return err
		}
	}
	if f.version == f.run.Version {
		return nil
	}
	f.version = f.run.Version
	return f.out.Write(ctx)
}

// Write writes to the file, which it creates before the first byte.
func (f *follower) Write(p []byte) (int, error) {
	if f.file == nil {
		var err error
		if f.file, err = os.OpenFile(filepath.Join(f.to, f.name), os.O_CREATE|os.O_EXCL|os.O_WRONLY,
			0o644); err != nil {
			return 0, err
		}
	}
	return f.file.Write(p)
}

// open claims the folder and reads what earlier processes have written there.
func (f *follower) open() error {
	if err := os.MkdirAll(f.dir, 0o755); err != nil {
		return err
	}
	mine, err := f.claim()
	if err != nil {
		return err
	}
	seconds := f.run.Began.Unix()
	var earlier []io.Reader
	for _, name := range mine {
		file, err := os.Open(filepath.Join(f.to, name))
		if err != nil {
			return err
		}
		defer file.Close()
		earlier = append(earlier, file)
		var n int64
		if _, err := fmt.Sscanf(name, "events.out.tfevents.%d", &n); err == nil {
			seconds = max(seconds, n+1) // also after a clock was set back
		}
	}
	f.name = f.run.eventFile(seconds)
	f.out, err = resumeTensorBoard(f.run, f, earlier...)
	return err
}

// claim chooses the run's folder, and returns the names of the event files that the run has there,
// in order. A new folder appears with a file that names the run in it, so that two processes never
// take the same.
func (f *follower) claim() (mine []string, err error) {
	const owner = ".tengen"
	fresh, err := os.MkdirTemp(f.dir, owner+"-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(fresh) // if it was not needed
	if err := os.Chmod(fresh, 0o755); err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(fresh, owner), []byte(f.run.ID.String()),
		0o644); err != nil {
		return nil, err
	}
	for k := 1; ; k++ {
		f.to = filepath.Join(f.dir, f.run.Folder.Name())
		if k > 1 {
			f.to += "-" + strconv.Itoa(k)
		}
		if _, err := os.Stat(f.to); errors.Is(err, fs.ErrNotExist) {
			if os.Rename(fresh, f.to) == nil {
				return nil, nil
			}
		}
		entries, err := os.ReadDir(f.to)
		if err != nil {
			return nil, err
		}
		claimed, others := false, false
		mine = nil
		for _, e := range entries {
			switch name := e.Name(); {
			case name == owner:
				text, err := os.ReadFile(filepath.Join(f.to, name))
				if err != nil {
					return nil, err
				}
				claimed, others = true, others || string(text) != f.run.ID.String()
			case !isEventFile(name):
			case strings.HasSuffix(name, f.run.eventSuffix()):
				mine = append(mine, name)
			default:
				others = true
			}
		}
		if others {
			continue
		}
		if claimed {
			return mine, nil
		}
		file, err := os.OpenFile(filepath.Join(f.to, owner),
			os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
		if errors.Is(err, fs.ErrExist) {
			k-- // another was faster
			continue
		}
		if err != nil {
			return nil, err
		}
		_, err = file.WriteString(f.run.ID.String())
		return mine, errors.Join(err, file.Close())
	}
}
