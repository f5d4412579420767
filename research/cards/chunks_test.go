package cards

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"tengen/research"
)

// A match in chunks that was interrupted and goes on is the match that was not. Times differ.
func TestChunks(t *testing.T) {
	play := func(e Experiments, ctx context.Context) (*Match, research.Made, error) {
		made := research.Made{}
		m, err := e.chunked(ctx, "expectiminimax:depth=1,ties=attack", "expectiminimax:depth=2",
			3*chunkGames-2, &made)
		if m != nil {
			m.Players[0].Milliseconds, m.Players[1].Milliseconds = 0, 0
		}
		return m, made, err
	}
	want, made, err := play(Experiments{Game: smallCards, Seed: 1}, context.Background())
	if err != nil || want.Games != 3*chunkGames-2 || want.Wins+want.Draws > want.Games ||
		made.Games != want.Games || made.Kept != 0 || want.Players[0].Depth != 1 ||
		want.Players[1].Depth != 2 {
		t.Fatalf("%+v, %+v, %v", want, made, err)
	}
	e := Experiments{Game: smallCards, Seed: 1, Save: filepath.Join(t.TempDir(), "kept")}
	ctx, cancel := context.WithCancel(context.Background())
	e.Progress = func(_, _ string, finished, _ int) {
		if finished > chunkGames {
			cancel()
		}
	}
	if m, _, err := play(e, ctx); !errors.Is(err, context.Canceled) || m == nil ||
		m.Games >= want.Games {
		t.Fatalf("interrupted: %+v, %v", m, err)
	}
	played := 0
	e.Progress = func(_, _ string, finished, all int) { played++ }
	// The second chunk may have ended before the match did.
	kept := func(n int) bool { return n == chunkGames || n == 2*chunkGames }
	if m, made, err := play(e, context.Background()); err != nil || !reflect.DeepEqual(m, want) ||
		made.Games != want.Games || !kept(made.Kept) {
		t.Errorf("resumed: %+v, %+v, %v; want %+v", m, made, err, want)
	}
	// Once more, from files alone.
	played = 0
	if m, _, err := play(e, context.Background()); err != nil || !reflect.DeepEqual(m, want) ||
		played != 3 {
		t.Errorf("from files: %+v, %v, after %d reports; want %+v", m, err, played, want)
	}
	files, err := os.ReadDir(e.Save)
	if err != nil || len(files) != 3 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	path := filepath.Join(e.Save, files[0].Name())
	for text, says := range map[string]string{
		"{": "unexpected end", `{"games":10}`: "version 0; this program reads version 1",
		`{"version":1,"games":11}`:                                                                          "11 games, of at most 10",
		`{"version":1,"games":2,"wins":2,"draws":1,"distinct_games":2}`:                                     "2 wins, 1 draws",
		`{"version":1,"games":2,"distinct_games":2,"players":[{"player":"a","decisions_by_depth":[1,-1]}]}`: "decisions by depth of a",
	} {
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, _, err := play(e, context.Background()); err == nil ||
			!strings.Contains(err.Error(), says) ||
			!strings.Contains(err.Error(), "remove the file") {
			t.Errorf("with %s: %v", text, err)
		}
	}
}

// TestChunkGolden: a chunk of version 1 reads as written.
func TestChunkGolden(t *testing.T) {
	data, err := os.ReadFile("testdata/chunk1.json")
	if err != nil {
		t.Fatal(err)
	}
	m, err := parseChunk(data)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "chunk")
	if err := writeChunk(path, m); err != nil {
		t.Fatal(err)
	}
	if again, err := os.ReadFile(path); err != nil ||
		string(again) != strings.TrimSpace(string(data)) {
		t.Errorf("%v\n%s\nwant\n%s", err, again, data)
	}
	if m.Games != 10 || m.Wins != 0 || m.Draws != 3 || m.Players[1].Depth != 2 ||
		m.Players[1].Depths[2] != 191 {
		t.Errorf("%+v", m)
	}
}

// FuzzChunk: any bytes are a chunk that can be added to others, or are refused.
func FuzzChunk(f *testing.F) {
	data, err := os.ReadFile("testdata/chunk1.json")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Add(data[:len(data)/2])
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := parseChunk(data)
		if err != nil {
			return
		}
		if both := m.and(m); both.Games != 2*m.Games || both.Wins+both.Draws > both.Games ||
			both.Players[0].Depth > research.MostDepth {
			t.Errorf("%+v", both)
		}
	})
}
