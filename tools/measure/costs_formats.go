package main

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"strings"

	"tengen/arena"
	"tengen/checkpoints"
	"tengen/checkpoints/safetensors"
	"tengen/cluster"
	"tengen/configs"
	"tengen/game"
	_ "tengen/game/all"
	"tengen/game/backgammon"
	"tengen/interop/analysis"
	"tengen/interop/gtp"
	"tengen/interop/sgf"
	"tengen/nn/cuda/driver"
	"tengen/player"
	"tengen/replay"
	"tengen/research/lab"
	"tengen/run"
	"tengen/vfs"
	"tengen/vfs/vfstest"
)

// A format is one kind of file or line that comes from outside.
type format struct {
	name    string
	hostile func(n int) []hostile // files of about n bytes
	read    func(data []byte)     // reads one; whether it can be read does not matter
}

// hostile is a file that means harm. data makes its content: all files together would take a
// gigabyte.
type hostile struct {
	name string
	data func() []byte
}

// of returns a file with this content.
func of(name, text string) hostile { return hostile{name, func() []byte { return []byte(text) }} }

// repeat returns about n bytes: before, many parts and after.
func repeat(name string, n int, before, part, after string) hostile {
	return hostile{name, func() []byte {
		return []byte(before + strings.Repeat(part,
			max(1, (n-len(before)-len(after))/len(part))) + after)
	}}
}

// texts are what any reader of texts may meet.
func texts(n int) []hostile {
	return []hostile{
		repeat("zeros", n, "", "\x00", ""), repeat("ones", n, "", "\xff", ""),
		repeat("blank lines", n, "", "\n", ""), repeat("a long line", n, "", "a", ""),
		repeat("digits", n, "", "9", ""), repeat("words", n, "", "a ", ""),
		repeat("lines", n, "", "a 1\n", ""),
	}
}

// jsons are hostile objects: alone, and as the value of each key of an object that begins as the
// format wants it.
func jsons(begin string, keys ...string) func(n int) []hostile {
	values := func(n int) []hostile {
		list := []hostile{
			repeat("nested lists", n, "", "[", ""), repeat("nested objects", n, "", `{"a":`, ""),
			repeat("closed lists", n/2, "", "[", strings.Repeat("]", n/2)),
			repeat("numbers", n, "[1", ",1", "]"), repeat("empty lists", n, "[[]", ",[]", "]"),
			repeat("empty objects", n, "[{}", ",{}", "]"),
			repeat("nulls", n, "[null", ",null", "]"),
			repeat("texts", n, `[""`, `,""`, "]"), repeat("a long text", n, `"`, "a", `"`),
			repeat("escapes", n, `"`, `\u0041`, `"`), repeat("a long number", n, "", "9", ""),
			repeat("an exponent", n, "1e", "9", ""),
			repeat("the same key", n, `{"a":1`, `,"a":1`, "}"), of("a huge number", "1e18"),
			of("a negative one", "-9223372036854775808"),
		}
		return append(list, hostile{"keys", func() []byte {
			many := []byte("{")
			for i := 0; len(many) < n; i++ {
				many = fmt.Appendf(many, `"%x":1,`, i)
			}
			return append(many, `"":0}`...)
		}})
	}
	return func(n int) []hostile {
		list := append(texts(n), values(n)...)
		for _, key := range keys {
			for _, v := range values(n) {
				list = append(list, v.within(key+": ", begin+`"`+key+`":`, "}\n"))
			}
		}
		return list
	}
}

// within returns a file with h between two texts.
func (h hostile) within(name, before, after string) hostile {
	return hostile{
		name + h.name, func() []byte { return []byte(before + string(h.data()) + after) },
	}
}

// headed are hostile headers of safetensors.
func headed(n int) []hostile {
	file := func(h hostile) hostile {
		return hostile{h.name, func() []byte {
			header := h.data()
			return append(binary.LittleEndian.AppendUint64(nil, uint64(len(header))), header...)
		}}
	}
	list := append(texts(n), repeat("a length of all", n, "", "\xff", ""),
		of("a length too large", string(binary.LittleEndian.AppendUint64(nil, 1<<62))))
	for _, v := range jsons("", "")(n) {
		list = append(list, file(v), file(v.within("metadata: ", `{"__metadata__":`, "}")),
			file(v.within("shape: ", `{"a":{"dtype":"F32","data_offsets":[0,0],"shape":`, "}}")))
	}
	tensors := hostile{"tensors", func() []byte {
		list := []byte(`{"":{"dtype":"F32","shape":[0],"data_offsets":[0,0]}`)
		for i := 0; len(list) < n; i++ {
			list = fmt.Appendf(list, `,"%x":{"dtype":"F32","shape":[0],"data_offsets":[0,0]}`, i)
		}
		return append(list, '}')
	}}
	return append(list, file(tensors),
		file(repeat("dimensions", n, `{"a":{"dtype":"F32","shape":[1`, ",1",
			`],"data_offsets":[0,4]}}`)),
		file(of("a huge shape",
			`{"a":{"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,0]}}`)),
		file(of("a shape of 2^40",
			`{"a":{"dtype":"F32","shape":[1099511627776],"data_offsets":[0,4398046511104]}}`)),
		file(of("empty ones",
			`{"a":{"dtype":"F32","shape":[0,9223372036854775807],"data_offsets":[0,0]}}`)))
}

// keyed are hostile files of keys.
func keyed(n int) []hostile {
	return append(texts(n), repeat("nested lists", n, "a: ", "[", ""),
		repeat("nested maps", n, "a: ", "{a: ", ""), repeat("dashes", n, "", "- ", ""),
		repeat("colons", n, "", ": ", ""),
		repeat("aliases", n, "a: &a x\n", "b: *a\n", ""), repeat("anchors", n, "", "&a ", ""),
		repeat("elements", n, "cards: [1", ",1", "]"), repeat("a text", n, `game: "`, "a", `"`),
		repeat("names", n, "game: go:size=", "9", "\n"), repeat("numbers", n, "seed: ", "9", "\n"),
		of("huge", "search: {simulations: 1e18}\nnetwork: {blocks: 1e18}\n"),
		repeat("list of settings", n, "training: {batch: [1", ",1", "]}\n"))
}

// specs are hostile names of games and players.
func specs(name string, keys ...string) func(n int) []hostile {
	return func(n int) []hostile {
		list := append(texts(n), repeat("colons", n, name, ":", ""),
			repeat("commas", n, name+":", ",", ""), repeat("brackets", n, name+":a=", "[", ""),
			repeat("equals", n, name+":", "=", ""),
			repeat("keys", n, name+":a=1", ",a=1", ""))
		for _, k := range keys {
			for _, v := range []string{
				"1e18", "999999999999999999", "-1", "1e-300", "NaN", "Inf", "2147483647",
				"10000", "0",
			} {
				list = append(list, of(k+"="+v, name+":"+k+"="+v))
			}
			list = append(list, repeat(k+" of digits", n, name+":"+k+"=", "9", ""),
				repeat(k+" of a list", n, name+":"+k+"=[1", ",1", "]"),
				repeat(k+" again and again", n, name+":", k+"=a,", ""))
		}
		return list
	}
}

// together joins lists of hostile files.
func together(all ...func(n int) []hostile) func(n int) []hostile {
	return func(n int) (list []hostile) {
		for _, f := range all {
			list = append(list, f(n)...)
		}
		return list
	}
}

// zips are hostile archives of kernels.
func zips(n int) []hostile {
	list := texts(n)
	bomb := func(name string, files int, size int) hostile {
		return hostile{name, func() []byte { return zipped(files, size) }}
	}
	return append(list, bomb("a bomb", 1, 1000*n), bomb("files", n/150, 1),
		bomb("large files", 8, 100*n))
}

// zipped returns an archive of files of zeros.
func zipped(files, size int) []byte {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	f, _ := w.Create("format") // into memory
	_, _ = io.WriteString(f, "tengen kernels 1\n")
	for i := range files {
		f, _ := w.Create(fmt.Sprintf("sm_90/k%d", i))
		_, _ = f.Write(make([]byte, size))
	}
	_ = w.Close()
	return b.Bytes()
}

// formats lists the formats. dir is for files that can be read by their path only.
func formats(dir string) ([]format, error) {
	tic, err := game.New("tictactoe")
	if err != nil {
		return nil, err
	}
	file := func(name string, read func(path string)) func([]byte) {
		path := filepath.Join(dir, name)
		return func(data []byte) {
			if os.WriteFile(path, data, 0o644) == nil {
				read(path)
			}
		}
	}
	checkpoint := func(name string) func([]byte) {
		s := checkpoints.Store{FS: vfstest.NewMemory(), Dir: "c"}
		return func(data []byte) {
			folder := filepath.Join("c", "000001")
			if vfs.MkdirAll(s.FS, folder) == nil &&
				vfs.WriteBytes(s.FS, filepath.Join(folder, name), data) == nil {
				_, _ = s.Load(folder)
			}
		}
	}
	inRun := func(name string, read func(f run.Files)) func([]byte) {
		return func(data []byte) {
			f := run.Folder("run").On(vfstest.NewMemory())
			if vfs.MkdirAll(f.FS, filepath.Dir(filepath.Join("run", name))) == nil &&
				vfs.WriteBytes(f.FS, filepath.Join("run", name), data) == nil {
				read(f)
			}
		}
	}
	random, err := player.Parse(tic, "random")
	if err != nil {
		return nil, err
	}
	goBoard, err := game.New("go:size=5,players=2,pass=free")
	if err != nil {
		return nil, err
	}
	serve := func(data []byte) {
		e, err := gtp.NewEngine(gtp.Config{
			Player: random, Game: goBoard, Name: "Tengen", Version: "0",
		})
		if err == nil {
			_ = e.Serve(context.Background(),
				bytes.NewReader(append(data, "\nquit\n"...)), io.Discard)
		}
	}
	uct, err := player.Parse(goBoard, "uct:simulations=2")
	if err != nil {
		return nil, err
	}
	ask := func(data []byte) {
		s, err := analysis.NewServer(analysis.Config{
			Player: uct, Game: goBoard, Parallel: 1, AtOnce: true, Visits: 2, Version: "0",
		})
		if err == nil {
			_ = s.Serve(context.Background(), bytes.NewReader(append(data, '\n')), io.Discard)
		}
	}
	position := func(name string) func([]byte) {
		g := game.Must(game.New(name))
		return func(data []byte) {
			if p, ok := g.(game.Positioned); ok {
				_, _ = p.ParsePosition(string(data))
			}
		}
	}
	lines := func(words ...string) func(n int) []hostile {
		return func(n int) (list []hostile) {
			for _, w := range words {
				list = append(list, repeat(w+" and blanks", n, w, " ", "1"),
					repeat(w+" and numbers", n, w, " 9", ""),
					repeat(w+" and a number", n, w+" ", "9", ""),
					repeat("lines of "+w, n, "", w+" 1\n", ""), repeat(w+" {", n, w+" ", "{", ""))
			}
			return append(list, texts(n)...)
		}
	}
	return []format{
		{"safetensors", headed, func(d []byte) { _, _, _ = safetensors.Decode(d) }},
		{"network for export", headed, func(d []byte) { _, _ = checkpoints.ReadModel(d) }},
		{"checkpoint: manifest.json",
			jsons(`{"format":"tengen checkpoint","version":1,`, "files", "iteration", "game"),
			checkpoint("manifest.json")},
		{"checkpoint: state.json",
			jsons(`{"format":"tengen checkpoint","version":1,`, "state", "run"),
			checkpoint("state.json")},
		{
			"run.json", jsons(`{"format":"tengen run","version":1,`, "config", "previous", "run",
				"before"), inRun("run.json", func(f run.Files) { _, _ = f.ReadIdentity() }),
		},
		{"events.jsonl",
			jsons(`{"event":"evaluation","iteration":1,`, "strength", "losses", "scores"),
			inRun("events.jsonl", func(f run.Files) { _, _ = f.History() })},
		{"eval/games.jsonl", jsons(`{"evaluation":1,`, "players", "scores", "number"),
			inRun("eval/games.jsonl", func(f run.Files) { _, _ = f.OpenGameLog(2, 50_000) })},
		{"segment of the replay", texts, func(d []byte) { _, _ = replay.ReadSegment("s", d) }},
		{
			"deck", keyed, file("deck.yaml", func(path string) {
				_, _ = game.New("tcg:deck=" + path)
			}),
		},
		{"configuration", keyed,
			file("config.yaml", func(path string) {
				_, _ = configs.Resolve(configs.Options{Name: path})
			})},
		{"lab", keyed, func(d []byte) { _, _ = lab.Parse("lab.yaml", d) }},
		{"SGF", func(n int) []hostile {
			return append(texts(n), repeat("identifier", n, "(;", "A", "[]"),
				repeat("variations", n, "", "(;", ""), repeat("values", n, "(;A", "[]", ""),
				repeat("escapes", n, "(;C[", `\`, ""),
				repeat("properties", n, "(;", "A[]", ")"),
				repeat("stones", n, "(;AB", "[aa:ss]", ")"),
				repeat("a name", n, "(;PB[", "\xff", "])"), repeat("passes", n, "(", ";B[]", ")"),
				repeat("narrow katakana", n, "(;CA[SJIS]PB[", "\xb1", "])"),
				repeat("Chinese", n, "(;PB[", "\xb0\xa1", "])"),
				repeat("cut characters", n, "(;CA[GBK]", "C[\x95]", ")"),
				repeat("encodings", n, "(;C[", "CA[GBK]CA[Big5]CA[SJIS]CA[EUC-KR]", ""),
				repeat("UTF-16", n, "\xff\xfe(\x00", ";\x00B\x00[\x00]\x00", ")\x00"),
				repeat("set-ups", n, "(;SZ[19];B[aa]", ";AW[bb];B[]", ")"))
		}, func(d []byte) { _, _ = sgf.Parse(d) }},
		{"lines of GTP",
			lines("komi", "boardsize", "play b", "genmove", "time_settings", "kata-analyze",
				"set_free_handicap", "kata-set-rules", "showboard", "loadsgf",
				"list_commands"), serve},
		{"lines of an analysis",
			jsons(`{"id":"q","rules":"tromp-taylor","boardXSize":5,"boardYSize":5,`, "moves",
				"initialStones", "analyzeTurns", "maxVisits", "komi", "boardXSize"), ask},
		{"game in JSON", jsons(`{"game":"tictactoe",`, "actions", "scores", "players", "game"),
			func(d []byte) { _, _, _ = arena.ReadRecords(d) }},
		{"match file", jsons(`{"number":0,"game":"tictactoe",`, "actions", "scores", "players",
			"seating", "moves"), func(d []byte) {
			_, _, _ = arena.ReadRecords(sealed(d, map[string]any{
				"format": "tengen match", "version": 1, "game": "tictactoe",
				"players": []string{"a", "b"},
			}))
		}},
		{"match file against a program",
			jsons(`{"number":0,"black":true,`, "moves", "margin", "ended",
				"opponent"), func(d []byte) {
				_, _, _ = gtp.ReadMatch(sealed(d, map[string]any{
					"format": "tengen gtp match", "version": 1,
					"game": "go:size=5,players=2,pass=free",
				}))
			}},
		{"message of a worker", together(texts, jsons(`{`, "numbers")), func(d []byte) {
			for kind := byte(1); kind <= 7; kind++ {
				_ = cluster.Decode(d, new(cluster.Hello))
				_, _, _ = cluster.DecodeBatch(d)
				_, _, _ = cluster.DecodeResults(d)
			}
		}},
		{"equities", texts, func(d []byte) { _, _ = backgammon.ParseEquities(d) }},
		{"archive of kernels", zips, func(d []byte) { _, _ = driver.ReadAhead(d) }},
		{"name of a game",
			together(specs("go", "size", "players", "komi"),
				specs("mnk", "rows", "columns", "in_row", "players"),
				specs("tcg", "hp", "hand", "deck", "turns"),
				specs("connectfour", "rows", "columns"),
				specs("turtle", "players", "hand"), specs("hypergammon", "checkers"),
				specs("kuhn", "players", "cards"), specs("leduc", "players", "ranks"),
				specs("phantom", "rows")), func(d []byte) { _, _ = game.New(string(d)) }},
		{"name of a player",
			together(specs("uct", "simulations", "c", "time", "clock", "early_stop", "leaves",
				"playouts"), specs("minimax", "depth", "nodes", "table"),
				specs("az", "simulations"), specs("cfr", "iterations")), func(d []byte) {
				_, _ = player.Parse(tic, string(d))
			}},
		{"position of backgammon",
			lines("turn", "turn 3 | White", "turn 3 | White to play"), position("backgammon")},
		{"position of tcg",
			lines("turn", "turn 7 Second", "turn 7 Second act 1 |"), position("tcg")},
	}, nil
}

// sealed returns a file of a match with this first line, of which an object in JSON is the second
// one.
func sealed(object []byte, head any) []byte {
	text, err := vfs.AppendLine(nil, head)
	if err != nil {
		panic(err)
	}
	object = bytes.TrimSuffix(bytes.TrimSpace(object), []byte("}"))
	return fmt.Appendf(append(text, object...), ",\"crc\":\"%08x\"}\n",
		crc32.Checksum(object, crc32.MakeTable(crc32.Castagnoli)))
}
