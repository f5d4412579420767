package inspect

import (
	"bytes"
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tengen/arena"
	"tengen/checkpoints"
	"tengen/checkpoints/safetensors"
	"tengen/game"
	"tengen/nn"
	"tengen/player"
	"tengen/replay"
	"tengen/run/runtest"
	"tengen/vfs"
)

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

// swap puts one text in the place of another, where that stands first.
func swap(t testing.TB, path, old, text string) {
	t.Helper()
	before := string(get(t, path))
	if !strings.Contains(before, old) {
		t.Fatalf("%s does not hold %s", path, old)
	}
	put(t, path, strings.Replace(before, old, text, 1))
}

// playMatch keeps the games of a match of random players.
func playMatch(t *testing.T, dir string, games int) {
	t.Helper()
	m := &arena.Tournament{
		Game: runtest.Game(), Players: []player.Player{player.Random{}, player.Random{}},
		Games: games, Seed: 1, Workers: 1, GamesPerWorker: 1,
	}
	var err error
	if m.Store, err = arena.OpenStore(vfs.OS{}, dir, m); err != nil {
		t.Fatal(err)
	}
	if _, err := m.Play(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if err := m.Store.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestDamageIsFound(t *testing.T) {
	g := runtest.Game()
	for _, c := range []struct {
		name    string
		spoil   func(t *testing.T)
		path    string
		all     bool
		damages int
		want    string // within the text of a damage, or, where there is none, of a note
	}{
		{"a bit of the newest network", func(t *testing.T) {
			flip(t, "run/checkpoints/000003/model.safetensors", -1)
		}, "run", false, 1,
			"run/checkpoints/000003: model.safetensors: changed since it was written"},
		{"a bit of an older network", func(t *testing.T) {
			flip(t, "run/checkpoints/000001/model.safetensors", -1)
		}, "run", false, 0, ""},
		{"a bit of an older network", func(t *testing.T) {
			flip(t, "run/checkpoints/000001/model.safetensors", -1)
		}, "run", true, 1,
			"run/checkpoints/000001: model.safetensors: changed"},
		{"a file of a checkpoint", func(t *testing.T) {
			os.Remove("run/checkpoints/000003/state.json")
		}, "run/checkpoints", false, 1,
			"000003: state.json: missing"},
		{"a checkpoint's manifest", func(t *testing.T) {
			os.Remove("run/checkpoints/000003/manifest.json")
		}, "run/checkpoints/000003", false, 1,
			"000003: manifest.json: missing"},
		{"a checkpoint under another number", func(t *testing.T) {
			os.Rename("run/checkpoints/000003", "run/checkpoints/000004")
		}, "run", false, 1,
			"000004: it is of iteration 3"},
		{"an incomplete checkpoint", func(t *testing.T) {
			os.Mkdir("run/checkpoints/.000004.tmp", 0o755)
		}, "run", false, 0, ".000004.tmp: not complete"},
		{"a record within a segment", func(t *testing.T) {
			flip(t, "run/replay/000001.games", 50)
		}, "run", false, 1,
			"run/replay/000001.games, bytes 24 to "},
		{"a segment's header", func(t *testing.T) {
			flip(t, "run/replay/000001.games", 3)
		}, "run", false, 1, "000001.games, bytes 0 to 24: "},
		{"a segment's end, whose game is missing", func(t *testing.T) {
			cut(t, "run/replay/000001.games", 1)
		}, "run", false, 1,
			"000001.games, bytes "},
		{"a segment's end, whose game was played again", func(t *testing.T) {
			cut(t, "run/replay/000002.games", 1)
		}, "run", false, 0,
			"no game is missing: damaged tail after 2 good games"},
		{"the last segment's end, which a checkpoint counts", func(t *testing.T) {
			cut(t, "run/replay/000003.games", 1)
		}, "run", false, 1,
			"000003.games, bytes "},
		{"the last segment's end, which no checkpoint counts", func(t *testing.T) {
			runtest.Keep(t, "run/replay",
				runtest.Record(g, 12, 2), runtest.Record(g, 13, 2))
			cut(t, "run/replay/000004.games", 1)
		}, "run", false, 0, "no game is missing: damaged tail after 1 good games"},
		{"a segment of which nothing was written", func(t *testing.T) {
			put(t, "run/replay/000004.games", "")
		}, "run", false, 0, "no game is missing"},
		{"a segment's end in a folder by itself", func(t *testing.T) {
			cut(t, "run/replay/000003.games", 1)
		}, "run/replay", false, 1, "damaged tail"},
		{"a segment", func(t *testing.T) {
			os.Remove("run/replay/000001.games")
		}, "run", false, 1, "run/replay/000002.games: games 4 to 7 are missing"},
		{"the last segment", func(t *testing.T) {
			os.Remove("run/replay/000003.games")
		}, "run", false, 1,
			"run/replay: game 11 is missing, which the newest checkpoint counts"},
		{"the first segment", func(t *testing.T) {
			os.Remove("run/replay/000000.games")
		}, "run", false, 0, ""},
		{"another file among the segments", func(t *testing.T) {
			put(t, "run/replay/000003.games", strings.Repeat("text\n", 9))
		}, "run", false, 2, "not a replay segment"},
		{"a game against the rules", func(t *testing.T) {
			bad := runtest.Record(g, 12, 1)
			bad.Moves[1].Action = bad.Moves[0].Action
			runtest.Keep(t, "run/replay", bad)
		}, "run", true, 1, "game 12, ply 1: action"},
		{"a game that is not known", func(t *testing.T) {
			strange := runtest.Record(g, 12, 1)
			strange.Name = "hex:size=5"
			runtest.Keep(t, "run/replay", strange)
		}, "run", true, 0, `game 12 is of "hex:size=5", which this program does not know`},
		{"the configuration", func(t *testing.T) {
			put(t, "run/config.yaml", "gaem: go\n")
		}, "run", false, 1, `run/config.yaml, line 1: unknown key "gaem" (did you mean "game"?)`},
		{"no configuration", func(t *testing.T) {
			os.Remove("run/config.yaml")
		}, "run", false, 1, "run/config.yaml: missing"},
		{"another game's configuration", func(t *testing.T) {
			put(t, "run/config.yaml", "game: go:size=3\n")
		}, "run", false, 1, "a network for mnk:"},
		{"a network of another shape", func(t *testing.T) {
			c := &checkpoints.Checkpoint{
				Iteration: 4, Game: g.Name(),
				Params: runtest.Network(t, game.Must(game.New("go:size=3,players=3"))),
			}
			if _, err := checkpoints.Save("run/checkpoints", c); err != nil {
				t.Fatal(err)
			}
		}, "run/checkpoints", false, 1, "run/checkpoints/000004: "},
		{"a line of the events", func(t *testing.T) {
			flip(t, "run/events.jsonl", 0)
		}, "run", false, 0, "run/events.jsonl, line 1: passed over by readers"},
		{"the end of the events", func(t *testing.T) {
			cut(t, "run/events.jsonl", 1)
		}, "run", false, 0, "line 3: the last line was cut off"},
		{"a number that is none", func(t *testing.T) {
			var b bytes.Buffer
			if err := safetensors.Write(&b, []nn.Tensor{
				{Name: "x", Shape: []int{2}, Data: []float32{1, 2}},
			}, nil); err != nil {
				t.Fatal(err)
			}
			data := b.Bytes() // no writer writes it
			binary.LittleEndian.PutUint32(data[len(data)-4:], math.Float32bits(float32(math.NaN())))
			put(t, "run/x.safetensors", b.String())
		}, "run/x.safetensors", false, 1, "number 1 of x is NaN"},
		{"tensors that are no network", func(t *testing.T) {
			data := get(t, "run/checkpoints/000002/optimizer.safetensors")
			put(t, "run/model.safetensors", string(data))
		}, "run/model.safetensors", false, 1, "malformed: its metadata does not name a game"},
		{"a match", func(t *testing.T) {
			playMatch(t, "match", 4)
			flip(t, "match/match.jsonl", -20)
		}, "match", false, 1, "match/match.jsonl: line 5 is skipped"},
		{"a configuration by itself", func(t *testing.T) {
			put(t, "run/config.yaml", "game: tictactoe\ntraining:\n  iterations: 0\n")
		}, "run/config.yaml", false, 1,
			"run/config.yaml, line 3: "},
		{"a configuration that is no text", func(t *testing.T) {
			put(t, "run/config.yaml", "game: [\n")
		}, "run/config.yaml", false, 1, "run/config.yaml"},
		{"a configuration without an end", func(t *testing.T) {
			put(t, "run/config.yaml", strings.Repeat("# much\n", 200_000))
		}, "run", false, 1,
			"a configuration has up to 1048576 bytes"},
		{"an earlier configuration", func(t *testing.T) {
			put(t, "run/config.000001.yaml", "seed: x\n")
		}, "run/config.000001.yaml", false, 1,
			"run/config.000001.yaml, line 1: "},
		{"an evaluation that was cut off", func(t *testing.T) {
			cut(t, "run/eval/000002.json", 9)
		}, "run/eval/000002.json", false, 1, "unexpected end of JSON"},
		{"an evaluation under another number", func(t *testing.T) {
			os.Rename("run/eval/000002.json", "run/eval/000003.json")
		}, "run/eval/000003.json", false, 1,
			"it is of iteration 2"},
		{"an evaluation's field", func(t *testing.T) {
			swap(t, "run/eval/000002.json", `"baseline"`, `"bassline"`)
		}, "run/eval/000002.json", false, 1,
			`"baseline", "seats" and "sum" are wanted`},
		{"an evaluation in three seats", func(t *testing.T) {
			swap(t, "run/eval/000002.json", `"tictactoe"`, `"tictactoe:players=3"`)
		}, "run/eval/000002.json", false, 1,
			"2 seats in a game of 3 players"},
		{"an evaluation of a game that is not known", func(t *testing.T) {
			swap(t, "run/eval/000002.json", `"tictactoe"`, `"hex"`)
		}, "run/eval/000002.json", false, 0,
			"this program does not know its game"},
		{"a rating beside its interval", func(t *testing.T) {
			swap(t, "run/eval/000002.json", `"rating_high": null`, `"rating_high": 59`)
		}, "run/eval/000002.json", false, 1,
			"the lower bound of the rating is above the upper one"},
		{"ratings of nobody", func(t *testing.T) {
			put(t, "run/eval/ratings.json", "{}")
		}, "run/eval/ratings.json", false, 1, `"anchor" is wanted`},
		{"ratings that are no JSON", func(t *testing.T) {
			flip(t, "run/eval/ratings.json", 0)
		}, "run/eval/ratings.json", false, 1, "invalid character"},
		{"ratings in disorder", func(t *testing.T) {
			swap(t, "run/eval/ratings.json", `"iteration": 1`, `"iteration": 2`)
		}, "run/eval/ratings.json", false, 1,
			"iteration 2 comes after that of iteration 2"},
		{"the rating of a network", func(t *testing.T) {
			swap(t, "run/eval/ratings.json", `"rating_low": 60, "rating_high": null`,
				`"rating_low": 60, "rating_high": 1`)
		}, "run/eval/ratings.json", false, 1,
			"iteration 2: the lower bound"},
		{"the rating of a seat", func(t *testing.T) {
			swap(t, "run/eval/ratings.json", `"rating_low": -40`, `"rating_low": 40`)
		}, "run/eval/ratings.json", false, 1,
			"seat O: the lower bound"},
		{"results of another version", func(t *testing.T) {
			put(t, "table3.json",
				`{"made": {"version": 2, "command": "tengen-lab reproduce go-table3"}}`)
		}, "table3.json", false, 1,
			"results of version 2; this program reads version 1"},
		{"results that were cut off", func(t *testing.T) {
			put(t, "table3.json",
				`{"made": {"version": 1, "command": "tengen-lab reproduce go-table3"}`)
		}, "table3.json", false, 1,
			"unexpected end of JSON"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			runtest.Small(t, "run")
			c.spoil(t)
			f := look(t, c.path, c.all)
			if f.Damages != c.damages {
				t.Errorf("%d damages, want %d: %v", f.Damages, c.damages, f.Damaged)
			}
			list := f.Notes
			if c.damages > 0 {
				list = f.Damaged
			}
			if c.want == "" && len(list) > 0 ||
				c.want != "" && !slices.ContainsFunc(list, func(f Finding) bool {
					return strings.Contains(f.String(), c.want)
				}) {
				t.Errorf("found is %v, want %q", list, c.want)
			}
		})
	}
}

// However a file is cut or changed, Look says something, and says that
// something is wrong wherever the file has checksums.
func TestAtEveryByte(t *testing.T) {
	t.Chdir(t.TempDir())
	runtest.Small(t, "run")
	playMatch(t, "match", 2)
	for _, c := range []struct {
		file, path string
		all        bool
		stride     int
		// sound says whether a file cut to n bytes, or changed at byte n, may be found sound.
		sound func(whole []byte, n int, cut bool) bool
	}{
		{"run/replay/000003.games", "run/replay/000003.games",
			true, 1, func(_ []byte, n int, cut bool) bool { return false }},
		{"run/replay/000003.games", "run", false, 11, func([]byte, int, bool) bool {
			return false
		}},
		{"run/checkpoints/000003/model.safetensors", "run/checkpoints",
			false, 29, func([]byte, int, bool) bool { return false }},
		{"run/checkpoints/000003/manifest.json", "run/checkpoints/000003",
			false, 5, func(whole []byte, n int, cut bool) bool { return cut && n == len(whole)-1 }},
		{"run/checkpoints/000001/model.safetensors", "run/checkpoints/000001/model.safetensors",
			false, 7, func(_ []byte, _ int, cut bool) bool { return !cut }},
		{"match/match.jsonl", "match", false, 1, func(whole []byte, n int, cut bool) bool {
			head := bytes.IndexByte(whole, '\n')
			return cut && n >= head || n == len(whole)-1
		}},
		{"run/events.jsonl", "run", false, 7, func([]byte, int, bool) bool { return true }},
		{"run/eval/games.jsonl", "run", false, 7, func([]byte, int, bool) bool { return true }},
		{"run/config.yaml", "run", false, 3, func([]byte, int, bool) bool { return true }},
		{"run/config.yaml", "run/config.yaml", false, 1, func([]byte, int, bool) bool {
			return true
		}},
		{"run/eval/000002.json", "run/eval/000002.json", false, 3,
			func(whole []byte, n int, cut bool) bool { return !cut || n == len(whole)-1 }},
		{"run/eval/ratings.json", "run/eval/ratings.json", false, 3,
			func(whole []byte, n int, cut bool) bool { return !cut || n == len(whole)-1 }},
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
				f := look(t, c.path, c.all)
				sound := c.sound(whole, n, shorten) ||
					shorten && slices.Contains(boundaries, n) && c.path != "run"
				if f.Sound && !sound {
					t.Fatalf("%s, cut %v at byte %d of %d: %s is found sound",
						c.file, shorten, n, len(whole), c.path)
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
