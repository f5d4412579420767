package run

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"tengen/checkpoints"
	"tengen/configs"
	"tengen/game"
	"tengen/internal/notation"
	"tengen/nn"
	"tengen/search/nneval"
	"tengen/vfs"
)

// Names in a run's folder.
const (
	ConfigFile          = "config.yaml"
	IdentityFile        = "run.json"
	LockFile            = "LOCK"
	ClusterFolder       = "cluster" // of those who play on other machines; see package cluster/hub
	EventsFile          = "events.jsonl"
	CheckpointsFolder   = checkpoints.Folder
	ReplayFolder        = "replay"
	EvalFolder          = "eval"
	EvaluationGamesFile = "games.jsonl"  // in EvalFolder
	RatingsFile         = "ratings.json" // in EvalFolder
	StalledFile         = "stalled.txt"
)

// Folder is the path of a run's folder.
type Folder string

// Name returns the run's name: the last element of the folder's absolute path.
func (f Folder) Name() string {
	if path, err := filepath.Abs(string(f)); err == nil {
		return filepath.Base(path)
	}
	return filepath.Base(string(f))
}

func (f Folder) join(names ...string) string {
	return filepath.Join(append([]string{string(f)}, names...)...)
}

// Config returns the path of the run's configuration, with every default written out.
func (f Folder) Config() string { return f.join(ConfigFile) }

// Identity returns the path of the run's identity.
func (f Folder) Identity() string { return f.join(IdentityFile) }

// EarlierConfig returns the path of the configuration with which the run was trained
// up to an iteration, where it was changed afterwards.
func (f Folder) EarlierConfig(iteration int) string {
	return f.join("config." + IterationName(iteration) + ".yaml")
}

// Checkpoints returns the path of the folder of checkpoints.
func (f Folder) Checkpoints() string { return f.join(CheckpointsFolder) }

// Checkpoint returns the path of an iteration's checkpoint.
func (f Folder) Checkpoint(iteration int) string {
	return f.join(CheckpointsFolder, IterationName(iteration))
}

// Replay returns the path of the folder of games.
func (f Folder) Replay() string { return f.join(ReplayFolder) }

// Events returns the path of the event log.
func (f Folder) Events() string { return f.join(EventsFile) }

// Evaluation returns the path of the result of the evaluation of an iteration's network.
func (f Folder) Evaluation(iteration int) string {
	return f.join(EvalFolder, IterationName(iteration)+".json")
}

// EvaluationGames returns the path of the log of the games of all evaluations.
func (f Folder) EvaluationGames() string { return f.join(EvalFolder, EvaluationGamesFile) }

// Ratings returns the path of the ratings of all evaluated networks.
func (f Folder) Ratings() string { return f.join(EvalFolder, RatingsFile) }

// Stalled returns the path of what the process did when the run made no progress, as text. It is
// missing if that never was.
func (f Folder) Stalled() string { return f.join(StalledFile) }

// Picture returns the path of the picture of the run.
func (f Folder) Picture() string { return f.join(EvalFolder, "learning.svg") }

// IterationName returns an iteration's number as it is in file names: 000042.
func IterationName(iteration int) string { return checkpoints.Name(iteration) }

// EvaluationOf returns the iteration of a result in EvalFolder: 42 for 000042.json.
func EvaluationOf(name string) (iteration int, ok bool) { return iterationOf(name, "", ".json") }

// EarlierConfigOf returns the iteration of an earlier configuration: 42 for config.000042.yaml.
func EarlierConfigOf(name string) (iteration int, ok bool) {
	return iterationOf(name, "config.", ".yaml")
}

func iterationOf(name, prefix, suffix string) (int, bool) {
	number, hasPrefix := strings.CutPrefix(name, prefix)
	number, hasSuffix := strings.CutSuffix(number, suffix)
	n, err := strconv.ParseUint(number, 10, 32)
	return int(n), hasPrefix && hasSuffix && err == nil && len(number) >= 6 && len(number) <= 9
}

// Exists reports whether the folder holds a run.
func (f Folder) Exists() bool { return f.On(nil).Exists() }

// Holder returns the process that holds the run's lock, and nil if there is none. The
// error is errors.ErrUnsupported where the file system has no locks.
func (f Folder) Holder() (*vfs.Holder, error) { return vfs.OS{}.LockHolder(f.join(LockFile)) }

// ReadConfig reads the run's configuration.
func (f Folder) ReadConfig() (*configs.Config, error) { return f.On(nil).ReadConfig() }

// History reads the event log. It skips lines that it can't read, such as one that a
// crash cut short.
func (f Folder) History() ([]Event, error) { return f.On(nil).History() }

// Path returns the path that a user's text stands for: RUN@10 is the checkpoint of iteration 10 of
// the run in the folder RUN, unless there is a file of that name. Other texts are paths.
func Path(text string) string {
	i := strings.LastIndexByte(text, '@')
	if i < 1 {
		return text
	}
	iteration, err := strconv.Atoi(text[i+1:])
	if err != nil || iteration < 0 || strings.Trim(text[i+1:], "0123456789") != "" {
		return text
	}
	if _, err := os.Lstat(text); err == nil {
		return text
	}
	f := Folder(text[:i])
	if !f.Exists() {
		return text
	}
	return f.Checkpoint(iteration)
}

// Find returns the run that a path belongs to: the path itself, or the folder above
// a folder of checkpoints, a checkpoint, or a file of one. It returns "" if the path
// belongs to no run.
func Find(path string) (Folder, error) {
	dir, err := filepath.Abs(path)
	if err != nil {
		return "", fmt.Errorf("find the run of %s: %w", path, err)
	}
	for range 4 {
		f := Folder(dir)
		if _, err := os.Stat(f.Checkpoints()); err == nil && f.Exists() {
			return f, nil
		}
		dir = filepath.Dir(dir)
	}
	return "", nil
}

// DidYouMean suggests what a path at which there is nothing stands for: the nearest of the given
// names, or else of the folders beside it; of a path with a folder in it the other way round. See
// spec.DidYouMean.
func DidYouMean(path string, names ...string) string {
	name, beside := notation.DidYouMean(path, names), nearestBeside(path)
	if strings.ContainsRune(path, filepath.Separator) {
		name, beside = beside, name
	}
	return cmp.Or(name, beside)
}

// nearestBeside suggests a folder, or a file of weights, in the folder of a path.
func nearestBeside(path string) string {
	dir, base := filepath.Split(strings.TrimRight(path, string(filepath.Separator)))
	entries, err := os.ReadDir(cmp.Or(dir, "."))
	if err != nil {
		return "" // there is no such folder either
	}
	var names []string
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), ".") &&
			(e.IsDir() || strings.HasSuffix(e.Name(), ".safetensors")) {
			names = append(names, e.Name())
		}
	}
	for _, name := range names {
		if near := notation.DidYouMean(base, names); near == notation.DidYouMean(base,
			[]string{name}) && near != "" {
			return fmt.Sprintf(" (did you mean %q?)", dir+name)
		}
	}
	return ""
}

// NetworkSpec returns the shape of the network that a configuration asks for. The
// networks of Descent and of search.afterstates have no policy.
func NetworkSpec(c *configs.Config, g game.Game) (nn.Spec, error) {
	size := nneval.Size{
		Blocks: c.Network.Blocks, Filters: c.Network.Filters, Hidden: c.Network.Hidden,
		Policy: c.Network.Policy, Value: c.Network.Value,
	}
	switch {
	case c.Algorithm == configs.AlgorithmDescent:
		size.Policy, size.Value = nn.PolicyNone, nn.ValueLinear
	case c.Search.Afterstates:
		size.Policy = nn.PolicyNone
	}
	spec, err := nneval.Spec(g, size)
	if err != nil {
		return nn.Spec{}, err
	}
	if c.Training.LabelWeight > 0 {
		cells, seats := game.AuxiliaryTargetsOf(g)
		for _, l := range cells {
			spec.Auxiliary.Cells = append(spec.Auxiliary.Cells, l.Classes)
		}
		spec.Auxiliary.Seats = len(seats)
	}
	if c.Training.BeliefWeight > 0 {
		for _, s := range game.HiddenFactsOf(g) {
			spec.Auxiliary.Belief = append(spec.Auxiliary.Belief, s.Classes)
		}
	}
	return spec, spec.Validate()
}
