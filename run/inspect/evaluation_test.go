package inspect

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tengen/interop/gtp"
)

// TestMatchAgainstAProgram: such a match is found by its folder, by its file's name and by its
// first bytes, and damage is named.
func TestMatchAgainstAProgram(t *testing.T) {
	data, err := os.ReadFile("../../interop/gtp/testdata/match-v1.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	path := filepath.Join(dir, gtp.MatchFile)
	for _, c := range []struct {
		text    string
		games   int
		damages int
		note    bool
	}{
		{string(data), 3, 0, false},
		{strings.Replace(string(data), "B+99", "B+98", 1), 2, 1, false},
		{string(data[:len(data)-9]), 2, 0, true},
		{"{}\n", 0, 1, false},
	} {
		for _, name := range []string{path, filepath.Join(dir, "other.jsonl")} {
			if c.games == 0 && name != path {
				continue // it is nothing without its name
			}
			if err := os.WriteFile(name, []byte(c.text), 0o644); err != nil {
				t.Fatal(err)
			}
			r := look(t, name, false)
			if r.Kind != KindMatch || r.Match.Games != c.games || r.Damages != c.damages ||
				(len(r.Notes) > 0) != c.note {
				t.Errorf("%s, %d bytes: %+v, %+v", name, len(c.text), r, r.Match)
			}
		}
		if r := look(t, dir, false); r.Kind != KindMatch || r.Match.Games != c.games {
			t.Errorf("the folder, %d bytes: %+v", len(c.text), r)
		}
	}
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
	r := look(t, path, false)
	if m := r.Match; len(m.Players) != 2 || m.Players[1] != "Fake 1" || *m.Opening != 2 ||
		m.Finished != 2 || m.Actions != 10 {
		t.Errorf("%+v", m)
	}
	if _, _, err := FindGame(t.Context(), path, 2); err == nil ||
		!strings.Contains(err.Error(), "game-0003.sgf") {
		t.Error(err)
	}
}
