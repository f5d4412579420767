package trainer

import (
	"fmt"
	"os"
	"path/filepath"

	"tengen/configs"
	"tengen/internal/atomicfile"
	"tengen/internal/lockfile"
)

// Folder is where a run lives.
type Folder string

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

// lock takes the run for this process, whose command is for others to see. The
// folder is made where there is none.
func (f Folder) lock(command string) (*lockfile.Lock, error) {
	if err := os.MkdirAll(string(f), 0o755); err != nil {
		return nil, fmt.Errorf("create the run's folder: %w", err)
	}
	return lockfile.Acquire(filepath.Join(string(f), lockName), command)
}

// Exists says whether a run was begun here.
func (f Folder) Exists() bool {
	_, err := os.Stat(f.Config())
	return err == nil
}

// vacant says why a new run can't begin here, if it can't.
func (f Folder) vacant() error {
	if f.Exists() {
		return fmt.Errorf("%s already holds a run: --resume goes on with it, --run DIR puts the new one elsewhere", f)
	}
	entries, err := os.ReadDir(string(f))
	if err == nil && len(entries) > 0 && !(len(entries) == 1 && entries[0].Name() == lockName) {
		return fmt.Errorf("%s is not empty and holds no run: --run DIR puts the new run elsewhere", f)
	}
	return nil
}

// create makes the folder of a new run and writes its configuration, last, so
// that a folder with a configuration is complete.
func (f Folder) create(c *configs.Config) error {
	if err := f.vacant(); err != nil {
		return err
	}
	for _, dir := range []string{"checkpoints", "replay", "eval"} {
		if err := os.MkdirAll(filepath.Join(string(f), dir), 0o755); err != nil {
			return fmt.Errorf("create the run's folder: %w", err)
		}
	}
	text, err := c.YAML()
	if err != nil {
		return fmt.Errorf("write the run's configuration: %w", err)
	}
	if err := writeFile(f.Config(), text); err != nil {
		return fmt.Errorf("write the run's configuration: %w", err)
	}
	return nil
}

// writeFile puts data under path, all of it or nothing.
func writeFile(path string, data []byte) error { return atomicfile.WriteBytes(osFS, path, data) }

// osFS is where runs live.
var osFS = atomicfile.OS{}
