package inspect

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"tengen/game"
	_ "tengen/game/all"
	"tengen/replay/record"
	"tengen/run"
	"tengen/run/runtest"
	"tengen/vfs"
)

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

// look looks at a path that can be inspected, and checks what holds of every
// report.
func look(t *testing.T, path string, all bool) *Report {
	t.Helper()
	r, err := Look(t.Context(), path, Options{All: all})
	if err != nil {
		t.Fatalf("look at %s: %v", path, err)
	}
	if r.Path != path || r.Kind.Title() == "" || r.Sound != (r.Damages == 0) ||
		r.Damages < len(r.Damaged) || r.Damages > 0 && len(r.Damaged) == 0 {
		t.Fatalf("%s: kind %q, sound %v, %d damages: %v",
			path, r.Kind, r.Sound, r.Damages, r.Damaged)
	}
	verdict := r.Verdict()
	if r.Sound != (verdict == nil) ||
		verdict != nil &&
			(!strings.HasPrefix(verdict.Error(), path+" is damaged") ||
				strings.Contains(verdict.Error(), "\n")) {
		t.Fatalf("%s: sound %v, verdict %v", path, r.Sound, verdict)
	}
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var again Report
	if err := json.Unmarshal(text, &again); err != nil {
		t.Fatalf("%s: %v: %s", path, err, text)
	}
	if second, err := json.Marshal(&again); err != nil || !bytes.Equal(second, text) {
		t.Fatalf("%s: %s is read and written again as %s, %v", path, text, second, err)
	}
	return r
}

func TestLookAtRun(t *testing.T) {
	t.Chdir(t.TempDir())
	runtest.Small(t, "run")
	lock, err := vfs.OS{}.Lock(filepath.Join("run", run.LockFile), "tengen train")
	if err != nil {
		t.Fatal(err)
	}
	g := runtest.Game()
	name := g.Name()
	for _, all := range []bool{false, true} {
		f := look(t, "run", all)
		if !f.Sound || len(f.Notes) > 0 {
			t.Fatalf("damaged %v, notes %v", f.Damaged, f.Notes)
		}
		if f.Kind != KindRun || f.Run.Game != name || f.Run.Algorithm != "alphazero" ||
			f.Run.Iterations != 3 || f.Run.Holder == nil || f.Run.Holder.PID != os.Getpid() {
			t.Errorf("run: %+v", *f.Run)
		}
		verified := 1
		if all {
			verified = 3
		}
		if c := f.Checkpoints; c.Count != 3 || c.Verified != verified ||
			all != (len(c.Iterations) == 3) {
			t.Errorf("checkpoints: %+v", *c)
		}
		if c := f.Checkpoint; c.Iteration != 3 || c.Step != 30 || c.Game != name ||
			c.Games == nil || *c.Games != 12 || c.Parameters != runtest.Network(t, g).Count() {
			t.Errorf("checkpoint: %+v", *c)
		}
		plies := 0
		for n := range uint64(12) {
			seed := uint64(1)
			if n >= 9 {
				seed = 2
			}
			plies += len(runtest.Record(g, n, seed).Moves)
		}
		r := f.Replay
		if r.Segments != 4 || r.Games != 12 || r.Replaced != 2 || *r.First != 0 || *r.Last != 11 ||
			r.Plies != int64(plies) || !slices.Equal(r.Of, []string{name}) {
			t.Errorf("replay: %+v", *r)
		}
		if all && (len(r.List) != 4 || r.List[2].Games != 1 || r.List[2].Replaced != 2 ||
			*r.List[3].First != 9) {
			t.Errorf("segments: %+v", r.List)
		}
		if e := f.Events; e.Lines != 3 || e.PassedOver != 0 ||
			!slices.Equal(e.Kinds, []string{"start", "iteration"}) ||
			!slices.Equal(e.Counts, []int{1, 2}) || e.Last.Minute() != 2 {
			t.Errorf("events: %+v", *e)
		}
		if e := f.EvaluationGames; e.Lines != 1 || e.PassedOver != 0 {
			t.Errorf("evaluation games: %+v", *e)
		}
	}
	if err := lock.Close(); err != nil {
		t.Fatal(err)
	}
	if f := look(t, "run", false); f.Run.Holder != nil {
		t.Errorf("after its end the run is held by %+v", f.Run.Holder)
	}
}

// TestKinds: every file of a run is known, and sound.
func TestKinds(t *testing.T) {
	t.Chdir(t.TempDir())
	runtest.Small(t, "run")
	put(t, "mine.yml", "seed: 7\n")
	put(t, "network.onnx", "\x08\x07")
	for path, kind := range map[string]Kind{
		"run": KindRun, "run/checkpoints": KindCheckpoints,
		"run/checkpoints/000002":                       KindCheckpoint,
		"run/checkpoints/000002/model.safetensors":     KindModel,
		"run/checkpoints/000002/optimizer.safetensors": KindTensors, "run/replay": KindReplay,
		"run/replay/000001.games": KindSegment,
		"run/events.jsonl":        KindEvents, "run/eval/games.jsonl": KindEvaluations,
		"run/config.yaml": KindConfiguration, "run/config.000001.yaml": KindConfiguration,
		"mine.yml":             KindConfiguration,
		"run/eval/000002.json": KindEvaluation, "run/eval/ratings.json": KindRatings,
		"network.onnx": KindONNX,
	} {
		if f := look(t, path, false); !f.Sound || len(f.Notes) > 0 || f.Kind != kind {
			t.Errorf("%s: kind %q, damaged %v, notes %v", path, f.Kind, f.Damaged, f.Notes)
		}
	}
	// What is in eval is known elsewhere too, by its beginning.
	for name, kind := range map[string]Kind{
		"000002.json": KindEvaluation, "ratings.json": KindRatings, "games.jsonl": KindEvaluations,
	} {
		put(t, "x.json", string(get(t, filepath.Join("run/eval", name))))
		if f := look(t, "x.json", false); !f.Sound || f.Kind != kind {
			t.Errorf("%s elsewhere: kind %q, damaged %v", name, f.Kind, f.Damaged)
		}
	}
	if f := look(t, "run/replay/000002.games", false); f.Replay.Games != 3 ||
		*f.Replay.First != 8 || *f.Replay.Last != 10 {
		t.Errorf("a segment by itself: %+v", *f.Replay)
	}
}

// TestSmallFiles: what the files of a run say that are read whole.
func TestSmallFiles(t *testing.T) {
	t.Chdir(t.TempDir())
	runtest.Small(t, "run")
	name := runtest.Game().Name()
	one, low := 1, 60.0
	if c := look(t, "run/config.yaml", false).Configuration; !reflect.DeepEqual(c, &Configuration{
		Game: name, Algorithm: "alphazero", Iterations: 3,
	}) {
		t.Errorf("configuration: %+v", c)
	}
	if c := look(t, "run/config.000001.yaml", false).Configuration; !reflect.DeepEqual(c,
		&Configuration{Game: name, Algorithm: "alphazero", Iterations: 2, Until: &one}) {
		t.Errorf("earlier configuration: %+v", c)
	}
	elo := run.Elo{Rating: 120, Low: &low}
	e := look(t, "run/eval/000002.json", false).Evaluation
	if e.Iteration != 2 || game.Must(game.New(e.Game)).Name() != name ||
		e.Player != "az:run@2,simulations=8,c_puct=0.8" ||
		e.Baseline != "uct:simulations=8,c=0.8,utility=points" ||
		e.Games != 4 || e.Sum.Mean != 0.75 || e.Sum.Interval.Known() || e.Earlier != 1 ||
		!reflect.DeepEqual(e.Elo, &elo) {
		t.Errorf("evaluation: %+v", e)
	}
	r := look(t, "run/eval/ratings.json", false).Ratings
	if r.Anchor != e.Baseline || r.Games != 8 || r.Networks != 2 || r.Seats != 2 ||
		!reflect.DeepEqual(r.Last, &run.NetworkRating{Iteration: 2, Games: 8, Elo: elo}) ||
		r.Best.Iteration != 1 || r.Best.Rating != 130 {
		t.Errorf("ratings: %+v, last %+v, best %+v", r, r.Last, r.Best)
	}
	put(t, "table3.json", `{"made": {"version": 1, "command": "tengen-lab reproduce go-table3", "seed": 3, "games": 1000, "distinct_games": 999}, "points": []}`)
	if f := look(t, "table3.json", false); f.Kind != KindResults ||
		*f.Results != (Results{
			Version: 1, Command: "tengen-lab reproduce go-table3", Seed: 3, Games: 1000,
			Distinct: 999,
		}) {
		t.Errorf("results: %+v", f.Results)
	}
}

func TestRefusals(t *testing.T) {
	t.Chdir(t.TempDir())
	runtest.Small(t, "run")
	if err := os.Mkdir("empty", 0o755); err != nil {
		t.Fatal(err)
	}
	put(t, "nothing", "")
	put(t, "notes.txt", "some notes")
	put(t, "other.json", `{"a": 1}`)
	put(t, "run/LOCK", "")
	put(t, "run/eval/learning.svg", "<svg/>")
	for path, c := range map[string]struct {
		want    string
		unknown bool
	}{
		"nowhere": {
			"inspect nowhere: no such file or directory", false,
		},
		os.DevNull: {"neither a file nor a folder", false},
		"empty": {
			"a folder that holds neither a run nor checkpoints nor games", true,
		},
		"nothing":    {"it is empty", true},
		"notes.txt":  {`it begins with "some notes"`, true},
		"other.json": {"JSON, but no game", true},
		"run/checkpoints/000001/manifest.json": {
			"a part of a checkpoint; run/checkpoints/000001 is all of it", true,
		},
		"run/checkpoints/000001/state.json": {"a part of a checkpoint", true},
		"run/LOCK":                          {"the lock of a run; run is all of it", true},
		"run/eval/learning.svg":             {"a picture", true},
	} {
		_, err := Look(t.Context(), path, Options{})
		var refusal *Refusal
		if !errors.As(err, &refusal) || refusal.What != path || refusal.Unknown != c.unknown ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("look at %s: %v, want %q", path, err, c.want)
		}
	}
}

// TestProgress: whoever looks is told how far it is, and can end it.
func TestProgress(t *testing.T) {
	t.Chdir(t.TempDir())
	runtest.Small(t, "run")
	ctx, stop := context.WithCancel(t.Context())
	var told [][2]int
	tell := func(done, all int) {
		told = append(told, [2]int{done, all})
		if len(told) == 6 {
			stop()
		}
	}
	if _, err := Look(ctx, "run", Options{Progress: tell}); err != nil {
		t.Fatal(err)
	}
	if _, err := Look(ctx, "run", Options{Progress: tell}); !errors.Is(err, context.Canceled) {
		t.Errorf("stopped within, the error is %v", err)
	}
	if !slices.Equal(told, [][2]int{{1, 4}, {2, 4}, {3, 4}, {4, 4}, {1, 4}, {2, 4}}) {
		t.Errorf("told is %v", told)
	}
}

func TestNetworks(t *testing.T) {
	network := func(step uint64) record.SeatRecord {
		return record.SeatRecord{Kind: record.Network, Step: step}
	}
	uct := record.SeatRecord{Kind: record.UCT}
	f := &Replay{}
	for _, seats := range [][]record.SeatRecord{
		{uct, uct}, {uct, network(20)}, {network(31), network(31)}, {network(20), uct},
	} {
		f.played(&record.Game{Seats: seats})
	}
	if f.Networks != 2 || *f.FirstStep != 20 || *f.LastStep != 31 {
		t.Errorf("all together: %+v", f)
	}
}
