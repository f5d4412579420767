package multigo

import (
	"bytes"
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"tengen/arena"
	"tengen/game"
	_ "tengen/game/all"
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

// TestVariant: a player of a variant with the same rules plays the same games as the player
// itself; a player of a variant with another reward plays by that reward, in the position of
// the actual game.
func TestVariant(t *testing.T) {
	base := game.Must(game.New("go:size=3,players=3"))
	uct := player.UCT{Simulations: 40, C: 0.8, Utility: player.Unit}
	lines := func(p player.Player) (list []uint64) {
		m := arena.Match{
			Game: base, Players: []player.Player{p, player.Random{}},
			Seatings: [][]int{{0, 1, 1}, {1, 0, 1}, {1, 1, 0}},
			Games:    30, Seed: 3, Workers: 2, GamesPerWorker: 3,
		}
		results, err := m.Play(context.Background(), nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range results {
			list = append(list, r.Line)
		}
		return list
	}
	plain := lines(uct)
	if !reflect.DeepEqual(plain, lines(variant{uct, base})) {
		t.Error("the same rules, other games")
	}
	if reflect.DeepEqual(plain,
		lines(variant{uct, game.Must(game.New("go:size=3,players=3,reward=win"))})) {
		t.Error("another reward changes no game of 30")
	}
}

// TestInterrupted: cells of matches that are interrupted have an interval, or are left out.
func TestInterrupted(t *testing.T) {
	for _, find := range []func(m *Matches, ctx context.Context,
		made *research.Made) ([]Cell, error){
		func(m *Matches, ctx context.Context, made *research.Made) ([]Cell, error) {
			return m.alone(ctx, "alone", contestant{Player: player.Random{}}, 0, made)
		},
		func(m *Matches, ctx context.Context, made *research.Made) ([]Cell, error) {
			return m.versus(ctx, "versus", contestant{Player: player.Random{}},
				contestant{Player: player.UCT{Simulations: 1, Utility: player.Unit}}, 0, made)
		},
	} {
		shown := 0
		for after := 1; after < 40; after += 3 {
			ctx, cancel := context.WithCancel(t.Context())
			m := &Matches{Games: 60_000, Seed: 1, GamesPerWorker: 2, Progress: func(
				_ string, finished, _ int,
			) {
				if finished == after {
					cancel()
				}
			}}
			var made research.Made
			cells, err := find(m, ctx, &made)
			cancel()
			if err == nil || made.Interrupted == nil || (cells == nil) != (made.Games == 0) {
				t.Fatalf("after %d games: %v, %+v, %+v", after, err, cells, made)
			}
			for _, c := range cells {
				if shown++; c.N < fewest || math.IsInf(c.CI, 0) || made.Games%c.N != 0 {
					t.Errorf("after %d games: the cell %+v of %d games", after, c, made.Games)
				}
			}
		}
		if shown == 0 {
			t.Error("there was never a cell")
		}
	}
	// Nothing has been played.
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	table, err := (&Matches{
		Games: 2, GamesPerWorker: 1,
	}).Table4(ctx, "random", "random", research.Made{})
	if err == nil || len(table.Rows) != 0 || table.Interrupted.Planned != 6 {
		t.Errorf("%v, %+v", err, table)
	}
}

// TestPartial: parts that lack anything can be shown.
func TestPartial(t *testing.T) {
	made := research.Made{Interrupted: &research.Interruption{During: "a match"}}
	for _, part := range []research.Part{
		&Table3{Made: made}, &Table3{Made: made, Points: cellsOf(1)}, &Table4{Made: made}, &Figure3{
			Made: made,
		},
		&Reward{Made: made}, &Reward{
			Made: made, Arms: []RewardArm{{Reward: "score", UCTPoints: cellsOf(1)}},
		},
	} {
		if text := part.Markdown("x", "x"); strings.Contains(text, "| |\n") ||
			strings.Contains(text, "![") {
			t.Errorf("%+v:\n%s", part, text)
		}
	}
}
