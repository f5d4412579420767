package gtp

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"tengen/game"
	"tengen/interop/sgf"
	"tengen/vfs"
	"tengen/vfs/vfstest"
)

// goldenMatch returns the match of testdata/match-v1.jsonl.
func goldenMatch() *Match {
	return &Match{
		Config: Config{
			Player: newLowest(), Game: game.Must(game.New(five + ",max_plies=40")), Seed: 1<<64 - 1,
			Resign: 0.25,
		}, Command: "other --mode gtp", Games: 6, Opening: 2,
	}
}

func golden(t testing.TB) []byte {
	t.Helper()
	data, err := os.ReadFile("testdata/match-v1.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// stored returns a file system whose folder m has the match file.
func stored(t testing.TB, data []byte) vfs.FS {
	t.Helper()
	fsys := vfstest.NewMemory()
	if err := vfs.MkdirAll(fsys, "m"); err != nil {
		t.Fatal(err)
	}
	f, err := fsys.OpenFile(filepath.Join("m", MatchFile),
		os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
	if err == nil {
		_, err = f.Write(data)
	}
	if err == nil {
		err = f.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return fsys
}

func TestGoldenMatchFile(t *testing.T) {
	fsys := stored(t, golden(t))
	s, err := OpenStore(fsys, "m", goldenMatch(), "0f")
	if err != nil || len(s.Damaged) > 0 {
		t.Fatal(err, s)
	}
	if s.Len(6) != 3 || s.Len(2) != 1 {
		t.Fatalf("%d and %d games", s.Len(6), s.Len(2))
	}
	r, err := s.get(2, "Fake 1")
	want := &Result{Number: 2, Black: true, Moves: strings.Fields("c3 a1 d4 pass pass"),
		Ended: EndedByPasses, Score: "B+1", Margin: 1,
		OwnFinalScore: "B+1", TheirFinalScore: "B+99"}
	if err != nil || !reflect.DeepEqual(r, want) {
		t.Errorf("%+v, %v, want %+v", r, err, want)
	}
	if r, err := s.get(1, "Fake 1"); r != nil || err != nil {
		t.Errorf("game 1: %v, %v", r, err)
	}
	if _, err := s.get(2, "Fake 2"); err == nil ||
		!strings.Contains(err.Error(),
			`game 3 was against "Fake 1", but the program is "Fake 2" now`) {
		t.Error(err)
	}
	data, err := vfs.ReadFile(fsys, filepath.Join("m", MatchFile))
	if err != nil || string(data) != string(golden(t)) {
		t.Errorf("%v: it was changed to\n%s", err, data)
	}
}

// TestResumed: a match that was stopped after any game has the same report as one that was not, and
// plays the missing games alone.
func TestResumed(t *testing.T) {
	whole, err := newMatch("well").Play(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for stop := range 5 {
		fsys := vfstest.NewMemory()
		open := func() *Match {
			m := newMatch("well")
			if m.Store, err = OpenStore(fsys, "m", m, ""); err != nil {
				t.Fatal(err)
			}
			return m
		}
		if stop > 0 {
			ctx, cancel := context.WithCancel(t.Context())
			m := open()
			done := 0
			m.OnGame = func(r *Result, _ *sgf.Record) error {
				if done++; done == stop {
					cancel()
				}
				return nil
			}
			r, err := m.Play(ctx, nil)
			if stop < 4 && (!errors.Is(err, context.Canceled) || len(r.Results) != stop) {
				t.Fatalf("stopped after %d: %v, %+v", stop, err, r)
			}
			cancel()
			if err := m.Store.Close(); err != nil {
				t.Fatal(err)
			}
		}
		m := open()
		played := 0
		r, err := m.Play(t.Context(), func(n, all int) {
			if played = n; all != 4-stop {
				t.Errorf("%d games are announced, want %d", all, 4-stop)
			}
		})
		if err != nil || played != 4-stop || !reflect.DeepEqual(r, whole) {
			t.Errorf("after %d games: %v, %d games are played\n%+v\nwant\n%+v",
				stop, err, played, r, whole)
		}
	}
}

// TestMoreGames: a match is resumed with more games, and opened with fewer.
func TestMoreGames(t *testing.T) {
	fsys := vfstest.NewMemory()
	for _, n := range []int{3, 6, 2} {
		m := newMatch("well")
		m.Games = n
		var err error
		if m.Store, err = OpenStore(fsys, "m", m, ""); err != nil {
			t.Fatal(err)
		}
		r, err := m.Play(t.Context(), nil)
		if err != nil || len(r.Results) != n {
			t.Fatalf("%d games: %v, %+v", n, err, r)
		}
	}
}

// TestAnotherMatch: each thing that identifies a match is compared.
func TestAnotherMatch(t *testing.T) {
	for says, change := range map[string]func(m *Match){
		"with seed 18446744073709551615 instead of 2": func(m *Match) { m.Seed = 2 },
		"with an opening of 2 instead of 0":           func(m *Match) { m.Opening = 0 },
		"with the command other --mode gtp instead of other": func(m *Match) {
			m.Command = "other"
		},
		"with resignations below 0.25 instead of 0": func(m *Match) { m.Resign = 0 },
		"with the game " + goldenMatch().Game.Name() + " inste": func(m *Match) {
			m.Game = game.Must(game.New(five))
		},
	} {
		m := goldenMatch()
		change(m)
		if _, err := OpenStore(stored(t, golden(t)), "m", m, "0f"); !errors.Is(err,
			ErrOtherMatch) || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, want %q", err, says)
		}
	}
	if _, err := OpenStore(stored(t, golden(t)), "m", goldenMatch(), "1f"); !errors.Is(err,
		ErrOtherMatch) || !strings.Contains(err.Error(), "the player's network has changed") {
		t.Error(err)
	}
	for text, says := range map[string]string{
		"what is this":           "line 1, which identifies the match, can't be read",
		string(sealedHead(t, 2)): `format "tengen gtp match", version 2; this program reads "tengen gtp match", version 1`,
	} {
		if _, err := OpenStore(stored(t, []byte(text)), "m", goldenMatch(), "0f"); err == nil ||
			!strings.Contains(err.Error(), says) {
			t.Errorf("%v, want %q", err, says)
		}
	}
}

func sealedHead(t *testing.T, version int) []byte {
	t.Helper()
	text, err := vfs.AppendLine(nil, header{Format: matchFormat, Version: version})
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// TestWrongGames: a line that can't be of the match costs its game alone, and is named.
func TestWrongGames(t *testing.T) {
	lines := strings.SplitAfter(string(golden(t)), "\n")
	for says, change := range map[string]func(k *kept){
		"game 3 can't be with the player as Black true": func(k *kept) { k.Number = 3 },
		"game -2 can't be":                  func(k *kept) { k.Number = -2 },
		`its move 2, "c3", can't be played`: func(k *kept) { k.Moves = []string{"c3", "c3"} },
		`its move 1, "z9", can't be played`: func(k *kept) { k.Moves = []string{"z9"} },
		"its score is B+2, where ":          func(k *kept) { k.Score = "B+2" },
		"the margin 9":                      func(k *kept) { k.Margin = 9 },
		`can't have ended by "passes"`:      func(k *kept) { k.Moves = k.Moves[:3] },
		`can't have ended by "magic"`:       func(k *kept) { k.Ended = "magic" },
		`can't have ended by "resigned"`:    func(k *kept) { k.Ended = EndedResigned },
	} {
		var k kept
		if err := vfs.ReadLine([]byte(strings.TrimSuffix(lines[2], "\n")), &k); err != nil {
			t.Fatal(err)
		}
		change(&k)
		line, err := vfs.AppendLine(nil, &k)
		if err != nil {
			t.Fatal(err)
		}
		text := lines[0] + lines[1] + string(line) + lines[3]
		s, err := OpenStore(stored(t, []byte(text)), "m", goldenMatch(), "0f")
		if err != nil || s.Len(9) != 2 || len(s.Damaged) != 1 ||
			!strings.Contains(s.Damaged[0].Error(), says) {
			t.Errorf("%v, %+v, want %q", err, s, says)
		}
	}
}

// FuzzMatchFile: any bytes are opened or refused, and what was opened is the same when it is opened
// again.
func FuzzMatchFile(f *testing.F) {
	data := golden(f)
	f.Add(data)
	f.Add(data[:len(data)-30])
	f.Add([]byte("{}\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		fsys := stored(t, data)
		s, err := OpenStore(fsys, "m", goldenMatch(), "0f")
		if err != nil {
			return
		}
		_ = s.Close()
		again, err := OpenStore(fsys, "m", goldenMatch(), "0f")
		if err != nil || len(again.Damaged) > 0 || !slices.Equal(numbers(again), numbers(s)) {
			t.Fatalf("opened again: %v, %v", err, again)
		}
	})
}

func numbers(s *Store) (list []int) {
	for n := range s.games {
		list = append(list, n)
	}
	slices.Sort(list)
	return list
}

// TestReadMatch: the golden file as a report.
func TestReadMatch(t *testing.T) {
	r, damaged, err := ReadMatch(golden(t))
	if err != nil || len(damaged) > 0 {
		t.Fatal(err, damaged)
	}
	if len(r.Results) != 3 || r.Player != "lowest" || r.Opponent != "Fake 1" || r.Seed != 1<<64-1 ||
		r.Opening != 2 || r.Black.Wins != 2 || r.White.Void != 1 {
		t.Errorf("%+v", r)
	}
	for _, text := range []string{
		"", "{}", strings.Replace(string(golden(t)), "go:size", "xo:size", 1),
		string(sealedHead(t, 1)),
	} {
		if _, _, err := ReadMatch([]byte(text)); err == nil {
			t.Errorf("%.40q was read", text)
		}
	}
}
