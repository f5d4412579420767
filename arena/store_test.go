package arena

import (
	"context"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"tengen/game"
	"tengen/internal/random"
	"tengen/player"
	"tengen/vfs"
	"tengen/vfs/vfstest"
)

// contents returns the contents of a store's file.
func contents(t *testing.T, fsys vfs.FS) string {
	t.Helper()
	data, err := vfs.ReadFile(fsys, filepath.Join("m", MatchFile))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// put replaces the contents of a store's file.
func put(t *testing.T, fsys vfs.FS, text string) {
	t.Helper()
	if err := vfs.MkdirAll(fsys, "m"); err != nil {
		t.Fatal(err)
	}
	f, err := fsys.OpenFile(filepath.Join("m", MatchFile),
		os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
	if err == nil {
		_, err = f.Write([]byte(text))
	}
	if err == nil {
		err = f.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
}

func sortedLines(text string) []string {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	slices.Sort(lines[1:])
	return lines
}

// resume opens the store of a tournament and plays the missing games.
func resume(fsys vfs.FS, n *Tournament) (s *Standings, store *Store, played int, err error) {
	if store, err = OpenStore(fsys, "m", n); err != nil {
		return nil, nil, 0, err
	}
	n.Store = store
	s, err = n.Play(context.Background(), func(now, all int) { played = now })
	if e := store.Close(); err == nil {
		err = e
	}
	return s, store, played, err
}

// tiny is a tournament of few games, for tests that play it thousands of times.
func tiny(t *testing.T) *Tournament {
	return small(t, func(n *Tournament) {
		n.Players = []player.Player{
			player.Random{}, player.UCT{Simulations: 2, C: 0.8, Utility: player.Unit},
		}
		n.Games, n.Opening = 8, 1
	})
}

// TestResumeAfterEveryCut: wherever the file was cut off, resuming plays the missing games and
// ends with the same file and the same standings as an uninterrupted tournament.
func TestResumeAfterEveryCut(t *testing.T) {
	fsys := vfstest.NewMemory()
	want, _, played, err := resume(fsys, tiny(t))
	if err != nil || played != 8 {
		t.Fatal(err, played)
	}
	if plain := standings(t, tiny(t)); !reflect.DeepEqual(plain, want) {
		t.Errorf("a saved tournament gives %+v, another %+v", want, plain)
	}
	whole := contents(t, fsys)
	wantLines := sortedLines(whole)
	for cut := range len(whole) + 1 {
		fsys := vfstest.NewMemory()
		put(t, fsys, whole[:cut])
		got, store, played, err := resume(fsys, tiny(t))
		if err != nil {
			t.Fatalf("cut after %d bytes: %v", cut, err)
		}
		if len(store.Damaged) > 0 {
			t.Fatalf("cut after %d bytes: %v", cut, store.Damaged)
		}
		// A line that lacks only its newline is complete.
		left := 9 - max(1, strings.Count(whole[:min(len(whole), cut+1)], "\n"))
		if played != left || store.Len()+played != 8 {
			t.Fatalf("cut after %d bytes: %d games are played, want %d", cut, played, left)
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("cut after %d bytes: %+v, want %+v", cut, got, want)
		}
		if !slices.Equal(sortedLines(contents(t, fsys)), wantLines) {
			t.Fatalf("cut after %d bytes: the file holds\n%s", cut, contents(t, fsys))
		}
	}
}

// TestResumeAfterEveryFault: after any operation has failed, or a kill or power failure at it,
// no reported game is lost, and the tournament can be resumed.
func TestResumeAfterEveryFault(t *testing.T) {
	want := standings(t, tiny(t))
	for _, mode := range []vfstest.Mode{vfstest.Once, vfstest.Torn, vfstest.Dead} {
		for cut := range 3 {
			for n := 1; ; n++ {
				disk := vfstest.NewMemory()
				fsys := vfstest.NewFaulty(disk, vfstest.At(n, mode))
				_, _, played, err := resume(fsys, tiny(t))
				failed := fsys.Failed()
				fsys.Inject(nil)
				switch cut {
				case 0:
				case 1:
					disk.PowerCut(nil)
				default:
					disk.PowerCut(random.New(uint64(n), random.Test))
				}
				if (failed != nil) != (err != nil) && played < 8 {
					t.Fatalf("mode %d, operation %d: error %v", mode, n, err)
				}
				got, store, _, err := resume(fsys, tiny(t))
				if err != nil || !reflect.DeepEqual(got, want) {
					t.Fatalf("mode %d, cut %d, operation %d: resumed: %v, %+v",
						mode, cut, n, err, got)
				}
				if store.Len() < played {
					t.Fatalf("mode %d, cut %d, operation %d: of %d games %d are kept",
						mode, cut, n, played, store.Len())
				}
				if failed == nil {
					if n < 12 {
						t.Fatalf("only %d operations", n-1)
					}
					break
				}
			}
		}
	}
}

// TestDamagedLines: a damaged line is reported, and its game is played again.
func TestDamagedLines(t *testing.T) {
	fsys := vfstest.NewMemory()
	want, _, _, err := resume(fsys, tiny(t))
	if err != nil {
		t.Fatal(err)
	}
	whole := contents(t, fsys)
	lines := strings.SplitAfter(whole, "\n")
	rng := random.New(8, random.Test)
	for range 300 {
		number := 2 + rng.IntN(7) // not the last, which may be cut off
		line := []byte(lines[number-1])
		line[rng.IntN(len(line)-1)] ^= 1 << rng.IntN(3)
		if strings.Count(string(line), "\n") > 1 {
			continue
		}
		damaged := slices.Clone(lines)
		damaged[number-1] = string(line)
		fsys := vfstest.NewMemory()
		put(t, fsys, strings.Join(damaged, ""))
		got, store, played, err := resume(fsys, tiny(t))
		if err != nil || played != 1 || len(store.Damaged) != 1 || !reflect.DeepEqual(got, want) {
			t.Fatalf("%q: %v, %d games are played, %v", line, err, played, store.Damaged)
		}
		if prefix := "m/" + MatchFile + ": line "; !strings.HasPrefix(store.Damaged[0].Error(),
			prefix+string(rune('0'+number))+" ") {
			t.Fatalf("line %d is named as %v", number, store.Damaged[0])
		}
		if !slices.Equal(sortedLines(contents(t, fsys)), sortedLines(whole)) {
			t.Fatal("the file is not repaired")
		}
	}
}

// TestWrongLines: a line with a correct checksum and an invalid game is skipped.
func TestWrongLines(t *testing.T) {
	fsys := vfstest.NewMemory()
	if _, _, _, err := resume(fsys, tiny(t)); err != nil {
		t.Fatal(err)
	}
	whole := contents(t, fsys)
	_, records, _, err := readMatch([]byte(whole))
	if err != nil {
		t.Fatal(err)
	}
	for says, change := range map[string]func(r *Record){
		"can't be played there": func(r *Record) {
			r.Actions = append(slices.Clone(r.Actions[:1]), r.Actions[0])
		},
		"instead of":        func(r *Record) { r.Seating = []int{1, 1} },
		"scores [0.5 0.25]": func(r *Record) { r.Scores = []float32{0.5, 0.25} },
		"utilities [1 1]":   func(r *Record) { r.Returns = []float32{1, 1} },
		"has no result":     func(r *Record) { r.Scores = nil },
		"it is not over":    func(r *Record) { r.Actions = r.Actions[:3] },
		"it is over after": func(r *Record) {
			r.Actions = append(slices.Clone(r.Actions), 3)
		},
		"is of hex, not of mnk": func(r *Record) { r.Game = "hex" },
		"can't have number -1":  func(r *Record) { r.Number = -1 },
		"action 77 at place 1": func(r *Record) {
			r.Actions = append([]game.Action{77}, r.Actions[1:]...)
		},
		"game 5 has the seating ": func(r *Record) { r.Number, r.Seating = 5, []int{0} },
	} {
		h := tiny(t).header()
		text, err := vfs.AppendLine(nil, &h)
		if err != nil {
			t.Fatal(err)
		}
		for i, r := range records {
			if i == 3 {
				change(&r)
			}
			if text, err = vfs.AppendLine(text, &r); err != nil {
				t.Fatal(err)
			}
		}
		fsys := vfstest.NewMemory()
		put(t, fsys, string(text))
		store, err := OpenStore(fsys, "m", tiny(t))
		if err != nil {
			t.Fatal(err)
		}
		if store.Len() != 7 || len(store.Damaged) != 1 ||
			!strings.Contains(store.Damaged[0].Error(), says) {
			t.Errorf("%d games are kept, %v, want %q", store.Len(), store.Damaged, says)
		}
	}
}

// TestMoreGames: a match may be resumed with more games, or opened with fewer.
func TestMoreGames(t *testing.T) {
	fsys := vfstest.NewMemory()
	if _, _, _, err := resume(fsys, tiny(t)); err != nil {
		t.Fatal(err)
	}
	more := tiny(t)
	more.Games = 12
	want := standings(t, more)
	got, _, played, err := resume(fsys, more)
	if err != nil || played != 4 || !reflect.DeepEqual(got, want) {
		t.Errorf("for 4 more: %v, %d games are played", err, played)
	}
	less := tiny(t)
	less.Games = 6
	want = standings(t, less)
	got, _, played, err = resume(fsys, less)
	if err != nil || played != 0 || !reflect.DeepEqual(got, want) {
		t.Errorf("for less: %v, %d games are played", err, played)
	}
}

// TestResumedEndsAlike: a rule that ends a tournament ends it at the same round if it is
// resumed.
func TestResumedEndsAlike(t *testing.T) {
	until := func() *Tournament {
		return small(t, func(n *Tournament) {
			n.Games, n.Until, n.Workers, n.GamesPerWorker = 4000, 0.2, 2, 5
		})
	}
	fsys := vfstest.NewMemory()
	want, _, _, err := resume(fsys, until())
	if err != nil || want.Stopped != "until" {
		t.Fatal(err, want)
	}
	got, _, played, err := resume(fsys, until())
	if err != nil || played != 0 || !reflect.DeepEqual(got, want) {
		t.Errorf("asked again: %v, %d games are played, %+v, want %+v", err, played, got, want)
	}
	lines := strings.SplitAfter(contents(t, fsys), "\n")
	put(t, fsys, strings.Join(lines[:len(lines)/2], ""))
	got, _, _, err = resume(fsys, until())
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("resumed at half: %v, %+v, want %+v", err, got, want)
	}
}

func TestAnotherMatch(t *testing.T) {
	fsys := vfstest.NewMemory()
	if _, _, _, err := resume(fsys, tiny(t)); err != nil {
		t.Fatal(err)
	}
	before := contents(t, fsys)
	for says, change := range map[string]func(*Tournament){
		"it holds another match, with seed 3 instead of 4": func(n *Tournament) {
			n.Seed = 4
		},
		"with an opening of 1 instead of 2": func(n *Tournament) { n.Opening = 2 },
		"with the game mnk": func(n *Tournament) {
			n.Game = game.Must(game.New("go:size=3,players=2"))
		},
		`with the players "random", "uct:simulations=2,c=0.8,utility=uni`: func(n *Tournament) {
			n.Players[1] = player.Random{}
		},
		"the players' networks have changed": func(n *Tournament) {
			n.Networks = []string{"", "12"}
		},
	} {
		n := tiny(t)
		change(n)
		if _, err := OpenStore(fsys, "m", n); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, want %q", err, says)
		}
	}
	for text, says := range map[string]string{
		"what is this": "line 1, which identifies the match, can't be read",
		before[1:]:     "line 1, which identifies the match, can't be read",
		sealed(t,
			2): `format "tengen match", version 2; this program reads "tengen match", version 1`,
		sealed(t, 1) + "x\n": "",
	} {
		fsys := vfstest.NewMemory()
		put(t, fsys, text)
		_, err := OpenStore(fsys, "m", tiny(t))
		if (err == nil) != (says == "") || err != nil && !strings.Contains(err.Error(), says) {
			t.Errorf("%v, want %q", err, says)
		}
		if err != nil && contents(t, fsys) != text {
			t.Errorf("a file that was refused was changed: %q", text)
		}
	}
}

// sealed returns the first line of tiny's file with the given version.
func sealed(t *testing.T, version int) string {
	h := tiny(t).header()
	h.Version = version
	text, err := vfs.AppendLine(nil, &h)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestAlone: one player has each seat in turn against copies of the other, the games can be kept,
// and a match of all seatings is another.
func TestAlone(t *testing.T) {
	fsys := vfstest.NewMemory()
	n := small(t, func(n *Tournament) {
		n.Game = game.Must(game.New("go:size=2,players=3"))
		n.Alone, n.Games, n.Opening = true, 12, 1
	})
	s, _, played, err := resume(fsys, n)
	if err != nil || s.Seatings != 3 || s.Games != 12 || played != 12 {
		t.Fatalf("%v: %+v", err, s)
	}
	for p, want := range []int{4, 8} {
		for seat, x := range s.Players[p].Seats {
			if x.Points.N() != want {
				t.Errorf("player %d has seat %d in %d games, want %d", p, seat, x.Points.N(), want)
			}
		}
	}
	if again, _, played, err := resume(fsys, n); err != nil || played != 0 ||
		!reflect.DeepEqual(again.Players, s.Players) {
		t.Errorf("again: %v, %d games", err, played)
	}
	n.Alone, n.Store = false, nil
	if _, err := OpenStore(fsys, "m", n); err == nil ||
		!strings.Contains(err.Error(), "other seatings") {
		t.Errorf("all seatings in the same folder: %v", err)
	}
	n.Alone, n.Players = true, append(n.Players, player.Random{})
	if err := n.Validate(); err == nil || !strings.Contains(err.Error(), "two players, not of 3") {
		t.Errorf("three players: %v", err)
	}
}
