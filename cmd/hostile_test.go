package cmd

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"tengen/internal/notation"
	"tengen/run/runtest"
	"tengen/vfs"
)

// hostile is text with which a terminal would be cleared, named and coloured, read from right to
// left, and shown a line that nobody wrote.
const hostile = "x\x1b[2J\x1b]0;t\x07\u009b31m\u202eevil\x7f\r\xff\ntengen: forged"

// tame fails the test if a terminal would obey anything in what a command wrote.
func tame(t *testing.T, what, said string) {
	t.Helper()
	if notation.PlainLines(said) != said {
		t.Errorf("%s: a terminal would obey %.600q", what, said)
	}
	if strings.Contains(said, "\ntengen: forged") {
		t.Errorf("%s: a line is forged: %.600q", what, said)
	}
}

// try runs a command with a hostile file, and checks what it writes.
func try(t *testing.T, what string, args ...string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var out, errs bytes.Buffer
	program.Execute(ctx, args, strings.NewReader("\n\n"), &out, &errs)
	if ctx.Err() != nil {
		t.Errorf("%s: tengen %q does not end", what, args)
	}
	tame(t, fmt.Sprintf("%s: tengen %q", what, args), out.String()+errs.String())
}

// quotedHostile is hostile in a document of JSON, with the byte that is not UTF-8.
func quotedHostile() json.RawMessage {
	text, err := json.Marshal(hostile)
	if err != nil {
		panic(err)
	}
	return bytes.ReplaceAll(text, []byte(`\ufffd`), []byte("\xff"))
}

// spoiled calls each with the document once for each of its values, which is then hostile, and once
// for each key of an object that has a hostile one besides. where names the value, and text is
// whether it was a text.
func spoiled(document any, each func(where string, text bool, document any)) {
	var walk func(v any, where string, put func(v any))
	walk = func(v any, where string, put func(any)) {
		switch v := v.(type) {
		case map[string]any:
			for _, key := range slices.Sorted(maps.Keys(v)) {
				old := v[key]
				walk(old, where+"."+key, func(x any) {
					v[key] = x
					each(where+"."+key, isText(old), document)
					v[key] = old
				})
			}
			v["crc\x1b[2J"] = 1.0
			each(where+".…", false, document)
			delete(v, "crc\x1b[2J")
		case []any:
			for i, old := range v {
				walk(old, fmt.Sprintf("%s[%d]", where, i), func(x any) {
					v[i] = x
					each(fmt.Sprintf("%s[%d]", where, i), isText(old), document)
					v[i] = old
				})
			}
		default:
			put(json.RawMessage(marker))
		}
	}
	walk(document, "", func(any) {})
}

func isText(v any) bool { _, ok := v.(string); return ok }

// marker stands for the hostile text until a document is text: encoding/json would mend the latter.
const marker = `"HOSTILE"`

// encoded is a document as JSON.
func encoded(t *testing.T, document any) []byte {
	t.Helper()
	text, err := json.Marshal(document)
	if err != nil {
		t.Fatal(err)
	}
	return bytes.ReplaceAll(text, []byte(marker), quotedHostile())
}

// sealed is a line of a journal.
func sealed(t *testing.T, document any) []byte {
	t.Helper()
	object := maps.Clone(document.(map[string]any))
	delete(object, "crc")
	line, err := vfs.AppendLine(nil, json.RawMessage(encoded(t, object)))
	if err != nil {
		t.Fatal(err)
	}
	return line
}

// digested is run.json with its checksum.
func digested(t *testing.T, document any) []byte {
	t.Helper()
	object := maps.Clone(document.(map[string]any))
	object["sha256"] = ""
	sum := sha256.Sum256(encoded(t, object))
	object["sha256"] = hex.EncodeToString(sum[:])
	return encoded(t, object)
}

// moreEvents are lines of events.jsonl of the kinds that [runtest.Small] has not.
const moreEvents = `{"time":"2026-11-21T12:03:00Z","event":"resume","iteration":2,"run":"0123456789abcdef","init":"a network","changes":[{"key":"training.iterations","old":"2","new":"3"}]}
{"time":"2026-11-21T12:05:00Z","event":"evaluation","iteration":2,"strength":{"points":[0.5,0.25],"ci95":[0,0],"sum":0.75,"sum_ci95":0,"games":2,"against":"uct:simulations=8","rung":{"player":"uct:simulations=9","elo":3},"rating":1,"rating_low":0,"rating_high":2}}
{"time":"2026-11-21T12:06:00Z","event":"iteration","iteration":3,"dropped":"a number was not finite","losses":{"total":1},"scores":[1,0]}
{"time":"2026-11-21T12:07:00Z","event":"warning","iteration":3,"message":"a warning"}
{"time":"2026-11-21T12:08:00Z","event":"stop","iteration":3,"message":"the end"}
`

// hostileFile is a file of which each value becomes hostile in turn.
type hostileFile struct {
	path  string
	text  string // "": as it is in the run
	lines bool   // a document a line
	seal  func(t *testing.T, document any) []byte
	// that are given it, the last of which may write, and the first of which does not unless it is
	// the last; RUN is its run's folder, FILE the file
	commands []string
}

var ofRun = []string{
	"inspect FILE", "inspect RUN --all", "inspect RUN --json", "watch RUN --once",
	"compare RUN RUN", "export RUN --format csv --out x.csv",
	"train --resume --run RUN --set selfplay.cache_mib=1 --listen none",
}

var ofGames = []string{
	"inspect FILE", "inspect FILE:0", "inspect FILE --json", "play --replay FILE",
	"play --replay FILE:0", "play --continue FILE uct:simulations=2 uct:simulations=2",
	"analyze FILE uct:simulations=4", "analyze FILE --each uct:simulations=4",
	"export FILE --out x.onnx",
}

var hostileFiles = []hostileFile{
	{path: "run/events.jsonl", lines: true, commands: ofRun},
	{path: "run/eval/000002.json", commands: ofRun},
	{path: "run/eval/ratings.json", commands: ofRun},
	{path: "run/eval/games.jsonl", lines: true, commands: ofRun},
	{path: "run/run.json", seal: digested, commands: ofRun},
	{path: "run/LOCK",
		text:     `{"pid":1,"host":"box","since":"2026-11-21T12:00:00Z","command":"tengen train"}`,
		commands: ofRun},
	{path: "run/checkpoints/000003/state.json",
		commands: append([]string{
			"inspect RUN@3", "eval RUN --games 2", "export RUN --out x.onnx",
		}, ofRun...)},
	{path: "run/checkpoints/000003/manifest.json",
		commands: append([]string{
			"inspect RUN@3", "eval RUN --games 2", "export RUN --out x.onnx",
		}, ofRun...)},
	{path: "match.jsonl", lines: true, seal: sealed, commands: ofGames, text: `{"format":"tengen match","version":1,"game":"tictactoe","players":["uct:simulations=2","random"],"networks":["","x"],"seed":1,"opening":1,"crc":""}
{"number":0,"game":"tictactoe","players":["uct:simulations=2","random"],"seating":[0,1],"actions":[0,3,1,4,2],"moves":["a3","a2","b3","b2","c3"],"scores":[1,0],"returns":[1,0],"crc":""}
`},
	{path: "match/match.jsonl", lines: true, seal: sealed, commands: []string{"arena uct:simulations=2 random --game tictactoe --games 2 --save match"}, text: `{"format":"tengen match","version":1,"game":"mnk:rows=3,columns=3,in_row=3,players=2","players":["uct:simulations=2,c=0.8,utility=unit","random"],"seed":1,"opening":0,"crc":""}
{"number":0,"game":"mnk:rows=3,columns=3,in_row=3,players=2","players":["uct:simulations=2,c=0.8,utility=unit","random"],"seating":[0,1],"actions":[0,3,1,4,2],"moves":["a3","a2","b3","b2","c3"],"scores":[1,0],"returns":[1,0],"crc":""}
`},
	{path: "game.json", commands: ofGames, text: `{"version":1,"number":0,"game":"tictactoe","players":["Ann","Bob"],"actions":[0,3,1,4,2],"moves":["a3","a2","b3","b2","c3"],"scores":[1,0],"returns":[1,0],"networks":[{"step":3,"from":1}],"stream":7}`},
	{path: "match/gtp-match.jsonl", lines: true, seal: sealed, commands: []string{"inspect FILE", "inspect FILE --json", "gtp --game go:size=5,players=2 uct:simulations=2 --games 2 --save match --against CAT"}, text: `{"format":"tengen gtp match","version":1,"game":"go:size=5,players=2","player":"uct:simulations=2","network":"0f","command":"cat","seed":1,"opening":0,"crc":""}
{"number":0,"black":true,"moves":["c3","a1"],"ended":"resigned","margin":0,"opponent":"Fake 1","crc":""}
{"number":1,"black":false,"moves":["c3","pass"],"ended":"refused","score":"B+25","margin":1,"own_final_score":"B+1","their_final_score":"B+2","why":"so it is","opponent":"Fake 1","crc":""}
`},
	{path: "table3.json", commands: []string{"inspect FILE", "inspect FILE --json"}, text: `{"made":{"version":1,"program":"x","command":"tengen-lab reproduce go-table3","machine":"y","games":1000,"distinct_games":999,"seconds":47},"unit":"points","points":[{"mean":1,"ci95":2}]}`},
}

// TestHostileFiles: whatever stands in a value of a file, a terminal does not obey it.
func TestHostileFiles(t *testing.T) {
	t.Chdir(t.TempDir())
	runtest.Small(t, "whole")
	for _, f := range hostileFiles {
		text := []byte(f.text)
		if f.text == "" {
			var err error
			if text, err = os.ReadFile(strings.Replace(f.path, "run", "whole", 1)); err != nil &&
				f.path != "run/run.json" {
				t.Fatal(err)
			}
		}
		switch f.path {
		case "run/events.jsonl":
			text = append(text, moreEvents...)
		case "run/run.json":
			text = []byte(`{"format":"tengen run","version":1,"run":"0123456789abcdef","config":["game: tictactoe"],"previous":["game: tictactoe"],"sha256":""}`)
		}
		documents := [][]byte{text}
		if f.lines {
			documents = bytes.SplitAfter(bytes.TrimSpace(text), []byte("\n"))
		}
		seal := f.seal
		if seal == nil {
			seal = encoded
		}
		tried := 0
		written := true // since the folder was made anew
		for i, text := range documents {
			var document any
			if err := json.Unmarshal(text, &document); err != nil {
				t.Fatal(f.path, err)
			}
			spoiled(document, func(where string, text bool, document any) {
				tried++
				lines := slices.Clone(documents)
				lines[i] = append(bytes.TrimSpace(seal(t, document)), '\n')
				for k, line := range lines {
					if k != i && f.seal != nil {
						var other any
						if err := json.Unmarshal(line, &other); err != nil {
							t.Fatal(err)
						}
						lines[k] = append(bytes.TrimSpace(f.seal(t, other)), '\n')
					}
				}
				if written {
					remake(t)
				}
				replace(t, f.path, bytes.Join(lines, nil))
				commands := f.commands
				if !text {
					commands = commands[:1] // which refuses it as the others do
				}
				written = len(commands) == len(f.commands)
				for _, command := range commands {
					args := strings.Fields(strings.NewReplacer("FILE", f.path, "RUN", "run", "CAT",
						"cat").Replace(command))
					try(t, fmt.Sprintf("%s, line %d, %s", f.path, i+1, where), args...)
				}
			})
		}
		if tried < 3 {
			t.Errorf("%s: %d values were hostile", f.path, tried)
		}
	}
}

// remake makes the folder run anew, and removes the folder match.
func remake(t *testing.T) {
	t.Helper()
	for _, name := range []string{"run", "match"} {
		if err := os.RemoveAll(name); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.CopyFS("run", os.DirFS("whole")); err != nil {
		t.Fatal(err)
	}
}

// replace writes a file, and what a manifest says of it.
func replace(t *testing.T, path string, text []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, text, 0o644); err != nil {
		t.Fatal(err)
	}
	if filepath.Base(path) != "state.json" {
		return
	}
	manifest := filepath.Join(filepath.Dir(path), "manifest.json")
	old, err := os.ReadFile(manifest)
	if err != nil {
		t.Fatal(err)
	}
	var m struct {
		Format  string           `json:"format"`
		Version int              `json:"version"`
		Files   []map[string]any `json:"files"`
	}
	if err := json.Unmarshal(old, &m); err != nil {
		t.Fatal(err)
	}
	for _, f := range m.Files {
		if f["name"] == "state.json" {
			sum := sha256.Sum256(text)
			f["size"], f["sha256"] = len(text), hex.EncodeToString(sum[:])
		}
	}
	if err := os.WriteFile(manifest, encoded(t, m), 0o644); err != nil {
		t.Fatal(err)
	}
}
