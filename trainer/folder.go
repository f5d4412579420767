package trainer

import (
	"fmt"
	"io"
	"path/filepath"

	"tengen/vfs"
)

// Folder is where a run lives.
type Folder string

// Name is the run's name: the last part of the folder's path.
func (f Folder) Name() string {
	if path, err := filepath.Abs(string(f)); err == nil {
		return filepath.Base(path)
	}
	return filepath.Base(string(f))
}

// Config is the path of the run's resolved configuration.
func (f Folder) Config() string { return filepath.Join(string(f), "config.yaml") }

// Checkpoints is the path of the folder of checkpoints.
func (f Folder) Checkpoints() string { return filepath.Join(string(f), "checkpoints") }

// Events is the path of the event log.
func (f Folder) Events() string { return filepath.Join(string(f), "events.jsonl") }

// Evaluation is the path of what an evaluation found about an iteration's network.
func (f Folder) Evaluation(iteration int) string {
	return filepath.Join(string(f), "eval", networkName(iteration)+".json")
}

// EvaluationGames is the path of the games of all evaluations.
func (f Folder) EvaluationGames() string { return filepath.Join(string(f), "eval", "games.jsonl") }

// Ratings is the path of the ratings of all networks evaluated.
func (f Folder) Ratings() string { return filepath.Join(string(f), "eval", "ratings.json") }

// Replay is the path of the folder of games.
func (f Folder) Replay() string { return filepath.Join(string(f), "replay") }

// lockName is the file by which one process at a time works on a run.
const lockName = "LOCK"

// lock locks the run for this process, whose command it shows to others. It
// creates the folder if it is missing.
func (f files) lock(command string) (io.Closer, error) {
	if err := vfs.MkdirAll(f.fs, string(f.Folder)); err != nil {
		return nil, fmt.Errorf("create the run's folder: %w", err)
	}
	return f.fs.Lock(filepath.Join(string(f.Folder), lockName), command)
}

// Exists says whether a run was begun here.
func (f Folder) Exists() bool { return f.on(nil).Exists() }

// History reads the run's event log. Lines that can't be read, such as one that
// a crash cut short, are left out.
func (f Folder) History() ([]Event, error) { return f.on(nil).History() }
