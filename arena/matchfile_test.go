package arena

import (
	"bytes"
	"math"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"tengen/game"
	"tengen/vfs"
)

// golden reads testdata/v1.jsonl, whose checksums another program computed.
func golden(t testing.TB) []byte {
	t.Helper()
	data, err := os.ReadFile("testdata/v1.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// rewrite returns the match file with the given content.
func rewrite(t *testing.T, h header, records []Record) []byte {
	t.Helper()
	text, err := vfs.AppendLine(nil, &h)
	for i := range records {
		if err == nil {
			text, err = vfs.AppendLine(text, &records[i])
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestGoldenMatchFile(t *testing.T) {
	data := golden(t)
	h, records, damaged, err := readMatch(data)
	if err != nil || len(damaged) > 0 {
		t.Fatal(err, damaged)
	}
	uct := "uct:simulations=20,c=0.8,utility=unit"
	wantHead := header{
		Format: "tengen match", Version: 1, Game: "mnk:rows=3,columns=3,in_row=3",
		Players: []string{uct, "random"}, Seed: math.MaxUint64, Opening: 1,
	}
	if !reflect.DeepEqual(h, wantHead) {
		t.Errorf("the header is %+v, want %+v", h, wantHead)
	}
	want := Record{
		Number: 3, Game: wantHead.Game, Players: []string{"random", uct}, Seating: []int{1, 0},
		Actions: []game.Action{0, 4, 8, 1, 7, 6, 2, 5, 3},
		Moves:   strings.Fields("a3 b2 c1 b3 b1 a1 c3 c2 a2"),
		Scores:  []float32{0.5, 0.5}, Returns: []float32{0.5, 0.5},
	}
	if len(records) != 2 || !reflect.DeepEqual(records[1], want) {
		t.Fatalf("the games are %+v, want the second to be %+v", records, want)
	}
	for _, r := range records {
		if err := r.Replay(game.Must(game.New("tictactoe")), nil); err != nil {
			t.Error(err)
		}
	}
	if again := rewrite(t, h, records); !bytes.Equal(again, data) {
		t.Errorf("written again it is\n%s", again)
	}
}

func TestReadRecords(t *testing.T) {
	const one = `{"game": "tictactoe", "actions": [4, 0]}`
	for _, c := range []struct {
		text    string
		actions [][]game.Action
		says    string
	}{
		{one, [][]game.Action{{4, 0}}, ""},
		{"{\n\"game\": \"tictactoe\",\n\"moves\": [\"a1\"], \"more\": null,\n\"actions\":\n[]}\n" + one, [][]game.Action{{}, {4, 0}}, ""},
		{string(golden(t)), [][]game.Action{{0, 3, 1, 4, 2}, {0, 4, 8, 1, 7, 6, 2, 5, 3}}, ""},
		{"", nil, "it holds no game"},
		{one + "{", nil, "object 2 of the file: unexpected EOF"},
		{"(;FF[4])", nil, `objects such as {"game"`},
		{`{"version": 1, "game": "tictactoe", "actions": [4]}`, [][]game.Action{{4}}, ""},
		{`{"version": 2, "game": "tictactoe", "actions": [4]}`,
			nil, "version 2; this program reads version 1"},
		{`{"game": "tictactoe"}`, nil, `the fields "game" and "actions" are wanted`},
		{`{"actions": [1]}`, nil, `the fields "game" and "actions" are wanted`},
		{`{"game": "tictactoe", "actions": ["a1"]}`, nil, "its actions: "},
		{`{"game": "tictactoe", "actions": [1e12]}`, nil, "its actions: "},
		{one + `{"game": "` + strings.Repeat("a", 3<<20) + `", "actions": []}`,
			nil, "object 2 of the file: it is longer than 2097152 bytes; "},
	} {
		records, damaged, err := ReadRecords([]byte(c.text))
		if len(damaged) > 0 || (err == nil) != (c.says == "") ||
			err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%q: %v, %v, want %q", c.text, damaged, err, c.says)
		}
		var got [][]game.Action
		for _, r := range records {
			got = append(got, r.Actions)
		}
		if !reflect.DeepEqual(got, c.actions) {
			t.Errorf("%q: %v, want %v", c.text, got, c.actions)
		}
	}
	// Many objects, together longer than one may be.
	if records, _, err := ReadRecords(
		[]byte(strings.Repeat(one+strings.Repeat(" ", 1<<20), 5))); err != nil ||
		len(records) != 5 {
		t.Errorf("5 objects in 5 MiB: %d games, %v", len(records), err)
	}
	// A match file one of whose lines is damaged.
	text := bytes.Replace(golden(t), []byte(`"number":0`), []byte(`"number":1`), 1)
	records, damaged, err := ReadRecords(text)
	if err != nil || len(records) != 1 || len(damaged) != 1 ||
		!strings.HasPrefix(damaged[0].Error(), "line 2 ") {
		t.Errorf("damaged: %d games, %v, %v", len(records), damaged, err)
	}
}

// TestReplayVisits: each position is visited once, with the number of actions before it.
func TestReplayVisits(t *testing.T) {
	_, records, _, err := readMatch(golden(t))
	if err != nil {
		t.Fatal(err)
	}
	var plies []int
	var movers []game.Player
	err = records[0].Replay(game.Must(game.New("tictactoe")), func(s game.State, ply int) {
		plies, movers = append(plies, ply), append(movers, s.CurrentPlayer())
	})
	if err != nil || !slices.Equal(plies, []int{0, 1, 2, 3, 4, 5}) ||
		!slices.Equal(movers, []game.Player{0, 1, 0, 1, 0, game.Nobody}) {
		t.Errorf("%v: visited are %v, movers %v", err, plies, movers)
	}
	// Outcomes of chance are checked too.
	r := Record{Game: "dice", Actions: []game.Action{6}}
	if err := r.Replay(dice{}, nil); err == nil ||
		!strings.Contains(err.Error(), "action 6 at place 1") {
		t.Errorf("a die shows 6 of 0 to 5: %v", err)
	}
}

// FuzzMatchFile: any bytes can be read, and what was read is the same after it is written and
// read again.
func FuzzMatchFile(f *testing.F) {
	data := golden(f)
	f.Add(data)
	f.Add(data[:len(data)-30])
	f.Add(bytes.Replace(data, []byte("random"), []byte("rendom"), 3))
	f.Add([]byte(`{"game": "tictactoe", "actions": [4, 0]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		records, _, err := ReadRecords(data)
		if err != nil {
			return
		}
		for i := range records {
			records[i].Number &= math.MaxInt32
		}
		h := header{Format: matchFormat, Version: matchVersion}
		text := rewrite(t, h, records)
		_, again, damaged, err := readMatch(text)
		if err != nil || len(damaged) > 0 || !bytes.Equal(rewrite(t, h, again), text) {
			t.Fatalf("%q reads back as %+v, %v, %v", text, again, damaged, err)
		}
	})
}
