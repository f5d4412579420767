package cmd

import (
	"bytes"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tengen/checkpoints"
	"tengen/checkpoints/safetensors"
	"tengen/configs"
	"tengen/run/runtest"
	"tengen/vfs"
)

// TestHostileSGF: of each property of a game, each command that reads SGF.
func TestHostileSGF(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, property := range []string{
		"PB", "PW", "BR", "GN", "EV", "C", "RE", "RU", "KM", "SZ", "CA", "AP", "GM", "FF", "HA",
		"PL", "AB", "B", "N", "LB", "XX", "x\x1b[2J",
	} {
		text := "(;GM[1]SZ[5]" + property + "[" + strings.ReplaceAll(hostile, "]", `\]`) +
			"];B[cc];W[dd]" + property + "[" + strings.ReplaceAll(hostile, "]", `\]`) + "])"
		write(t, "game.sgf", text)
		for _, command := range []string{
			"inspect game.sgf", "analyze game.sgf uct:simulations=2",
			"analyze game.sgf uct:simulations=2 --json", "play --replay game.sgf",
			"play --continue game.sgf uct uct",
		} {
			try(t, property, strings.Fields(command)...)
		}
		_, out, errs := tengen(t, "boardsize 5\nloadsgf game.sgf\nprintsgf\nshowboard\nquit\n",
			"gtp --game go:size=5,players=2 uct:simulations=2")
		tame(t, property+": loadsgf", out+errs)
	}
}

// TestHostileKeys: in each key of a configuration, and in decks, positions and games' names.
func TestHostileKeys(t *testing.T) {
	t.Chdir(t.TempDir())
	escaped := `"` +
		strings.NewReplacer("\x1b", `\e`, "\x07", `\a`, "\u009b", `\x9b`, "\u202e", `\u202e`,
			"\x7f", `\x7f`, "\r", `\r`, "\xff", `\xff`, "\n", `\n`).Replace(hostile) + `"`
	c := configs.Default()
	text, err := c.YAML()
	if err != nil {
		t.Fatal(err)
	}
	section, keys := "", 0
	for line := range strings.Lines(string(text)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ":")
		if name == "" || strings.HasPrefix(name, "#") || strings.HasPrefix(name, "-") {
			continue
		}
		if strings.HasPrefix(line, " ") {
			name = section + "." + name
		} else if section = name; strings.TrimSpace(value) == "" {
			continue
		}
		keys++
		for _, value := range []string{escaped, `[` + escaped + `]`, `{` + escaped + `: 1}`} {
			write(t, "x.yaml", "game: tictactoe\n"+name+": "+value+"\n")
			try(t, name, "config", "x.yaml", "--sources")
			try(t, name, "train", "x.yaml", "--dry-run", "--set", "training.minutes=-1")
		}
		try(t, name, "config", "--set", name+"="+hostile)
		try(t, name, "config", name+hostile)
	}
	if keys < 50 {
		t.Errorf("%d keys were tried", keys)
	}
	for _, text := range []string{escaped + ": 1\n", escaped + "\n",
		"a: &x " + escaped + "\nb: *" + hostile + "\n", hostile, "cards: [" + escaped + "]\n",
		"title: " + escaped + "\n", "name: " + escaped + "\narms: [{name: " + escaped + "}]\n",
		"title: x\nbase: y.yaml\narms: [{name: " + escaped +
			"}, {name: b}]\nseeds: 2\nmatch: {games: 2, simulations: 2}\n"} {
		write(t, "x.yaml", text)
		for _, command := range []string{
			"config x.yaml", "train x.yaml --run r", "lab x.yaml --dry-run",
			"games tcg:deck=x.yaml", "games turtle:deck=x.yaml", "inspect x.yaml",
			"analyze --game tcg x.yaml uct", "analyze --game turtle x.yaml uct",
		} {
			try(t, text, strings.Fields(command)...)
		}
	}
}

// TestHostileWords: in each word of a command line, which are quoted where they are wrong. Commands
// that go on with some of them are left out.
func TestHostileWords(t *testing.T) {
	lines, err := os.ReadFile("testdata/wrong.txt")
	t.Chdir(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for line := range strings.Lines(string(lines)) {
		args := words(strings.TrimSpace(line))
		if len(args) < 2 || strings.HasPrefix(line, "#") || slices.Contains(endless, args[0]) ||
			seen[args[0]+args[1]] {
			continue
		}
		seen[args[0]+args[1]] = true
		for i := range args {
			hostileArgs := append([]string(nil), args...)
			hostileArgs[i] = hostile
			try(t, "a word", hostileArgs...)
			hostileArgs[i] = args[i] + "=" + hostile
			try(t, "a word", hostileArgs...)
		}
	}
}

var endless = []string{"train", "serve", "worker", "reproduce", "bench"}

// TestHostileNetworks: in the metadata and the names of tensors of a network, and in the records of
// a run's games.
func TestHostileNetworks(t *testing.T) {
	t.Chdir(t.TempDir())
	g := runtest.Game()
	whole := &checkpoints.Checkpoint{
		Iteration: 1, Step: 1, Game: g.Name(), Params: runtest.Network(t, g),
	}
	path, err := checkpoints.Save("checkpoints", whole)
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(path, "model.safetensors"))
	if err != nil {
		t.Fatal(err)
	}
	tensors, metadata, err := safetensors.Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	spoil := func(what string) {
		t.Helper()
		err := vfs.WriteFile(vfs.OS{}, "x.safetensors", func(w io.Writer) error {
			return safetensors.Write(w, tensors, metadata)
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, command := range []string{
			"inspect x.safetensors", "inspect x.safetensors --json", "eval x.safetensors --games 2",
			"export x.safetensors --out y.onnx", "analyze --game tictactoe az:x.safetensors",
			"gtp x.safetensors", "play x.safetensors human",
			"arena az:x.safetensors random --games 2", "train --init x.safetensors",
		} {
			try(t, what, strings.Fields(command)...)
		}
	}
	for key, old := range metadata {
		metadata[key] = strings.ToValidUTF8(hostile, "?")
		spoil("metadata " + key)
		metadata[key] = old
	}
	metadata[strings.ToValidUTF8(hostile, "?")] = "x"
	spoil("a key of the metadata")
	delete(metadata, strings.ToValidUTF8(hostile, "?"))
	tensors[0].Name = strings.ToValidUTF8(hostile, "?")
	spoil("the name of a tensor")

	runtest.Small(t, "run")
	bad := runtest.Record(g, 12, 1)
	bad.Name = hostile
	runtest.Keep(t, "run/replay", bad)
	for _, command := range []string{
		"inspect run --all", "inspect run:12", "inspect run:12 --json", "play --replay run:12",
		"train --resume --run run --set selfplay.cache_mib=1 --listen none",
	} {
		try(t, "a record", strings.Fields(command)...)
	}
}

// hostileOpponent is a program that speaks GTP and answers all but quit with something hostile.
const hostileOpponent = `#!/bin/sh
while read word rest; do
	case "$word" in
	%s) printf '= x\033[2J\033]0;t\007\302\2331m\342\200\256evil\177\r\377\ntengen: forged\n\n' ;;
	name) printf '= other\n\n' ;;
	version) printf '= 1\n\n' ;;
	genmove) printf '= pass\n\n' ;;
	final_score) printf '= 0\n\n' ;;
	quit) printf '=\n\n'; exit ;;
	*) printf '=\n\n' ;;
	esac
	printf 'x\033[2J\033]0;t\007\302\2331m\377\ntengen: forged\n' >&2
done
`

// TestHostileOpponent: in each answer of another program, and in its standard error.
func TestHostileOpponent(t *testing.T) {
	if _, err := os.Stat("/bin/sh"); err != nil {
		t.Skip("there is no shell")
	}
	t.Chdir(t.TempDir())
	for _, word := range []string{
		"name", "version", "genmove", "final_score", "list_commands", "known_command",
		"protocol_version", "boardsize", "komi", "clear_board", "play", "nothing",
	} {
		write(t, "other", strings.Replace(hostileOpponent, "%s", word, 1))
		if err := os.Chmod("other", 0o755); err != nil {
			t.Fatal(err)
		}
		try(t, word, "gtp", "--game", "go:size=3,players=2", "uct:simulations=2", "--games", "2",
			"--against", "./other", "--save", word)
		try(t, word+", again", "gtp", "--game", "go:size=3,players=2", "uct:simulations=2",
			"--games", "4", "--against", "./other", "--save", word)
		try(t, word, "inspect", filepath.Join(word, "gtp-match.jsonl"))
	}
}

// TestHostileServer: in what a process that is watched answers.
func TestHostileServer(t *testing.T) {
	for _, c := range []struct {
		status int
		text   string
	}{
		{
			200, "tengen_run_info{game=\"" + strings.ReplaceAll(hostile, "\n", `\n`) +
				"\",algorithm=\"" + strings.ReplaceAll(hostile, "\n",
				`\n`) + "\"} 1\ntengen_iteration 1\ntengen_iterations 2\n",
		},
		{200, hostile},
		{500, hostile},
	} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(c.status)
			_, _ = io.WriteString(w, c.text)
		}))
		try(t, c.text, "watch", s.URL, "--once")
		s.Close()
	}
}

// TestOneWayOut: no command writes past what cli.Output lets through.
func TestOneWayOut(t *testing.T) {
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") ||
			strings.HasSuffix(path, "_test.go") || filepath.Base(path) == "main.go" {
			return err
		}
		set := token.NewFileSet()
		f, err := parser.ParseFile(set, path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(f, func(n ast.Node) bool {
			s, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			if x, ok := s.X.(*ast.Ident); ok &&
				(x.Name == "os" && (s.Sel.Name == "Stdout" || s.Sel.Name == "Stderr") ||
					x.Name == "fmt" && strings.HasPrefix(s.Sel.Name, "Print")) {
				t.Errorf("%s: %s.%s", set.Position(s.Pos()), x.Name, s.Sel.Name)
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestDataStays: what other programs read is written as it is, and JSON means what it meant.
func TestDataStays(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, line := range []string{
		"config quick", "config --describe", "games --json", "players --json", "help train",
	} {
		var plain bytes.Buffer
		root := Root()
		root.SetArgs(strings.Fields(line))
		root.SetOut(&plain)
		if err := root.Execute(); err != nil {
			t.Fatal(line, err)
		}
		if status, out, _ := tengen(t, "", line); status != 0 ||
			out != plain.String() || out == "" {
			t.Errorf("%s: status %d, %d bytes, want %d", line, status, len(out), plain.Len())
		}
	}
	name := strings.ToValidUTF8(hostile, "\uFFFD")
	text, err := json.Marshal(map[string]any{
		"format": "tengen match", "version": 1, "game": "tictactoe",
		"players": []string{name, "random"}, "seed": 1,
	})
	if err != nil {
		t.Fatal(err)
	}
	line, err := vfs.AppendLine(nil, json.RawMessage(text))
	if err != nil {
		t.Fatal(err)
	}
	write(t, "match.jsonl", string(line))
	_, out, errs := tengen(t, "", "inspect match.jsonl --json")
	var report any
	if err := json.Unmarshal([]byte(out), &report); err != nil || errs != "" {
		t.Fatal(err, errs)
	}
	found := false
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case string:
			found = found || v == name
		case map[string]any:
			for _, x := range v {
				walk(x)
			}
		case []any:
			for _, x := range v {
				walk(x)
			}
		}
	}
	if walk(report); !found {
		t.Errorf("no text in %s is %q", out, name)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
