package multigo

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"tengen/arena"
	"tengen/player"
	"tengen/research"
)

// TestSaved: a match whose games are saved goes on after a kill, and finds what an uninterrupted
// one does.
func TestSaved(t *testing.T) {
	random, uct := contestant{Player: player.Random{}},
		contestant{Player: player.UCT{Simulations: 2, C: 0.8, Utility: player.Unit}}
	type kind func(m *Matches, ctx context.Context, made *research.Made) ([]Cell, error)
	for folder, find := range map[string]kind{
		"versus": func(m *Matches, ctx context.Context, made *research.Made) ([]Cell, error) {
			return m.versus(ctx, "versus", uct, random, 0, made)
		},
		"alone": func(m *Matches, ctx context.Context, made *research.Made) ([]Cell, error) {
			return m.alone(ctx, "alone", uct, 1, made)
		},
	} {
		var plain research.Made
		want, err := find(&Matches{Games: 9, Seed: 1, GamesPerWorker: 2}, t.Context(), &plain)
		if err != nil || plain.Kept != 0 {
			t.Fatalf("%s: %v, %+v", folder, err, plain)
		}
		played := 0
		m := &Matches{
			Games: 9, Seed: 1, GamesPerWorker: 2, Save: filepath.Join(t.TempDir(), "games"),
			Progress: func(string, int, int) { played++ },
		}
		var made research.Made
		if got, err := find(m, t.Context(), &made); err != nil || !reflect.DeepEqual(got, want) ||
			played != plain.Games || made != plain {
			t.Fatalf("%s, saved: %v, %+v, %+v, %d games played; want %+v, %+v",
				folder, err, got, made, played, want, plain)
		}
		// A kill, and then all games.
		path := filepath.Join(m.Save, folder, arena.MatchFile)
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		data = data[:len(data)/2]
		if err := os.WriteFile(path, data, 0o666); err != nil {
			t.Fatal(err)
		}
		kept := bytes.Count(data, []byte("\n")) - 1
		made, played = research.Made{}, 0
		got, err := find(m, t.Context(), &made)
		if err != nil || !reflect.DeepEqual(got, want) || kept < 2 || played != plain.Games-kept ||
			made.Games != plain.Games || made.Distinct != plain.Distinct || made.Kept != kept {
			t.Errorf("%s, resumed from %d games: %v, %+v, %+v, %d games played; want %+v, %+v",
				folder, kept, err, got, made, played, want, plain)
		}
		// A damaged game is told, and played again.
		if data, err = os.ReadFile(path); err != nil {
			t.Fatal(err)
		}
		data[len(data)/2] ^= 1
		if err := os.WriteFile(path, data, 0o666); err != nil {
			t.Fatal(err)
		}
		var damaged []error
		m.Damaged = func(err error) { damaged = append(damaged, err) }
		made, played = research.Made{}, 0
		if got, err = find(m, t.Context(), &made); err != nil || !reflect.DeepEqual(got, want) ||
			played != 1 || len(damaged) != 1 || made.Kept != made.Games-1 {
			t.Errorf("%s, damaged: %v, %+v, %d games played, %v, %+v",
				folder, err, got, played, damaged, made)
		}
		m.Seed = 2
		if _, err = find(m, t.Context(), &made); !errors.Is(err, arena.ErrOtherMatch) {
			t.Errorf("%s, another seed: %v", folder, err)
		}
	}
}
