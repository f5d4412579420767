package cmd

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tengen/arena"
	"tengen/cmd/internal/cli"
	"tengen/run/inspect"
	"tengen/run/runtest"
)

// inspects runs the command, and checks its status and that each text is in what
// it prints; of a failure, that one line says it.
func inspects(t *testing.T, args string, status int, stdout []string, stderr string) {
	t.Helper()
	got, out, errs := tengen(t, "", "inspect "+args)
	if got != status || status == 0 && errs != "" ||
		status != 0 && strings.Count(errs, "\n") != 1 || !strings.Contains(errs, stderr) {
		t.Errorf("inspect %s: status %d, want %d: %q, want %q", args, got, status, errs, stderr)
	}
	if stdout == nil && out != "" {
		t.Errorf("inspect %s prints %q", args, out)
	}
	for _, want := range stdout {
		if !strings.Contains(out, want) {
			t.Errorf("inspect %s: %q is missing in\n%s", args, want, out)
		}
	}
}

func TestInspectPrints(t *testing.T) {
	t.Chdir(t.TempDir())
	runtest.Small(t, "run")
	name := runtest.Game().Name()
	inspects(t, "run", 0, []string{
		"run: a run\n  in use by         nobody\n  configuration     alphazero on " + name +
			", 3 iterations\n",
		"  checkpoints       3, of which 1 verified\n  checkpoint        run/checkpoints/000003\n  at                iteration 3, step 30, 12 games\n",
		"  games             12, numbers 0 to 11\n  replaced          2 games, played again after a resume\n",
		"  events            3 lines: 1 start, 2 iteration\n",
		"  evaluation games  1 lines\nsound\n",
	}, "")
	inspects(t, "run --all", 0,
		[]string{"3, of which 3 verified", "  000002.games      1 games, 8 to 8; 2 replaced\n"}, "")
	inspects(t, "run/config.yaml", 0,
		[]string{
			"run/config.yaml: a run's configuration\n",
			"  configuration  alphazero on " + name + ", 3 iterations\nsound\n",
		}, "")
	inspects(t, "run/config.000001.yaml",
		0, []string{"  replaced       after iteration 1\nsound\n"}, "")
	inspects(t, "run/eval/000002.json", 0,
		[]string{"run/eval/000002.json: an evaluation of a run's network\n",
			"  at                iteration 2\n",
			"  sum of points     0.8\n  rating            +120 Elo (60 to +Inf)\n  earlier networks  1\nsound\n"}, "")
	inspects(t, "run/eval/ratings.json", 0, []string{"  networks  2, from 8 games\n", "  latest    iteration 2: +120 Elo (60 to +Inf)\n  greatest  iteration 1: +130 Elo (-Inf to +Inf)\nsound\n"}, "")

	spoil := func(path, text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	spoil("table3.json", `{"made": {"version": 1, "command": "tengen-lab reproduce go-table3", "games": 1000, "distinct_games": 999, "seconds": 47.06}}`)
	inspects(t, "table3.json", 0,
		[]string{
			"  command        tengen-lab reproduce go-table3\n",
			"  games          1,000, 999 distinct\n", "  took           47.1 s\nsound\n",
		}, "")
	spoil("run/config.yaml", "game: tictactoe\ngaem: 1\n")
	const wrong = `run/config.yaml, line 2: unknown key "gaem" (did you mean "game"?)`
	inspects(t, "run/config.yaml", exitFailed, []string{"damaged: " + wrong + "\n"},
		"tengen: run/config.yaml is damaged: "+wrong+"\n")
	inspects(t, "run",
		exitFailed, []string{"damaged: " + wrong + "\n"}, "tengen: run is damaged: "+wrong+"\n")
	inspects(t, "run --json",
		exitFailed, []string{`"sound": false`, `"line": 2`}, "tengen: run is damaged: "+wrong+"\n")
	spoil("notes.txt", "some notes")
	for args, want := range map[string]string{
		"notes.txt":            "tengen: inspect notes.txt: nothing that tengen writes; it begins with \"some notes\"; `tengen inspect --help` lists what can be inspected\n",
		"nowhere":              "tengen: inspect nowhere: no such file or directory\n",
		"run:13":               "tengen: inspect run: no game that can be read has the number 13\n",
		"run:x":                "no such file or directory; after a colon the number of a game is wanted, from 0\n",
		"run/checkpoints:1":    "tengen: inspect run/checkpoints:1: games with numbers are in runs, in segments of the replay and in matches; this is a folder of checkpoints\n",
		"run/checkpoints --al": "inspect: unknown flag: --al",
	} {
		inspects(t, args, exitUsage, nil, want)
	}
}

func TestInspectGame(t *testing.T) {
	t.Chdir(t.TempDir())
	runtest.Small(t, "run")
	g := runtest.Game()
	inspects(t, "run:10", 0, []string{"run/replay/000003.games: game 10 of " + g.Name(),
		"  X          network at step 42, score ", "  O          uct, score ",
		"   1  X  ", "   2  O  ", " visits  expects 0.00 0.00\n"}, "")

	// The commands that take a game take this one.
	_, stdout, _ := tengen(t, "", "inspect --json run:10")
	if err := os.WriteFile("one.json", []byte(stdout), 0o644); err != nil {
		t.Fatal(err)
	}
	if status, _, stderr := tengen(t, "", "play --replay one.json"); status != 0 || stderr != "" {
		t.Errorf("play --replay: status %d, %q", status, stderr)
	}
	inspects(t, "one.json", 0, []string{"one.json: games in JSON\n", "1, 1 with a result\n"}, "")
	inspects(t, "one.json:10", 0, []string{"one.json: game 10 of " + g.Name(), "   1  X  "}, "")

	bad := runtest.Record(g, 12, 1)
	bad.Moves[1].Action = bad.Moves[0].Action
	runtest.Keep(t, "run/replay", bad)
	inspects(t, "run:12", exitFailed, []string{fmt.Sprintf("   2  O  %d  ", bad.Moves[1].Action)},
		"run/replay/000004.games: game 12: action ")
}

// FuzzInspect looks at files of any content under any name that means something,
// and prints what was found.
func FuzzInspect(f *testing.F) {
	// The first nine names are what the numbers of the corpus stand for.
	names := []string{
		"000000.games", "model.safetensors", "x.safetensors", arena.MatchFile, "x.json",
		"events.jsonl", "games.jsonl", "x", "manifest.json",
	}
	f.Chdir(f.TempDir())
	runtest.Small(f, "run")
	for k, path := range []string{"run/replay/000003.games",
		"run/checkpoints/000001/model.safetensors", "run/checkpoints/000001/optimizer.safetensors",
		"", "run/eval/000002.json", "run/events.jsonl", "run/eval/games.jsonl",
		"run/eval/ratings.json", "run/checkpoints/000001/manifest.json"} {
		if path != "" {
			data, err := os.ReadFile(path)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(uint8(k), data)
		}
	}
	f.Add(uint8(4), []byte(`{"game": "tictactoe", "actions": [4, 0], "scores": [1, 0]}`))
	f.Add(uint8(4), []byte(`{"made": {"version": 1, "command": "tengen-lab reproduce go-table3"}}`))
	f.Add(uint8(7), []byte("{\"format\":\"tengen match\",\"version\":1,\"game\":\"tictactoe\",\"players\":[\"a\"],\"seed\":1,\"opening\":0,\"crc\":\"00000000\"}\n"))
	folder := f.TempDir()
	f.Fuzz(func(t *testing.T, name uint8, data []byte) {
		path := filepath.Join(folder, names[int(name)%len(names)])
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
		defer os.Remove(path)
		for _, at := range []string{path, folder} {
			if r, err := inspect.Look(t.Context(), at, inspect.Options{All: true}); err == nil {
				cli.WriteReport(io.Discard, r)
				if _, err := json.Marshal(r); err != nil {
					t.Fatal(err)
				}
				if (r.Verdict() == nil) != r.Sound {
					t.Fatalf("sound %v, verdict %v", r.Sound, r.Verdict())
				}
			}
			g, _, err := inspect.FindGame(t.Context(), at, 0)
			if err != nil {
				continue
			}
			if len(g.Moves) != len(g.Actions) {
				t.Fatalf("%d moves of %d actions", len(g.Moves), len(g.Actions))
			}
			cli.WriteGame(io.Discard, g)
			if _, err := json.Marshal(g); err != nil {
				t.Fatal(err)
			}
		}
	})
}
