package run

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
	"time"

	"tengen/internal/testkit"
)

// TestGameLog: what was appended is read back; a torn tail loses its game alone,
// whatever is appended after it; damaged lines are counted.
func TestGameLog(t *testing.T) {
	f := Folder(t.TempDir()).On(nil)
	if err := os.Mkdir(filepath.Join(string(f.Folder), EvalFolder), 0o755); err != nil {
		t.Fatal(err)
	}
	path := f.EvaluationGames()
	game := func(evaluation, number int) EvaluationGame {
		return EvaluationGame{
			Evaluation: evaluation, Number: number, Players: []string{"000004", UCTName},
			Scores: []float32{0.1, 0.9}, Round: number % 2,
		}
	}
	l, err := f.OpenGameLog(2, 100)
	if err != nil || len(l.games) != 0 {
		t.Fatalf("%v, %d games", err, len(l.games))
	}
	want := []EvaluationGame{game(4, 0), game(4, 1), game(4, 2)}
	if err := l.Append(want[:2]); err != nil {
		t.Fatal(err)
	}
	if err := l.Append(want[2:]); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for cut := 0; cut <= len(whole); cut++ {
		if err := os.WriteFile(path, whole[:cut], 0o644); err != nil {
			t.Fatal(err)
		}
		l, err := f.OpenGameLog(2, 100)
		if err != nil {
			t.Fatal(err)
		}
		// A line that lacks its newline alone is whole.
		n := 0
		for i, b := range whole {
			if b == '\n' && i <= cut {
				n++
			}
		}
		if !reflect.DeepEqual(l.games, append([]EvaluationGame(nil), want[:n]...)) ||
			l.skipped != 0 {
			t.Fatalf("cut at %d: %d games, want %d; %d lines are skipped",
				cut, len(l.games), n, l.skipped)
		}
		if err := l.Append([]EvaluationGame{game(6, 0)}); err != nil {
			t.Fatal(err)
		}
		again, err := f.OpenGameLog(2, 100)
		if err != nil ||
			!reflect.DeepEqual(again.games, append(slices.Clone(want[:n]), game(6, 0))) {
			t.Fatalf("cut at %d, then appended: %v, %+v", cut, err, again.games)
		}
	}
	other := fmt.Sprintf("%s\n%s\n%s\n",
		`{"evaluation":1,"number":0,"players":["uct"],"scores":[1]}`, "\x00\x00",
		`{"evaluation":1,"number":1,"players":["uct","000001"],"scores":[1,0]}`)
	if err := os.WriteFile(path, []byte(other), 0o644); err != nil {
		t.Fatal(err)
	}
	l, err = f.OpenGameLog(2, 100)
	if err != nil || len(l.games) != 1 || l.games[0].Number != 1 || l.skipped != 2 {
		t.Errorf("%v: %+v, %d lines are skipped", err, l.games, l.skipped)
	}
}

// Memory is bounded: the last games are kept.
func TestGameLogForgets(t *testing.T) {
	const keep = 50
	l := &GameLog{seats: 2, keep: keep}
	const n = 5*keep + 7
	for i := range n {
		l.Remember(EvaluationGame{Evaluation: i / 10, Number: i})
		if kept := len(l.games); kept > 2*keep || kept < min(i+1, keep) {
			t.Fatalf("after %d games %d are kept", i+1, kept)
		}
	}
	if got := l.games[len(l.games)-1].Number; got != n-1 {
		t.Errorf("the last is %d, want %d", got, n-1)
	}
	if got := l.Evaluated(); got[len(got)-1] != (n-1)/10 || !slices.IsSorted(got) ||
		len(slices.Compact(slices.Clone(got))) != len(got) {
		t.Errorf("evaluated are %v", got)
	}
}

// TestGameLogReadsItsEnd: the last games of a long log are read, and no more of it.
func TestGameLogReadsItsEnd(t *testing.T) {
	const keep, n = 50, 20_000
	f, reads := logOf(t, nil)
	if err := f.FS.Mkdir(filepath.Dir(f.EvaluationGames()), 0o755); err != nil {
		t.Fatal(err)
	}
	l, err := f.OpenGameLog(2, keep)
	if err != nil {
		t.Fatal(err)
	}
	var games []EvaluationGame
	for i := range n {
		games = append(games, EvaluationGame{
			Evaluation: i / 10, Number: i, Players: []string{"uct", "000001"},
			Scores: []float32{1, 0},
		})
	}
	if err := l.Append(games); err != nil {
		t.Fatal(err)
	}
	*reads = 0
	l, err = f.OpenGameLog(2, keep)
	if err != nil || !reflect.DeepEqual(l.Games(), games[n-keep:]) || *reads > 2 {
		t.Errorf("%v: %d games, after %d reads", err, len(l.Games()), *reads)
	}
}

// TestGameLogOfZeros: a log that was lengthened, by zeros or by one long line, costs little and is
// read up to there.
func TestGameLogOfZeros(t *testing.T) {
	f := Folder(t.TempDir()).On(nil)
	if err := os.MkdirAll(filepath.Dir(f.EvaluationGames()), 0o755); err != nil {
		t.Fatal(err)
	}
	l, err := f.OpenGameLog(2, 10)
	if err != nil {
		t.Fatal(err)
	}
	g := EvaluationGame{Evaluation: 1, Players: []string{"uct", "000001"}, Scores: []float32{1, 0}}
	if err := l.Append([]EvaluationGame{g}); err != nil {
		t.Fatal(err)
	}
	const long = 200 << 20
	if err := os.Truncate(f.EvaluationGames(), long); err != nil {
		t.Fatal(err)
	}
	few := testkit.Bound{Bytes: 8 << 20, Time: time.Second, PerMiB: 100 * time.Millisecond}
	few.Check(t, "zeros", long, func() { l, err = f.OpenGameLog(2, 10) })
	if err != nil || len(l.Games()) != 1 || l.Skipped() != 1 {
		t.Fatalf("%v, %d games, %d lines skipped", err, len(l.Games()), l.Skipped())
	}
	// The next game begins on a line of its own.
	if err := l.Append([]EvaluationGame{g}); err != nil {
		t.Fatal(err)
	}
	if l, err = f.OpenGameLog(2, 10); err != nil || len(l.Games()) != 2 {
		t.Fatalf("%v, %d games", err, len(l.Games()))
	}
	if err := os.WriteFile(f.Ratings(), []byte(`{"anchor": "uct"}`), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(f.Ratings(), long); err != nil {
		t.Fatal(err)
	}
	testkit.Bound{
		Bytes: 3 * MaxSmall, Time: time.Second,
	}.Check(t, "ratings", 0, func() { _, err = f.ReadRatings() })
	if err == nil {
		t.Error("ratings that were lengthened are read")
	}
}
