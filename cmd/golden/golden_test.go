package golden

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

	"github.com/rogpeppe/go-internal/testscript"

	"tengen/checkpoints"
	"tengen/cmd"
	"tengen/game"
	"tengen/nn"
	"tengen/replay"
)

var updateGolden = flag.Bool("update-golden", false, "rewrite cmd/testdata/golden/digests.json")

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"tengen": func() { os.Exit(cmd.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) },
	})
}

// TestGoldenRuns compares the digests of tiny runs and matches with the recorded ones.
func TestGoldenRuns(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("recorded on amd64: other processors round differently")
	}
	const file = "../testdata/golden/digests.json"
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
			"alphazero":  {"--games", "6", "az:RUN,simulations=12", "uct:simulations=30,utility=unit", "random"},
			"descent":    {"--games", "6", "ubfm:RUN,iterations=6", "descent:RUN,iterations=2", "uct:simulations=20"},
			"gated":      {"--games", "8", "az:RUN,simulations=12", "uct:simulations=30"},
			"gumbel":     {"--games", "6", "az:RUN,simulations=12,root=gumbel", "az:RUN,simulations=12,root=gumbel,interior=puct,considered=3", "az:RUN,simulations=12"},
			"belief":     {"--games", "6", "az:RUN,simulations=6,belief=RUN", "uct:simulations=20,belief=RUN,worlds=8", "alphabeta:depth=2,determinizations=4,belief=RUN"},
			"cards":      {"--games", "6", "az:RUN,simulations=6", "uct:simulations=10", "expectiminimax:depth=1"},
			"population": {"--games", "6", "az:RUN,simulations=12", "uct:simulations=30"},
			"pipelined":  {"--games", "6", "az:RUN,simulations=12", "uct:simulations=30"},
			"heads":      {"--games", "6", "az:RUN,simulations=6", "uct:simulations=10"},
			"turtles":    {"--games", "6", "az:RUN,simulations=12", "uct:simulations=30,rollout=hybrid,observers=multiple", "alphabeta:depth=2,strategy=hybrid"},
		} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				digests := play(t, name, opponents)
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

// play trains a configuration and plays a match, and returns the digests by what they are of.
func play(t *testing.T, name string, opponents []string) map[string]string {
	dir := t.TempDir()
	run, match := filepath.Join(dir, "run"), filepath.Join(dir, "match")
	runPortable(t, "train", "../testdata/golden/"+name+".yaml", "--run", run)
	args := []string{"arena", "--save", match, "--seed", "5"}
	for _, a := range opponents {
		args = append(args, strings.ReplaceAll(a, "RUN", run))
	}
	runPortable(t, args...)
	return map[string]string{
		"weights":     digest(t, run, hashWeights),
		"games":       digest(t, run, hashGames),
		"evaluations": digest(t, filepath.Join(run, "eval", "games.jsonl"), hashLines("number", "players", "scores")),
		"match":       digest(t, filepath.Join(match, "match.jsonl"), hashLines("number", "seating", "actions", "scores", "returns")),
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
		fmt.Fprintln(h, c.Iteration, c.Step, c.Best)
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

// hashGame covers a game. What was added to records later is covered where it is present, so that
// the digests of games without it stay.
func hashGame(h hash.Hash, g *replay.Game) {
	type move struct {
		Action game.Action
		Mover  game.Player
		Visits []replay.Visit
		Value  []float32
	}
	type seat struct {
		Kind replay.SeatKind
		Step uint64
	}
	seats := make([]seat, len(g.Seats))
	for i, s := range g.Seats {
		seats[i] = seat{s.Kind, s.Step}
	}
	moves := make([]move, len(g.Moves))
	for i, m := range g.Moves {
		moves[i] = move{m.Action, m.Mover, m.Visits, m.Value}
	}
	fmt.Fprintln(h, struct {
		Number          uint64
		Name            string
		Seed            uint64
		Iteration       int
		Seats           []seat
		Moves           []move
		Scores, Returns []float32
		Outcome         []float32
		Trees           []replay.Tree
	}{g.Number, g.Name, g.Seed, g.Iteration, seats, moves, g.Scores, g.Returns, g.Outcome, g.Trees})
	for i, m := range g.Moves {
		if len(m.Policy) > 0 {
			fmt.Fprintln(h, i, m.Policy)
		}
	}
	for i, s := range g.Seats {
		if s.Name != "" {
			fmt.Fprintln(h, i, s.Name)
		}
	}
	if g.Prefix > 0 {
		fmt.Fprintln(h, g.Prefix)
	}
	if g.EndOrder || len(g.Refreshes) > 0 {
		fmt.Fprintln(h, g.EndOrder, g.Stream, g.Refreshes)
	}
}

// hashLines covers some fields of a file of JSON lines.
func hashLines(fields ...string) func(t *testing.T, h hash.Hash, path string) {
	return func(t *testing.T, h hash.Hash, path string) {
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		var lines []string // sorted: a match is kept in the order in which its games ended
		for s := bufio.NewScanner(f); s.Scan(); {
			var line map[string]json.RawMessage
			if err := json.Unmarshal(s.Bytes(), &line); err != nil {
				t.Fatalf("%s: %v", path, err)
			}
			text := ""
			for _, field := range fields {
				if v, ok := line[field]; ok {
					text += fmt.Sprintln(field, string(v))
				}
			}
			lines = append(lines, text)
		}
		slices.Sort(lines)
		fmt.Fprint(h, lines)
		if len(lines) == 0 {
			t.Fatalf("%s has none of %v", path, fields)
		}
	}
}
