package cmd

import (
	"bufio"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"flag"
	"fmt"
	"hash"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"tengen/checkpoints"
	"tengen/nn"
	"tengen/replay"
	"tengen/replay/record"
)

var updateGolden = flag.Bool("update-golden", false, "rewrite cmd/testdata/golden/digests.json")

// TestGoldenRuns trains the configurations of testdata/golden, plays matches with the networks, and
// compares SHA-256 digests of weights, games and matches with the recorded ones. A change that is
// not meant to alter behaviour must leave them alone. After one that is:
//
//	go test ./cmd -run TestGoldenRuns -update-golden
//
// The digests are of values, not of files, so that formats may change. They hold for amd64 and the
// portable kernels.
func TestGoldenRuns(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("recorded on amd64: other processors round differently")
	}
	const file = "testdata/golden/digests.json"
	want := map[string]map[string]string{}
	if text, err := os.ReadFile(file); err != nil && !*updateGolden {
		t.Fatal(err)
	} else if err == nil {
		if err := json.Unmarshal(text, &want); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
	}
	var mu sync.Mutex
	got := map[string]map[string]string{}
	t.Run("runs", func(t *testing.T) { // returns when its parallel subtests are done
		for name, opponents := range map[string][]string{
			"alphazero": {"--games", "6", "az:RUN,simulations=12",
				"uct:simulations=30,utility=unit", "random"},
			"descent": {"--games", "6", "ubfm:RUN,iterations=6", "descent:RUN,iterations=2",
				"uct:simulations=20"},
			"sgd": {"--games", "8", "az:RUN,simulations=12", "uct:simulations=30"},
			"gumbel": {"--games", "6", "az:RUN,simulations=12,root=gumbel",
				"az:RUN,simulations=12,root=gumbel,interior=puct,considered=3",
				"az:RUN,simulations=12"},
			"belief": {"--games", "6", "az:RUN,simulations=6,belief=RUN",
				"uct:simulations=20,belief=RUN,worlds=8",
				"alphabeta:depth=2,determinizations=4,belief=RUN"},
			"cards": {"--games", "6", "az:RUN,simulations=6", "uct:simulations=10",
				"expectiminimax:depth=1"},
			"pipelined": {"--games", "6", "az:RUN,simulations=12", "uct:simulations=30"},
			"connect-four": {"--games", "6", "az:RUN,simulations=12,root=gumbel",
				"az:RUN,simulations=12", "uct:simulations=30"},
			"hypergammon": {"--games", "6", "az:RUN,simulations=8,root=gumbel",
				"az:RUN,simulations=8", "uct:simulations=10"},
			"kuhn": {"--games", "8", "policy:RUN", "az:RUN,simulations=12,root=gumbel",
				"az:RUN,simulations=12,observers=multiple"},
			"heads": {"--games", "4", "az:RUN,simulations=6", "uct:simulations=10"},
			"turtles": {"--games", "6", "az:RUN,simulations=12",
				"uct:simulations=30,rollout=hybrid,observers=multiple",
				"alphabeta:depth=2,strategy=hybrid"},
		} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				digests := trainAndPlay(t, name, opponents)
				mu.Lock()
				got[name] = digests
				mu.Unlock()
			})
		}
	})
	if *updateGolden && !t.Failed() {
		text, err := json.MarshalIndent(got, "", "\t")
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, append(text, '\n'), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	for name, digests := range want {
		for part, d := range digests {
			if got[name][part] != d {
				t.Errorf("%s: the %s have the digest %q, want %q", name, part, got[name][part], d)
			}
		}
	}
}

// trainAndPlay trains a configuration and plays a match. It returns the digests by what they are
// of.
func trainAndPlay(t *testing.T, name string, opponents []string) map[string]string {
	dir := t.TempDir()
	run, match := filepath.Join(dir, "run"), filepath.Join(dir, "match")
	runPortable(t, "train", "testdata/golden/"+name+".yaml", "--run", run)
	args := []string{"arena", "--save", match, "--seed", "5"}
	for _, a := range opponents {
		args = append(args, strings.ReplaceAll(a, "RUN", run))
	}
	runPortable(t, args...)
	return map[string]string{
		"weights":     digest(t, run, hashWeights),
		"games":       digest(t, run, hashGames),
		"evaluations": digest(t, filepath.Join(run, "eval", "games.jsonl"), hashEvaluation),
		"match":       digest(t, filepath.Join(match, "match.jsonl"), hashMatch),
	}
}

// runPortable runs tengen on the portable kernels.
func runPortable(t *testing.T, args ...string) {
	t.Helper()
	c := exec.Command("tengen", args...)
	c.Env = append(os.Environ(), "TENGEN_KERNELS=portable")
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("tengen %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

func digest(t *testing.T, path string, write func(t *testing.T, h hash.Hash, path string)) string {
	t.Helper()
	h := sha256.New()
	write(t, h, path)
	return fmt.Sprintf("%x", h.Sum(nil))
}

// hashWeights covers the networks, averages and solver states of a run's checkpoints.
func hashWeights(t *testing.T, h hash.Hash, run string) {
	list, err := checkpoints.List(filepath.Join(run, "checkpoints"))
	if err != nil || len(list) == 0 {
		t.Fatalf("%d checkpoints, %v", len(list), err)
	}
	for _, e := range list {
		c, err := checkpoints.Load(e.Path)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintln(h, c.Iteration, c.Step)
		hashTensors(h, c.Params.Tensors)
		if c.Average != nil {
			hashTensors(h, c.Average.Tensors)
		}
		hashTensors(h, c.Optimizer)
	}
}

func hashTensors(h hash.Hash, tensors []nn.Tensor) {
	for _, t := range tensors {
		fmt.Fprintln(h, t.Name, t.Shape)
		binary.Write(h, binary.LittleEndian, t.Data)
	}
}

// hashGames covers the records of a run's replay, targets and trees included.
func hashGames(t *testing.T, h hash.Hash, run string) {
	files, err := filepath.Glob(filepath.Join(run, "replay", "*.games"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%d segments, %v", len(files), err)
	}
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		games, damages := replay.ReadSegment(f, data)
		if len(damages) > 0 {
			t.Fatal(damages[0])
		}
		for _, g := range games {
			hashGame(h, g)
		}
	}
}

// hashGame covers what training reads of a game: who played, what was played, targets and results.
func hashGame(h hash.Hash, g *record.Game) {
	fmt.Fprintln(h, g.Number, g.Name, g.Seed, g.Iteration, g.Prefix)
	for _, s := range g.Seats {
		fmt.Fprintln(h, s.Kind, s.Step)
	}
	for _, m := range g.Moves {
		fmt.Fprintln(h, m.Action, m.Mover, m.Value)
		hashTarget(h, m)
	}
	fmt.Fprintln(h, g.Scores, g.Returns, g.Outcome)
	for _, t := range g.Trees {
		fmt.Fprintln(h, t.Ply, t.Depths, t.Actions, t.Values)
	}
}

// hashTarget covers a policy target, in the order of actions and without those that it leaves out.
func hashTarget(h hash.Hash, m record.Move) {
	var lines []string
	for i, v := range m.Visits {
		var p uint16
		if len(m.Policy) > 0 {
			p = m.Policy[i]
		}
		if v.N > 0 || p > 0 {
			lines = append(lines, fmt.Sprintf("%6d %d %v\n", v.Action, v.N, p))
		}
	}
	slices.Sort(lines)
	fmt.Fprint(h, lines)
}

// hashEvaluation covers the games of the last network against UCT. Other evaluations may be left
// out, and with them games of the last network against earlier ones, if the machine is busy.
func hashEvaluation(t *testing.T, h hash.Hash, path string) {
	lines := readLines(t, path)
	last := lines[len(lines)-1]["evaluation"]
	hashLines(t, h, lines, []string{
		"number", "players", "scores",
	}, func(line map[string]json.RawMessage) bool {
		return string(line["evaluation"]) == string(last) &&
			strings.Contains(string(line["players"]), "uct")
	})
}

// hashMatch covers the games of a match.
func hashMatch(t *testing.T, h hash.Hash, path string) {
	fields := []string{"number", "seating", "actions", "scores", "returns"}
	hashLines(t, h, readLines(t, path), fields, func(line map[string]json.RawMessage) bool {
		return line["number"] != nil // the first line describes the match
	})
}

// hashLines covers some fields of some lines, in an order of their own: games are kept in the order
// in which they ended.
func hashLines(
	t *testing.T, h hash.Hash, lines []map[string]json.RawMessage, fields []string,
	covered func(map[string]json.RawMessage) bool,
) {
	var texts []string
	for _, line := range lines {
		if !covered(line) {
			continue
		}
		text := ""
		for _, field := range fields {
			text += fmt.Sprintln(field, string(line[field]))
		}
		texts = append(texts, text)
	}
	if len(texts) == 0 {
		t.Fatalf("no game with %v", fields)
	}
	slices.Sort(texts)
	fmt.Fprint(h, texts)
}

// readLines reads a file of JSON lines.
func readLines(t *testing.T, path string) []map[string]json.RawMessage {
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var lines []map[string]json.RawMessage
	for s := bufio.NewScanner(f); s.Scan(); {
		var line map[string]json.RawMessage
		if err := json.Unmarshal(s.Bytes(), &line); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		lines = append(lines, line)
	}
	if len(lines) == 0 {
		t.Fatalf("%s is empty", path)
	}
	return lines
}
