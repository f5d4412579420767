package inspect

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"tengen/game"
	"tengen/replay/record"
	"tengen/run/runtest"
)

func TestFindGame(t *testing.T) {
	t.Chdir(t.TempDir())
	runtest.Small(t, "run")
	g := runtest.Game()
	check := func(path string, want *record.Game) {
		t.Helper()
		r, damaged, err := FindGame(t.Context(), path, want.Number)
		if err != nil || len(damaged) > 0 || r.Wrong != nil {
			t.Fatalf("%s:%d: %v, damaged %v, wrong %v", path, want.Number, err, damaged, r.Wrong)
		}
		if r.Version != 1 || r.Number != want.Number || r.Game != g.Name() ||
			*r.Seed != want.Seed || !slices.Equal(r.Scores, want.Scores) ||
			!slices.Equal(r.Returns, want.Returns) {
			t.Errorf("%s:%d: %+v", path, want.Number, r)
		}
		s := g.NewState()
		for i, m := range want.Moves {
			if len(r.Actions) != len(want.Moves) || r.Actions[i] != m.Action ||
				r.Moves[i] != game.ActionName(g, s, m.Action) {
				t.Fatalf("%s:%d: actions %v, moves %v", path, want.Number, r.Actions, r.Moves)
			}
			s.Apply(m.Action)
		}
		// Its JSON is a game again.
		text, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		put(t, "one.json", string(text))
		if f := look(t, "one.json", false); f.Kind != KindGames || !f.Sound || f.Match.Games != 1 ||
			f.Match.Finished != 1 {
			t.Errorf("%s:%d in JSON: %+v", path, want.Number, f.Match)
		}
		again, _, err := FindGame(t.Context(), "one.json", want.Number)
		if err != nil || !slices.Equal(again.Actions, r.Actions) ||
			!slices.Equal(again.Moves, r.Moves) || again.Record != nil || again.Wrong != nil {
			t.Errorf("%s:%d in JSON is found as %+v, %v", path, want.Number, again, err)
		}
	}
	check("run", runtest.Record(g, 3, 1))
	check("run", runtest.Record(g, 8, 1))
	check("run", runtest.Record(g, 10, 2))
	check("run/replay", runtest.Record(g, 9, 2))
	check("run/replay/000002.games", runtest.Record(g, 9, 1)) // there, though it does not count

	playMatch(t, "match", 4)
	for _, path := range []string{"match", "match/match.jsonl"} {
		if r, _, err := FindGame(t.Context(), path, 3); err != nil ||
			r.Path != "match/match.jsonl" || r.Number != 3 || r.Wrong != nil ||
			len(r.Players) != 2 || len(r.Scores) != 2 {
			t.Errorf("%s:3 is %+v, %v", path, r, err)
		}
	}

	bad := runtest.Record(g, 12, 1)
	bad.Moves[1].Action = bad.Moves[0].Action
	runtest.Keep(t, "run/replay", bad)
	r, _, err := FindGame(t.Context(), "run", 12)
	if err != nil || r.Wrong == nil || !strings.Contains(r.Wrong.Error(), "game 12: action ") ||
		len(r.Moves) != len(bad.Moves) {
		t.Fatalf("a game against the rules: %v, wrong %v", err, r.Wrong)
	}

	// What is damaged on the way is told, and the rest is found.
	flip(t, "run/replay/000001.games", 50)
	if r, damaged, err := FindGame(t.Context(), "run", 5); err != nil || len(damaged) != 1 ||
		r.Number != 5 {
		t.Errorf("behind a damaged game: %+v, damaged %v, %v", r, damaged, err)
	}
	if r, damaged, err := FindGame(t.Context(), "run", 4); err == nil ||
		len(damaged) != 1 || r != nil {
		t.Errorf("a damaged game: %+v, damaged %v, %v", r, damaged, err)
	}
	for _, c := range []struct {
		path   string
		number uint64
		want   string
	}{
		{"run", 13, "inspect run: no game that can be read has the number 13"},
		{"match", 4, "inspect match/match.jsonl: no game has number 4; there are 4, from 0 to 3"},
		{"match", 1 << 63, "no game has number 9223372036854775808"},
		{"nowhere", 1, "inspect nowhere: no such file or directory"},
		{"run/checkpoints", 1, "inspect run/checkpoints:1: games with numbers are in runs, in segments of the replay and in matches; this is a folder of checkpoints"},
	} {
		_, _, err := FindGame(t.Context(), c.path, c.number)
		var refusal *Refusal
		if !errors.As(err, &refusal) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s:%d: %v, want %q", c.path, c.number, err, c.want)
		}
	}
}

func TestSplit(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "a", "")
	put(t, "a:2", "")
	for _, c := range []struct {
		text, path string
		number     uint64
		one        bool
		fails      string
	}{
		{text: "a", path: "a"},
		{text: "a:1", path: "a", number: 1, one: true},
		{text: "a:2", path: "a:2"}, // a file of this name goes before
		{text: "a:2:3", path: "a:2", number: 3, one: true},
		{text: "a:x", fails: "inspect a:x: no such file or directory; after a colon the number of a game is wanted, from 0"},
		{text: "a:-1", fails: "after a colon the number of a game is wanted"},
		{text: "b", fails: "inspect b: no such file or directory"},
		{text: "b:1", fails: "inspect b:1: no such file or directory"},
	} {
		path, number, one, err := Split(c.text)
		var refusal *Refusal
		switch {
		case c.fails != "":
			if !errors.As(err, &refusal) || !strings.Contains(err.Error(), c.fails) {
				t.Errorf("%s: %v, want %q", c.text, err, c.fails)
			}
		case err != nil || path != c.path || number != c.number || one != c.one:
			t.Errorf("%s is %s, %d, %v, %v", c.text, path, number, one, err)
		}
	}
}
