package arena

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"tengen/game"
	"tengen/player"
	"tengen/vfs"
	"tengen/vfs/vfstest"
)

// tinyMatch is a match of few games with chance, which count their turns.
func tinyMatch() *Match {
	return &Match{
		Game: game.Must(game.New("backgammon:checkers=1")),
		Players: []player.Player{
			player.Random{}, player.UCT{Simulations: 2, C: 0.8, Utility: player.Unit},
		},
		Seatings: [][]int{{0, 1}, {1, 1}}, Games: 5, Seed: 3, Opening: 1, Workers: 2,
		GamesPerWorker: 2,
	}
}

// resumeMatch opens the store of a match and plays the missing games.
func resumeMatch(fsys vfs.FS, m *Match) (results []Result, reports []int, err error) {
	if m.Store, err = OpenMatchStore(fsys, "m", m, []string{"", "1f"}); err != nil {
		return nil, nil, err
	}
	if results, err = m.Play(context.Background(), func(n int) {
		reports = append(reports, n)
	}); err == nil && len(m.Store.Damaged) > 0 {
		err = errors.Join(m.Store.Damaged...)
	}
	return results, reports, errors.Join(err, m.Store.Close())
}

// TestMatchResumes: wherever the file of a match was cut off, resuming plays the missing games, and
// the results are those of a match that was not saved, turns included.
func TestMatchResumes(t *testing.T) {
	want, err := tinyMatch().Play(context.Background(), nil)
	if err != nil || want[0].Turns == 0 {
		t.Fatal(err, want)
	}
	fsys := vfstest.NewMemory()
	if got, reports, err := resumeMatch(fsys, tinyMatch()); err != nil ||
		!reflect.DeepEqual(got, want) || !slices.Equal(reports, []int{1, 2, 3, 4, 5}) {
		t.Fatalf("saved: %v, %v, %+v; want %+v", err, reports, got, want)
	}
	whole := contents(t, fsys)
	// docs/formats/match.md
	if first := `{"format":"tengen match","version":1,"game":"backgammon:checkers=1","players":["random","uct:simulations=2,c=0.8,utility=unit"],` +
		`"networks":["","1f"],"seed":3,"opening":1,"seatings":[[0,1],[1,1]],"crc":"`; !strings.HasPrefix(whole, first) {
		t.Errorf("the file begins with %.300s", whole)
	}
	for cut := 0; cut <= len(whole); cut += 3 {
		fsys := vfstest.NewMemory()
		put(t, fsys, whole[:cut])
		got, reports, err := resumeMatch(fsys, tinyMatch())
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("cut after %d bytes: %v, %+v; want %+v", cut, err, got, want)
		}
		kept := max(0, strings.Count(whole[:min(len(whole), cut+1)], "\n")-1)
		if len(reports) != 5-kept || kept < 5 && reports[0] != kept+1 {
			t.Fatalf("cut after %d bytes, with %d games: the progress %v", cut, kept, reports)
		}
		if !slices.Equal(sortedLines(contents(t, fsys)), sortedLines(whole)) {
			t.Fatalf("cut after %d bytes: the file holds\n%s", cut, contents(t, fsys))
		}
	}
	// Fewer games are those of a shorter match.
	short := tinyMatch()
	short.Games = 3
	if got, reports, err := resumeMatch(fsys, short); err != nil ||
		!reflect.DeepEqual(got, want[:3]) || len(reports) > 0 {
		t.Errorf("three games: %v, %v, %+v", err, reports, got)
	}
	// Openings and outcomes of chance must be those of the seed.
	other := tinyMatch()
	other.Seed = 4
	_, records, _, err := readMatch([]byte(whole))
	if err != nil {
		t.Fatal(err)
	}
	fsys = vfstest.NewMemory()
	put(t, fsys, string(rewrite(t, other.header([]string{"", "1f"}), records)))
	if other.Store, err = OpenMatchStore(fsys, "m", other, []string{"", "1f"}); err != nil ||
		other.Store.Len() > 0 || len(other.Store.Damaged) != 5 {
		t.Errorf("games of another seed: %v, %+v", err, other.Store)
	}
}

// TestMatchFaults: a file that can't be written ends a match with an error, and loses no reported
// game.
func TestMatchFaults(t *testing.T) {
	want, err := tinyMatch().Play(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for n := 1; ; n++ {
		disk := vfstest.NewMemory()
		fsys := vfstest.NewFaulty(disk, vfstest.At(n, vfstest.Dead))
		_, reports, err := resumeMatch(fsys, tinyMatch())
		failed := fsys.Failed()
		if (failed != nil) != (err != nil) {
			t.Fatalf("operation %d fails: %v", n, err)
		}
		disk.PowerCut(nil)
		got, again, err := resumeMatch(disk, tinyMatch())
		if err != nil || !reflect.DeepEqual(got, want) || len(again) > 5-len(reports) {
			t.Fatalf("after a power cut at operation %d: %v, %d and %d games played, %+v",
				n, err, len(reports), len(again), got)
		}
		if failed == nil {
			if n < 8 {
				t.Fatalf("only %d operations", n-1)
			}
			return
		}
	}
}

// TestMatchOfAnother: the folder of another match is refused.
func TestMatchOfAnother(t *testing.T) {
	fsys := vfstest.NewMemory()
	if _, _, err := resumeMatch(fsys, tinyMatch()); err != nil {
		t.Fatal(err)
	}
	for says, change := range map[string]func(*Match){
		"of other seatings":            func(m *Match) { m.Seatings = [][]int{{0, 1}, {1, 0}} },
		"it holds another match, of o": func(m *Match) { m.Paired = true },
		"with seed 3 instead of 4":     func(m *Match) { m.Seed = 4 },
		"with an opening of 1":         func(m *Match) { m.Opening = 0 },
		"are kept by OpenStore":        func(m *Match) { m.Drawn = true },
		"no games to play":             func(m *Match) { m.Games = 0 },
		`with the players "random", "`: func(m *Match) {
			m.Players = []player.Player{player.Random{}, player.Random{}}
		},
	} {
		m := tinyMatch()
		change(m)
		if _, err := OpenMatchStore(fsys, "m", m, []string{"", "1f"}); err == nil ||
			!strings.Contains(err.Error(), says) {
			t.Errorf("%v, want %q", err, says)
		}
	}
	if _, err := OpenMatchStore(fsys, "m", tinyMatch(), []string{"", "2f"}); !errors.Is(err,
		ErrOtherMatch) || !strings.Contains(err.Error(), "networks have changed") {
		t.Error(err)
	}
}
