package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"tengen/checkpoints"
	"tengen/cmd"
	"tengen/internal/random"
	"tengen/replay"
	"tengen/replay/record"
	"tengen/run"
	"tengen/tools/internal/tengen"
	"tengen/vfs"
)

// How a trial ends.
const (
	refused = "refused"
	same    = "same"
	told    = "told"
	silent  = "silent" // a failure, as are those below
	wordy   = "wordy"  // an error of several lines, or without the program's name
	crashed = "panic"
	hung    = "hang"
)

// outcome is the result of a trial.
type outcome struct {
	Trial   int    `json:"trial"`
	Victim  string `json:"victim"`
	Kind    string `json:"kind"`
	Damage  string `json:"damage"`
	Result  string `json:"result"`
	Sound   bool   `json:"inspect_says_sound"`
	Message string `json:"message,omitempty"`
}

func (o *outcome) failed() bool { return !slices.Contains([]string{refused, same, told}, o.Result) }

const iterations = 4

// settings are of the runs that are damaged. The learning rate is constant, so that an iteration
// that is repeated is the same in a longer run.
func settings() []string {
	return append(tengen.Tiny(iterations), "evaluation.every=2", "evaluation.games=4",
		"evaluation.simulations=4", "checkpoints.keep_last=3", "selfplay.workers=1",
		"training.schedule=constant")
}

// stage is the runs that trials need, in a folder.
type stage struct{ dir string }

func (s stage) path(name string) string { return filepath.Join(s.dir, name) }

// call calls the program and returns its status, and what it wrote to its standard error.
func call(args ...string) (status int, said string) {
	var stderr bytes.Buffer
	status = cmd.Main(args, strings.NewReader(""), io.Discard, &stderr)
	return status, stderr.String()
}

func resume(folder string, more ...string) (status int, said string) {
	args := []string{
		"train", "--resume", "--device", "cpu", "--run", folder, "--set",
		fmt.Sprintf("training.iterations=%d", iterations+1),
	}
	return call(append(args, more...)...)
}

// prepare trains the runs.
func (s stage) prepare() error {
	for i, name := range []string{"run", "other"} {
		args := append(tengen.Train(s.path(name), false,
			append(settings(), fmt.Sprint("seed=", i+1))), "--device", "cpu", "--share",
			"127.0.0.1:0")
		if status, said := call(args...); status != 0 {
			return fmt.Errorf("train %s: status %d: %s", name, status, said)
		}
		ahead := s.path(name + "-ahead")
		if err := os.CopyFS(ahead, os.DirFS(s.path(name))); err != nil {
			return err
		}
		if status, said := resume(ahead); status != 0 {
			return fmt.Errorf("resume %s: status %d: %s", name, status, said)
		}
		// Games of the next iteration that workers have played, and that were not used yet.
		games, err := load(ahead)
		if err != nil {
			return err
		}
		id, err := run.Folder(s.path(name)).On(vfs.OS{}).ReadIdentity()
		if err != nil {
			return err
		}
		j, _, _, err := replay.OpenJournal(vfs.OS{},
			filepath.Join(s.path(name), run.ClusterFolder, "journal"), &replay.Owner{
				Run: id.ID, Seed: uint64(i + 1),
			})
		if err != nil {
			return err
		}
		games = slices.DeleteFunc(games, func(g *record.Game) bool {
			return g.Iteration < iterations
		})
		if len(games) < 4 {
			return fmt.Errorf("%s has %d games of the next iteration", ahead, len(games))
		}
		if err := errors.Join(j.Add(games[1:]), j.Close()); err != nil {
			return err
		}
	}
	return nil
}

// load returns all games of a run that can be read.
func load(folder string) ([]*record.Game, error) {
	games, _, err := replay.Load(vfs.OS{}, run.Folder(folder).Replay())
	return games, err
}

// trial makes trial n of a seed in a folder of its own, which it removes unless keep is set.
func (s stage) trial(seed uint64, n int, keep bool) (o *outcome, err error) {
	rng := random.New(seed, random.Test, uint64(n))
	dir := s.path(fmt.Sprintf("trial-%d", n))
	if err := os.CopyFS(dir, os.DirFS(s.path("run"))); err != nil {
		return nil, err
	}
	if !keep {
		defer os.RemoveAll(dir)
	}
	v, err := choose(rng, dir)
	if err != nil {
		return nil, err
	}
	o = &outcome{Trial: n, Victim: v.path, Kind: v.kind()}
	if o.Damage, err = v.harm(rng, dir, s.path("other")); err != nil {
		return nil, fmt.Errorf("%s: %w", v.path, err)
	}
	s.judge(o, dir)
	return o, nil
}

// choose returns a random victim: first a kind, so that each has as many trials.
func choose(rng *rand.Rand, dir string) (victim, error) {
	list, err := victims(dir)
	if err != nil {
		return victim{}, err
	}
	kinds := map[string][]victim{}
	for _, v := range list {
		kinds[v.kind()] = append(kinds[v.kind()], v)
	}
	names := make([]string, 0, len(kinds))
	for name := range kinds {
		names = append(names, name)
	}
	slices.Sort(names)
	among := kinds[names[rng.IntN(len(names))]]
	return among[rng.IntN(len(among))], nil
}

// judge calls the commands for a damaged run, and says how it went.
func (s stage) judge(o *outcome, dir string) {
	status, said := call("inspect", "--all", dir)
	o.Sound = status == 0
	if o.wordy("inspect", status, said) {
		return
	}
	for _, args := range [][]string{
		{"compare", dir},
		{"export", dir, "--format", "safetensors", "--out", filepath.Join(dir, ".out.safetensors")},
		{"watch", dir, "--once"},
	} {
		if status, said := call(args...); o.wordy(args[0], status, said) {
			return
		}
	}
	_ = os.Remove(filepath.Join(dir, ".out.safetensors"))
	var more []string
	if strings.HasPrefix(o.Victim, run.ClusterFolder) {
		more = []string{"--share", "127.0.0.1:0"}
	}
	status, said = resume(dir, more...)
	if o.wordy("train --resume", status, said) {
		return
	}
	o.Message = complaints(said)
	if status != 0 {
		o.Result = refused
		return
	}
	switch difference := s.compare(dir); {
	case difference == "":
		o.Result = same
	case o.Message != "":
		o.Result = told
	default:
		o.Result, o.Message = silent, difference
	}
}

// wordy reports whether a command has ended with more than the one line that is wanted, and notes
// it.
func (o *outcome) wordy(command string, status int, said string) bool {
	lines := errorLines(said)
	ok := status == 0 && len(lines) == 0 || status != 0 && len(lines) <= 1 && status <= 2
	if ok && len(lines) == 1 {
		ok = strings.HasPrefix(lines[0], "tengen: ") && len(lines[0]) < 2000
	}
	if command == "inspect" && status == 1 && len(lines) == 0 {
		ok = true // the report says it
	}
	if !ok {
		o.Result, o.Message = wordy, fmt.Sprintf("%s: status %d: %s", command, status, said)
	}
	return !ok
}

// errorLines are what is said apart from the log and what a resumed run tells of its configuration.
func errorLines(said string) (list []string) {
	for line := range strings.Lines(said) {
		line = strings.TrimRight(line, "\n")
		if line == "" || strings.HasPrefix(line, "trained for ") ||
			strings.HasPrefix(line, "tengen: an older checkpoint is used: ") ||
			strings.Contains(line, " INF ") || strings.Contains(line, " WRN ") ||
			strings.Contains(line, " → ") && !strings.HasPrefix(line, "tengen: ") {
			continue
		}
		list = append(list, line)
	}
	return list
}

// complaints are the lines by which a person learns that something is not as it was: errors,
// warnings, and changes of the configuration other than the one that resume makes.
func complaints(said string) string {
	var list []string
	for line := range strings.Lines(said) {
		line = strings.TrimRight(line, "\n")
		if strings.HasPrefix(line, "tengen: ") || strings.Contains(line, " WRN ") ||
			strings.Contains(line, " → ") && !strings.Contains(line, "(--set)") {
			list = append(list, line)
		}
	}
	return strings.Join(list, "\n")
}

// compare says what a resumed run has other than the undisturbed one: "" if nothing.
func (s stage) compare(dir string) string {
	latest := func(dir string) (*checkpoints.Checkpoint, error) {
		c, _, err := checkpoints.Latest(run.Folder(dir).Checkpoints())
		return c, err
	}
	want, err := latest(s.path("run-ahead"))
	if err != nil {
		return err.Error()
	}
	got, err := latest(dir)
	if err != nil {
		return err.Error()
	}
	if err := tengen.Same(got, want); err != nil {
		return err.Error()
	}
	games, err := load(s.path("run-ahead"))
	if err != nil {
		return err.Error()
	}
	byNumber := map[uint64]*record.Game{}
	for _, g := range games {
		byNumber[g.Number] = g
	}
	if games, err = load(dir); err != nil {
		return err.Error()
	}
	for _, g := range games {
		if w := byNumber[g.Number]; w != nil && !reflect.DeepEqual(g, w) {
			return fmt.Sprintf("game %d is another", g.Number)
		}
	}
	return ""
}

// work makes the trials from one number to another and prints a line of JSON for each.
func (s stage) work(seed uint64, from, to int, keep bool, w io.Writer) error {
	e := json.NewEncoder(w)
	for n := from; n < to; n++ {
		o, err := s.trial(seed, n, keep)
		if err != nil {
			return fmt.Errorf("trial %d: %w", n, err)
		}
		if err := e.Encode(o); err != nil {
			return err
		}
	}
	return nil
}
