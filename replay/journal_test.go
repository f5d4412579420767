package replay

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tengen/game"
	_ "tengen/game/mnk"
	"tengen/internal/random"
	"tengen/internal/runid"
	"tengen/replay/record"
	"tengen/vfs"
	"tengen/vfs/vfstest"
)

// ticTacToe returns a random game.
func ticTacToe(number uint64) *record.Game {
	g := game.Must(game.New("tictactoe"))
	rng := random.New(number, random.Test)
	state := g.NewState()
	r := &record.Game{
		Number: number, Name: g.Name(),
		Seats:  []record.SeatRecord{{Kind: record.Random}, {Kind: record.UCT}},
		Scores: make([]float32, 2), Returns: make([]float32, 2),
	}
	for state.CurrentPlayer() >= 0 {
		legal := state.LegalActions(nil)
		a := legal[rng.IntN(len(legal))]
		r.Moves = append(r.Moves, record.Move{
			Action: a, Mover: state.CurrentPlayer(), Choice: len(legal) > 1,
			Visits: []record.Visit{{Action: a, N: 3}},
		})
		state.Apply(a)
	}
	state.Returns(r.Returns)
	return r
}

// TestJournal: games in any order are there again after opening, until they are removed; files
// without games go.
func TestJournal(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "journal")
	open := func(want ...uint64) *Journal {
		t.Helper()
		j, games, damages, err := OpenJournal(vfs.OS{}, dir, nil)
		if err != nil {
			t.Fatal(err)
		}
		got := map[uint64]bool{}
		for _, g := range games {
			got[g.Number] = true
		}
		for _, n := range want {
			if !got[n] {
				t.Errorf("game %d is not there; damages %v", n, damages)
			}
		}
		if len(got) != len(want) || j.Len() != len(want) {
			t.Errorf("%d games, want %d", len(got), len(want))
		}
		return j
	}
	j := open()
	for _, list := range [][]uint64{{7, 3}, {5}, {1, 9, 3}} {
		var games []*record.Game
		for _, n := range list {
			games = append(games, ticTacToe(n))
		}
		if err := j.Add(games); err != nil {
			t.Fatal(err)
		}
	}
	// The process ends without Close.
	j = open(1, 3, 5, 7, 9)
	for _, n := range []uint64{3, 7, 100} {
		if err := j.Remove(n); err != nil {
			t.Fatal(err)
		}
	}
	if err := j.Add([]*record.Game{ticTacToe(2)}); err != nil {
		t.Fatal(err)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	// A torn tail harms the last game alone.
	segments, err := Segments(vfs.OS{}, dir)
	if err != nil || len(segments) != 2 {
		t.Fatal(err, segments)
	}
	last := segments[1].Path
	data, err := os.ReadFile(last)
	if err == nil {
		err = os.WriteFile(last, data[:len(data)-3], 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	j = open(1, 3, 5, 7, 9) // the first file still has what was removed, until all of it is
	for _, n := range []uint64{1, 3, 5, 7, 9} {
		if err := j.Remove(n); err != nil {
			t.Fatal(err)
		}
	}
	if list, err := Segments(vfs.OS{}, dir); err != nil || len(list) != 0 {
		t.Errorf("%v, %v: files without games are left", list, err)
	}
}

// TestJournalOutlivesPowerCuts: games that were added are there after a power cut.
func TestJournalOutlivesPowerCuts(t *testing.T) {
	disk := vfstest.NewMemory()
	if err := disk.Mkdir("run", 0o755); err != nil {
		t.Fatal(err)
	}
	if err := disk.SyncDir("."); err != nil {
		t.Fatal(err)
	}
	for n := range uint64(4) {
		j, games, damages, err := OpenJournal(disk, "run/journal", nil)
		if err != nil || len(games) != int(2*n) || len(damages) > 0 {
			t.Fatalf("after %d power cuts: %d games, damages %v, %v", n, len(games), damages, err)
		}
		for k := range uint64(2) {
			if err := j.Add([]*record.Game{ticTacToe(2*n + k)}); err != nil {
				t.Fatal(err)
			}
		}
		disk.PowerCut(nil)
	}
}

// TestJournalOfAnotherRun: a file of another run is refused by name; one whose identity is not
// known is judged by the seed of its games.
func TestJournalOfAnotherRun(t *testing.T) {
	write := func(run runid.ID) string {
		dir := filepath.Join(t.TempDir(), "journal")
		j, _, _, err := OpenJournal(vfs.OS{}, dir, &Owner{Run: run})
		if err != nil {
			t.Fatal(err)
		}
		// of seed 0
		if err := errors.Join(j.Add([]*record.Game{ticTacToe(3)}), j.Close()); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	of7, unknown := write(7), write(0)
	for _, c := range []struct {
		dir   string
		owner *Owner
		ok    bool
	}{
		{of7, &Owner{Run: 7}, true}, {of7, nil, true}, {of7, &Owner{}, true},
		{unknown, &Owner{Run: 7}, true},
		{of7, &Owner{Run: 8}, false}, {of7, &Owner{Run: 7, Seed: 1}, false},
		{unknown, &Owner{Run: 7, Seed: 1}, false},
	} {
		j, games, _, err := OpenJournal(vfs.OS{}, c.dir, c.owner)
		if c.ok && (err != nil || len(games) != 1) ||
			!c.ok && (!errors.Is(err, runid.ErrOtherRun) ||
				!strings.Contains(err.Error(), "000000")) {
			t.Errorf("%+v: %d games, %v", c.owner, len(games), err)
		}
		if err == nil {
			_ = j.Close()
		}
	}
}

// TestJournalFails: whichever operation fails, an error tells of it, games that were added are
// there again after opening, those that were not are not, and no file without games is left.
func TestJournalFails(t *testing.T) {
	for _, mode := range []vfstest.Mode{vfstest.Once, vfstest.Torn} {
		for n := 1; ; n++ {
			disk := vfstest.NewMemory()
			for _, name := range []string{"run", "run/journal"} {
				if err := disk.Mkdir(name, 0o755); err != nil {
					t.Fatal(err)
				}
			}
			fsys := vfstest.NewFaulty(disk, vfstest.At(n, mode))
			there, errs := map[uint64]bool{}, 0
			j, _, _, err := OpenJournal(fsys, "run/journal", nil)
			if err != nil {
				errs++
				if j, _, _, err = OpenJournal(fsys, "run/journal", nil); err != nil {
					t.Fatal(err)
				}
			}
			add := func(list ...uint64) {
				var games []*record.Game
				for _, number := range list {
					games = append(games, ticTacToe(number))
				}
				if err := j.Add(games); err != nil {
					errs++
					return
				}
				for _, number := range list {
					there[number] = true
				}
			}
			remove := func(number uint64) {
				if err := j.Remove(number); err != nil {
					errs++
				}
				delete(there, number)
			}
			add(1, 2)
			add(3)
			remove(2)
			add(4, 3)
			if err := j.Close(); err != nil {
				errs++
			}
			add(5)
			remove(5)
			add(6)
			if (errs > 0) != (fsys.Failed() != nil) {
				t.Fatalf("operation %d, %v, fails; %d errors", n, fsys.Failed(), errs)
			}
			if j.Len() != len(there) {
				t.Fatalf("operation %d, %v, fails: %d games, want %d",
					n, fsys.Failed(), j.Len(), len(there))
			}
			before, err := Segments(disk, "run/journal")
			if err != nil {
				t.Fatal(err)
			}
			_, games, _, err := OpenJournal(disk, "run/journal", nil) // removes files without games
			if err != nil {
				t.Fatal(err)
			}
			after, err := Segments(disk, "run/journal")
			if err != nil || len(after) < len(before) &&
				(fsys.Failed() == nil || fsys.Failed().Kind != vfstest.Remove) {
				t.Fatalf("operation %d, %v, fails: %d files, %d with games, %v",
					n, fsys.Failed(), len(before), len(after), err)
			}
			got := map[uint64]bool{}
			for _, g := range games {
				got[g.Number] = true
			}
			for number := range there {
				if !got[number] {
					t.Fatalf("operation %d, %v, fails: game %d is lost", n, fsys.Failed(), number)
				}
			}
			if fsys.Failed() == nil {
				break
			}
		}
	}
}

// TestJournalFiles: a file of a journal is followed by another one after so many games.
func TestJournalFiles(t *testing.T) {
	fsys := vfstest.NewMemory()
	j, _, _, err := OpenJournal(fsys, "journal", nil)
	if err != nil {
		t.Fatal(err)
	}
	game := ticTacToe(0)
	for n := range uint64(journalGames + 1) {
		g := *game
		g.Number = n / 2 // twice, of which the file has both
		if err := j.Add([]*record.Game{&g}); err != nil {
			t.Fatal(err)
		}
		list, err := Segments(fsys, "journal")
		if err != nil || len(list) != 1+int(n)/journalGames {
			t.Fatalf("%d files with %d games, %v", len(list), n+1, err)
		}
	}
	if j.Len() != journalGames/2+1 {
		t.Errorf("%d games", j.Len())
	}
}
