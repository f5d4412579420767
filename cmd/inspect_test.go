package cmd

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tengen/arena"
	"tengen/checkpoints"
	"tengen/checkpoints/safetensors"
	"tengen/evaluate"
	"tengen/game"
	"tengen/internal/atomicfile"
	"tengen/internal/lockfile"
	"tengen/internal/stream"
	"tengen/nn"
	"tengen/replay"
)

// randomRecord plays a game at random, as a run would record it.
func randomRecord(g game.Game, number, seed uint64) *replay.Game {
	rng := stream.New(seed, stream.Test, number)
	rec := &replay.Game{Number: number, Name: g.Name(), Seed: seed, Scores: make([]float32, g.Players()), Returns: make([]float32, g.Players())}
	for p := range g.Players() {
		rec.Seats = append(rec.Seats, replay.Seat{Kind: replay.UCT})
		if p == 0 {
			rec.Seats[0] = replay.Seat{Kind: replay.Network, Step: 42}
		}
	}
	s := g.NewState()
	for s.Mover() != game.Nobody {
		legal := s.Legal(nil)
		m := replay.Move{Mover: s.Mover(), Action: legal[rng.IntN(len(legal))]}
		if len(legal) > 1 {
			for _, a := range legal {
				m.Visits = append(m.Visits, replay.Visit{Action: a, N: 2})
			}
			m.Value = make([]float32, g.Players())
		}
		rec.Moves = append(rec.Moves, m)
		s.Apply(m.Action)
	}
	game.Scores(s, rec.Scores)
	s.Returns(rec.Returns)
	return rec
}

// keep appends games of the given numbers to a replay, some to a segment.
func keep(t testing.TB, dir string, g game.Game, from, to int, seed uint64) {
	t.Helper()
	l, err := replay.OpenLog(atomicfile.OS{}, dir, 4)
	if err != nil {
		t.Fatal(err)
	}
	for n := from; n < to; n++ {
		if err := l.Append(randomRecord(g, uint64(n), seed)); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
}

// tinyNetwork is a network for a game.
func tinyNetwork(t testing.TB, g game.Game) *nn.Params {
	t.Helper()
	spec, err := evaluate.Spec(g, evaluate.Size{Filters: 1, Hidden: 1})
	if err != nil {
		t.Fatal(err)
	}
	params, err := nn.NewParams(spec)
	if err != nil {
		t.Fatal(err)
	}
	params.Init(stream.New(1, stream.Test))
	return params
}

// inspectedRun makes a run in the folder run: checkpoints 1 (without counters),
// 2 and 3, and 12 games in the segments 0–3, 4–7, 8–8 (9 and 10 were played
// again), 9–11.
func inspectedRun(t testing.TB) {
	t.Helper()
	g := game.Must(game.New("tictactoe"))
	for _, dir := range []string{"run/checkpoints", "run/replay", "run/eval"} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	put(t, "run/config.yaml", "game: tictactoe\ntraining:\n  iterations: 3\n")
	put(t, "run/events.jsonl", `{"time":"2026-11-21T12:00:00Z","event":"start","iteration":0}`+"\n"+
		`{"time":"2026-11-21T12:01:00Z","event":"iteration","iteration":1}`+"\n"+`{"time":"2026-11-21T12:02:00Z","event":"iteration","iteration":2}`+"\n")
	put(t, "run/eval/games.jsonl", `{"evaluation":2,"number":0,"players":["uct","000002"],"scores":[0,1]}`+"\n")
	for iteration := 1; iteration <= 3; iteration++ {
		c := &checkpoints.Checkpoint{Iteration: iteration, Step: uint64(10 * iteration), Game: g.Name(), Params: tinyNetwork(t, g)}
		if iteration > 1 {
			c.State = json.RawMessage(fmt.Sprintf(`{"iteration": %d, "games": %d}`, iteration, 4*iteration))
		}
		if _, err := checkpoints.Save("run/checkpoints", c); err != nil {
			t.Fatal(err)
		}
	}
	keep(t, "run/replay", g, 0, 11, 1)
	keep(t, "run/replay", g, 9, 12, 2)
}

func put(t testing.TB, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func get(t testing.TB, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// inspected is what `tengen inspect --json` finds.
func inspected(t *testing.T, args string) (status int, found inspection, stderr string) {
	t.Helper()
	status, stdout, stderr := tengen(t, "", "inspect --json "+args)
	if err := json.Unmarshal([]byte(stdout), &found); err != nil {
		t.Fatalf("inspect %s: status %d, %v: %q, %q", args, status, err, stdout, stderr)
	}
	if (status == 0) != found.Sound || found.Sound != (found.Damages == 0) || found.Damages > 0 && len(found.Damaged) == 0 {
		t.Fatalf("inspect %s: status %d, sound %v, %d damages: %v", args, status, found.Sound, found.Damages, found.Damaged)
	}
	if status == 0 && stderr != "" || status != 0 && strings.Count(stderr, "\n") != 1 {
		t.Fatalf("inspect %s: status %d, %q", args, status, stderr)
	}
	return status, found, stderr
}

func TestInspectRun(t *testing.T) {
	t.Chdir(t.TempDir())
	inspectedRun(t)
	lock, err := lockfile.Acquire(filepath.Join("run", lockName), "tengen train")
	if err != nil {
		t.Fatal(err)
	}
	name := game.Must(game.New("tictactoe")).Name()
	for _, all := range []bool{false, true} {
		args := "run"
		if all {
			args += " --all"
		}
		status, f, stderr := inspected(t, args)
		if status != 0 || len(f.Notes) > 0 {
			t.Fatalf("status %d, %q, notes %v", status, stderr, f.Notes)
		}
		if f.Kind != kindRun || f.Run.Game != name || f.Run.Algorithm != "alphazero" || f.Run.Iterations != 3 || f.Run.Holder == nil || f.Run.Holder.PID != os.Getpid() {
			t.Errorf("run: %+v", *f.Run)
		}
		verified := 1
		if all {
			verified = 3
		}
		if c := f.Checkpoints; c.Count != 3 || c.Verified != verified || all != (len(c.Iterations) == 3) {
			t.Errorf("checkpoints: %+v", *c)
		}
		if c := f.Checkpoint; c.Iteration != 3 || c.Step != 30 || c.Game != name || c.Games == nil || *c.Games != 12 || c.Parameters != tinyNetwork(t, game.Must(game.New(name))).Count() {
			t.Errorf("checkpoint: %+v", *c)
		}
		plies := 0
		for n := range uint64(12) {
			seed := uint64(1)
			if n >= 9 {
				seed = 2
			}
			plies += len(randomRecord(game.Must(game.New(name)), n, seed).Moves)
		}
		r := f.Replay
		if r.Segments != 4 || r.Games != 12 || r.Replaced != 2 || *r.First != 0 || *r.Last != 11 || r.Plies != int64(plies) || !slices.Equal(r.Of, []string{name}) {
			t.Errorf("replay: %+v", *r)
		}
		if all && (len(r.List) != 4 || r.List[2].Games != 1 || r.List[2].Replaced != 2 || *r.List[3].First != 9) {
			t.Errorf("segments: %+v", r.List)
		}
		if e := f.Events; e.Lines != 3 || e.PassedOver != 0 || !slices.Equal(e.Kinds, []string{"start", "iteration"}) || !slices.Equal(e.Counts, []int{1, 2}) || e.Last.Minute() != 2 {
			t.Errorf("events: %+v", *e)
		}
		if e := f.Evaluations; e.Lines != 1 || e.PassedOver != 0 {
			t.Errorf("evaluation games: %+v", *e)
		}
	}
	if err := lock.Release(); err != nil {
		t.Fatal(err)
	}
	if _, f, _ := inspected(t, "run"); f.Run.Holder != nil {
		t.Errorf("after its end the run is held by %+v", f.Run.Holder)
	}
	for path, kind := range map[string]string{
		"run/checkpoints": kindCheckpoints, "run/checkpoints/000002": kindCheckpoint, "run/checkpoints/000002/model.safetensors": kindModel,
		"run/checkpoints/000002/optimizer.safetensors": kindTensors, "run/replay": kindReplay, "run/replay/000001.games": kindSegment,
		"run/events.jsonl": kindEvents, "run/eval/games.jsonl": kindEvaluations,
	} {
		if status, f, stderr := inspected(t, path); status != 0 || f.Kind != kind {
			t.Errorf("%s: status %d, kind %q, %q", path, status, f.Kind, stderr)
		}
	}
	if _, f, _ := inspected(t, "run/replay/000002.games"); f.Replay.Games != 3 || *f.Replay.First != 8 || *f.Replay.Last != 10 {
		t.Errorf("a segment by itself: %+v", *f.Replay)
	}
}

// cut shortens a file by n bytes.
func cut(t testing.TB, path string, n int) {
	data := get(t, path)
	put(t, path, string(data[:len(data)-n]))
}

// flip turns a bit, at offset from the start, or, below zero, from the end.
func flip(t testing.TB, path string, offset int) {
	data := get(t, path)
	if offset < 0 {
		offset += len(data)
	}
	data[offset] ^= 1
	put(t, path, string(data))
}

func TestInspectFindsDamage(t *testing.T) {
	g := game.Must(game.New("tictactoe"))
	for _, c := range []struct {
		name    string
		spoil   func(t *testing.T)
		args    string
		damages int
		want    string // within the text of a damage, or, where there is none, of a note
	}{
		{"a bit of the newest network", func(t *testing.T) { flip(t, "run/checkpoints/000003/model.safetensors", -1) }, "run", 1,
			"run/checkpoints/000003: model.safetensors: changed since it was written"},
		{"a bit of an older network", func(t *testing.T) { flip(t, "run/checkpoints/000001/model.safetensors", -1) }, "run", 0, ""},
		{"a bit of an older network", func(t *testing.T) { flip(t, "run/checkpoints/000001/model.safetensors", -1) }, "run --all", 1,
			"run/checkpoints/000001: model.safetensors: changed"},
		{"a file of a checkpoint", func(t *testing.T) { os.Remove("run/checkpoints/000003/state.json") }, "run/checkpoints", 1,
			"000003: state.json: missing"},
		{"a checkpoint's manifest", func(t *testing.T) { os.Remove("run/checkpoints/000003/manifest.json") }, "run/checkpoints/000003", 1,
			"000003: manifest.json: missing"},
		{"a checkpoint under another number", func(t *testing.T) { os.Rename("run/checkpoints/000003", "run/checkpoints/000004") }, "run", 1,
			"000004: it is of iteration 3"},
		{"an incomplete checkpoint", func(t *testing.T) { os.Mkdir("run/checkpoints/.000004.tmp", 0o755) }, "run", 0, ".000004.tmp: not complete"},
		{"a record within a segment", func(t *testing.T) { flip(t, "run/replay/000001.games", 50) }, "run", 1,
			"run/replay/000001.games, bytes 16 to "},
		{"a segment's header", func(t *testing.T) { flip(t, "run/replay/000001.games", 3) }, "run", 1, "000001.games, bytes 0 to 16: "},
		{"a segment's end, whose game is missing", func(t *testing.T) { cut(t, "run/replay/000001.games", 1) }, "run", 1,
			"000001.games, bytes "},
		{"a segment's end, whose game was played again", func(t *testing.T) { cut(t, "run/replay/000002.games", 1) }, "run", 0,
			"no game is missing: damaged tail after 2 good games"},
		{"the last segment's end, which a checkpoint counts", func(t *testing.T) { cut(t, "run/replay/000003.games", 1) }, "run", 1,
			"000003.games, bytes "},
		{"the last segment's end, which no checkpoint counts", func(t *testing.T) {
			keep(t, "run/replay", g, 12, 14, 2)
			cut(t, "run/replay/000004.games", 1)
		}, "run", 0, "no game is missing: damaged tail after 1 good games"},
		{"a segment of which nothing was written", func(t *testing.T) { put(t, "run/replay/000004.games", "") }, "run", 0, "no game is missing"},
		{"a segment's end in a folder by itself", func(t *testing.T) { cut(t, "run/replay/000003.games", 1) }, "run/replay", 1, "damaged tail"},
		{"a segment", func(t *testing.T) { os.Remove("run/replay/000001.games") }, "run", 1, "run/replay/000002.games: games 4 to 7 are missing"},
		{"the last segment", func(t *testing.T) { os.Remove("run/replay/000003.games") }, "run", 1,
			"run/replay: game 11 is missing, which the newest checkpoint counts"},
		{"the first segment", func(t *testing.T) { os.Remove("run/replay/000000.games") }, "run", 0, ""},
		{"another file among the segments", func(t *testing.T) { put(t, "run/replay/000003.games", strings.Repeat("text\n", 9)) }, "run", 2, "not the header of a replay segment"},
		{"a game against the rules", func(t *testing.T) {
			bad := randomRecord(g, 12, 1)
			bad.Moves[1].Action = bad.Moves[0].Action
			l, _ := replay.OpenLog(atomicfile.OS{}, "run/replay", 4)
			l.Append(bad)
			l.Close()
		}, "run --all", 1, "game 12, ply 1: action"},
		{"a game that is not known", func(t *testing.T) {
			strange := randomRecord(g, 12, 1)
			strange.Name = "hex:size=5"
			l, _ := replay.OpenLog(atomicfile.OS{}, "run/replay", 4)
			l.Append(strange)
			l.Close()
		}, "run --all", 0, `game 12 is of "hex:size=5", which this program does not know`},
		{"the configuration", func(t *testing.T) { put(t, "run/config.yaml", "gaem: go\n") }, "run", 1, `(did you mean "game"?)`},
		{"no configuration", func(t *testing.T) { os.Remove("run/config.yaml") }, "run", 1, "run/config.yaml: missing"},
		{"another game's configuration", func(t *testing.T) { put(t, "run/config.yaml", "game: go:size=3\n") }, "run", 1, "a network for mnk:"},
		{"a network of another shape", func(t *testing.T) {
			c := &checkpoints.Checkpoint{Iteration: 4, Game: g.Name(), Params: tinyNetwork(t, game.Must(game.New(smallGo)))}
			if _, err := checkpoints.Save("run/checkpoints", c); err != nil {
				t.Fatal(err)
			}
		}, "run/checkpoints", 1, "run/checkpoints/000004: "},
		{"a line of the events", func(t *testing.T) { flip(t, "run/events.jsonl", 0) }, "run", 0, "run/events.jsonl, line 1: passed over by readers"},
		{"the end of the events", func(t *testing.T) { cut(t, "run/events.jsonl", 1) }, "run", 0, "line 3: the last line was cut off"},
		{"a number that is none", func(t *testing.T) {
			var b bytes.Buffer
			if err := safetensors.Write(&b, []nn.Tensor{{Name: "x", Shape: []int{2}, Data: []float32{1, float32(math.NaN())}}}, nil); err != nil {
				t.Fatal(err)
			}
			put(t, "run/x.safetensors", b.String())
		}, "run/x.safetensors", 1, "number 1 of tensor x is NaN"},
		{"tensors that are no network", func(t *testing.T) {
			data := get(t, "run/checkpoints/000002/optimizer.safetensors")
			put(t, "run/model.safetensors", string(data))
		}, "run/model.safetensors", 1, "malformed: its metadata name no game"},
		{"a match", func(t *testing.T) {
			if status, _, stderr := tengen(t, "", "arena random random --game tictactoe --games 4 --save match"); status != 0 {
				t.Fatal(stderr)
			}
			flip(t, "match/match.jsonl", -20)
		}, "match", 1, "match/match.jsonl: line 5 is passed over"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			inspectedRun(t)
			c.spoil(t)
			_, f, stderr := inspected(t, c.args)
			if f.Damages != c.damages {
				t.Errorf("%d damages, want %d: %v", f.Damages, c.damages, f.Damaged)
			}
			list := f.Notes
			if c.damages > 0 {
				list = f.Damaged
				if !strings.HasPrefix(stderr, "tengen: ") || !strings.Contains(stderr, " is damaged") {
					t.Errorf("said is %q", stderr)
				}
			}
			if c.want == "" && len(list) > 0 || c.want != "" && !slices.ContainsFunc(list, func(f finding) bool { return strings.Contains(f.String(), c.want) }) {
				t.Errorf("found is %v, want %q", list, c.want)
			}
		})
	}
}

// However a file is cut or changed, inspect says something, and says that
// something is wrong wherever the file has checksums.
func TestInspectAtEveryByte(t *testing.T) {
	t.Chdir(t.TempDir())
	inspectedRun(t)
	if status, _, stderr := tengen(t, "", "arena random random --game tictactoe --games 2 --save match"); status != 0 {
		t.Fatal(stderr)
	}
	for _, c := range []struct {
		file, args string
		stride     int
		// sound says whether a file cut to n bytes, or changed at byte n, may be found sound.
		sound func(whole []byte, n int, cut bool) bool
	}{
		{"run/replay/000003.games", "run/replay/000003.games --all", 1, func(_ []byte, n int, cut bool) bool { return false }},
		{"run/replay/000003.games", "run", 11, func([]byte, int, bool) bool { return false }},
		{"run/checkpoints/000003/model.safetensors", "run/checkpoints", 29, func([]byte, int, bool) bool { return false }},
		{"run/checkpoints/000003/manifest.json", "run/checkpoints/000003", 5, func(whole []byte, n int, cut bool) bool { return cut && n == len(whole)-1 }},
		{"run/checkpoints/000001/model.safetensors", "run/checkpoints/000001/model.safetensors", 7, func(_ []byte, _ int, cut bool) bool { return !cut }},
		{"match/match.jsonl", "match", 1, func(whole []byte, n int, cut bool) bool {
			head := bytes.IndexByte(whole, '\n')
			return cut && n >= head || n == len(whole)-1
		}},
		{"run/events.jsonl", "run", 7, func([]byte, int, bool) bool { return true }},
		{"run/eval/games.jsonl", "run", 7, func([]byte, int, bool) bool { return true }},
		{"run/config.yaml", "run", 3, func([]byte, int, bool) bool { return true }},
	} {
		whole := get(t, c.file)
		boundaries := boundariesOf(t, c.file, whole)
		for n := 0; n < len(whole); n += c.stride {
			for _, shorten := range []bool{true, false} {
				if shorten {
					put(t, c.file, string(whole[:n]))
				} else {
					put(t, c.file, string(whole))
					flip(t, c.file, n)
				}
				status, stdout, stderr := tengen(t, "", "inspect "+c.args)
				sound := c.sound(whole, n, shorten) || shorten && slices.Contains(boundaries, n) && !strings.HasPrefix(c.args, "run ") && c.args != "run"
				if status != exitFailed && !(status == 0 && sound) || status == exitFailed && strings.Count(stderr, "\n") != 1 {
					t.Fatalf("%s, cut %v at byte %d of %d: inspect %s has status %d, %q, %q", c.file, shorten, n, len(whole), c.args, status, stdout, stderr)
				}
				if status == exitFailed && !strings.Contains(stdout, "damaged: ") {
					t.Fatalf("%s, cut %v at byte %d: no list of damages in %q", c.file, shorten, n, stdout)
				}
			}
		}
		put(t, c.file, string(whole))
	}
}

// boundariesOf lists the lengths to which a segment can be cut without a trace.
func boundariesOf(t *testing.T, path string, whole []byte) (list []int) {
	if filepath.Ext(path) != replay.Extension {
		return nil
	}
	for n := range whole {
		if _, damages := replay.ReadSegment(path, whole[:n]); len(damages) == 0 {
			list = append(list, n)
		}
	}
	if len(list) != 3 { // the header alone, then one game more each
		t.Fatalf("%s can be cut at %v", path, list)
	}
	return list
}

func TestInspectGame(t *testing.T) {
	t.Chdir(t.TempDir())
	inspectedRun(t)
	g := game.Must(game.New("tictactoe"))
	check := func(args string, want *replay.Game) {
		t.Helper()
		status, stdout, stderr := tengen(t, "", "inspect --json "+args)
		var r recorded
		if err := json.Unmarshal([]byte(stdout), &r); err != nil || status != 0 || stderr != "" {
			t.Fatalf("inspect %s: status %d, %v, %q, %q", args, status, err, stdout, stderr)
		}
		if r.Version != 1 || r.Number != want.Number || r.Game != g.Name() || *r.Seed != want.Seed || !slices.Equal(r.Scores, want.Scores) || !slices.Equal(r.Returns, want.Returns) {
			t.Errorf("inspect %s: %+v", args, r)
		}
		s := g.NewState()
		for i, m := range want.Moves {
			if len(r.Actions) != len(want.Moves) || r.Actions[i] != m.Action || r.Moves[i] != game.ActionName(g, s, m.Action) {
				t.Fatalf("inspect %s: actions %v, moves %v", args, r.Actions, r.Moves)
			}
			s.Apply(m.Action)
		}
		// The commands that take a game take this one.
		put(t, "one.json", stdout)
		if status, _, stderr := tengen(t, "", "play --replay one.json"); status != 0 || stderr != "" {
			t.Errorf("play --replay: status %d, %q", status, stderr)
		}
		if status, f, stderr := inspected(t, "one.json"); status != 0 || f.Kind != kindGames || f.Match.Games != 1 || f.Match.Finished != 1 {
			t.Errorf("inspect one.json: status %d, %+v, %q", status, f, stderr)
		}
	}
	check("run:3", randomRecord(g, 3, 1))
	check("run:8", randomRecord(g, 8, 1))
	check("run:10", randomRecord(g, 10, 2))
	check("run/replay:9", randomRecord(g, 9, 2))
	check("run/replay/000002.games:9", randomRecord(g, 9, 1)) // there, though it does not count

	_, stdout, _ := tengen(t, "", "inspect run:10")
	for _, want := range []string{"run/replay/000003.games: game 10 of " + g.Name(), "  X          network at step 42, score ", "  O          uct, score ", "   1  X  ", "   2  O  ", " visits  expects 0.00 0.00\n"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("%q is missing in\n%s", want, stdout)
		}
	}

	bad := randomRecord(g, 12, 1)
	bad.Moves[1].Action = bad.Moves[0].Action
	l, err := replay.OpenLog(atomicfile.OS{}, "run/replay", 4)
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Append(bad); err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	status, stdout, stderr := tengen(t, "", "inspect run:12")
	if status != exitFailed || !strings.Contains(stderr, "game 12: action ") || !strings.Contains(stdout, fmt.Sprintf("   2  O  %d  ", bad.Moves[1].Action)) {
		t.Errorf("a game against the rules: status %d, %q, %q", status, stderr, stdout)
	}
	for args, want := range map[string]string{
		"run:13": "no game that can be read has the number 13", "run:x": "no such file or directory; after a colon the number of a game is wanted, from 0",
		"nowhere": "inspect nowhere: no such file or directory\n", "nowhere:1": "no such file or directory",
		"run/checkpoints:1": "games with numbers are in runs, in segments of the replay and in matches; this is a folder of checkpoints",
	} {
		if status, _, stderr := tengen(t, "", "inspect "+args); status != exitUsage || !strings.Contains(stderr, want) {
			t.Errorf("inspect %s: status %d, %q, want %q", args, status, stderr, want)
		}
	}
}

func TestInspectRefuses(t *testing.T) {
	t.Chdir(t.TempDir())
	inspectedRun(t)
	if err := os.Mkdir("empty", 0o755); err != nil {
		t.Fatal(err)
	}
	put(t, "nothing", "")
	put(t, "notes.txt", "some notes")
	put(t, "other.json", `{"a": 1}`)
	for path, want := range map[string]string{
		"empty": "a folder that holds neither a run nor checkpoints nor games", "nothing": "it is empty",
		"notes.txt": `it begins with "some notes"`, "other.json": "JSON, but no game",
		"run/checkpoints/000001/manifest.json": "a part of a checkpoint; run/checkpoints/000001 is all of it",
		"run/checkpoints/000001/state.json":    "a part of a checkpoint",
		os.DevNull:                             "neither a file nor a folder",
	} {
		if status, stdout, stderr := tengen(t, "", "inspect "+path); status != exitUsage || stdout != "" || !strings.Contains(stderr, want) {
			t.Errorf("inspect %s: status %d, %q, want %q", path, status, stderr, want)
		}
	}
}

// FuzzInspect looks at files of any content under any name that means something.
func FuzzInspect(f *testing.F) {
	names := []string{"000000.games", "model.safetensors", "x.safetensors", arena.MatchFile, "x.json", eventsName, evaluationsName, "x", "manifest.json"}
	dir := f.TempDir()
	f.Chdir(dir)
	inspectedRun(f)
	for k, path := range []string{"run/replay/000003.games", "run/checkpoints/000001/model.safetensors", "run/checkpoints/000001/optimizer.safetensors",
		"", "", "run/events.jsonl", "run/eval/games.jsonl", "", "run/checkpoints/000001/manifest.json"} {
		if path != "" {
			f.Add(uint8(k), get(f, path))
		}
	}
	f.Add(uint8(4), []byte(`{"game": "tictactoe", "actions": [4, 0], "scores": [1, 0]}`))
	f.Add(uint8(7), []byte("{\"format\":\"tengen match\",\"version\":1,\"game\":\"tictactoe\",\"players\":[\"a\"],\"seed\":1,\"opening\":0,\"crc\":\"00000000\"}\n"))
	folder := f.TempDir()
	f.Fuzz(func(t *testing.T, name uint8, data []byte) {
		path := filepath.Join(folder, names[int(name)%len(names)])
		put(t, path, string(data))
		defer os.Remove(path)
		for _, at := range []string{path, folder} {
			i := &inspector{ctx: t.Context(), all: true, progress: newProgress(io.Discard, "", "")}
			if i.inspect(at) == nil {
				i.found.writeText(io.Discard)
				if _, err := json.Marshal(&i.found); err != nil {
					t.Fatal(err)
				}
				if (i.found.verdict() == nil) != i.found.Sound {
					t.Fatalf("sound %v, verdict %v", i.found.Sound, i.found.verdict())
				}
			}
			r, err := i.game(at, 0)
			if err != nil {
				continue
			}
			if err := r.name(); err == nil && len(r.Moves) != len(r.Actions) {
				t.Fatalf("%d moves of %d actions", len(r.Moves), len(r.Actions))
			}
			r.writeText(io.Discard)
			if _, err := json.Marshal(r); err != nil {
				t.Fatal(err)
			}
		}
	})
}
