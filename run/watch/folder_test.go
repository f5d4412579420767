package watch

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tengen/game"
	_ "tengen/game/all"
	"tengen/replay"
	"tengen/replay/record"
	"tengen/run/history"
	"tengen/vfs"
)

var began = time.Now().Add(-time.Hour).Truncate(time.Second)

// at is a time in the life of the tests' run.
func at(minutes int) string {
	return began.Add(time.Duration(minutes) * time.Minute).Format(time.RFC3339)
}

func appendTo(t *testing.T, path, text string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString(text); err != nil {
		t.Fatal(err)
	}
}

func newRun(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	config := "game: tictactoe\ntraining: {iterations: 10, games: 4}\nwarm_start: {initial_games: 3}\nevaluation: {every: 2}\n"
	appendTo(t, filepath.Join(dir, "config.yaml"), config)
	appendTo(t, filepath.Join(dir, "events.jsonl"),
		fmt.Sprintf(`{"time":"%s","event":"start","iteration":0}`+"\n", at(0)))
	return dir
}

func iteration(n, minute int) string {
	return fmt.Sprintf(`{"time":"%s","event":"iteration","iteration":%d,"games":%d,"window_games":9,"steps":50,"evaluations":%d,"cache_hits":0.5,"losses":{"policy":1.5,"value":0.5},"held_out":{"policy":1.6,"value":0.6},"play_seconds":2,"update_seconds":5,"elapsed_seconds":%d}`+"\n",
		at(minute), n, 3+4*n, 100*n, minute*60)
}

// record adds games to the run's log, each with the given number of moves.
func logGames(t *testing.T, dir string, first, n int) {
	t.Helper()
	log, err := replay.OpenLog(vfs.OS{}, filepath.Join(dir, "replay"), 100)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	g := game.Must(game.New("tictactoe"))
	for i := range n {
		rec := &record.Game{
			Number: uint64(first + i), Name: g.Name(), Seats: make([]record.SeatRecord, 2),
			Moves: []record.Move{}, Scores: []float32{1, 0}, Returns: []float32{1, 0},
		}
		for k := range rec.Seats {
			rec.Seats[k].Kind = record.UCT
		}
		if err := log.Append(rec); err != nil {
			t.Fatal(err)
		}
	}
	if err := log.Commit(); err != nil {
		t.Fatal(err)
	}
}

func look(t *testing.T, s Source) *Snapshot {
	t.Helper()
	x, err := s.Look(t.Context(), time.Now())
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// A run is followed through its stages by its files alone.
func TestFolder(t *testing.T) {
	dir := newRun(t)
	lock, err := vfs.OS{}.Lock(filepath.Join(dir, "LOCK"), "test")
	if errors.Is(err, errors.ErrUnsupported) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	s, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	x := look(t, s)
	if x.State != "running" || x.Stage != "evaluation" || x.Iteration != 0 || x.Iterations != 10 ||
		x.Left != nil || !strings.HasPrefix(x.Holder, "process ") ||
		strings.Contains(x.Holder, "test") {
		t.Errorf("at the start: %+v", x)
	}

	// The first iteration has UCT's games too.
	evaluation := func(n, minute int, points string) string {
		return fmt.Sprintf(`{"time":"%s","event":"evaluation","iteration":%d,"strength":{"points":%s,"ci95":[0.1,null],"baseline":[0.7,0.3],"sum":0.9,"sum_ci95":0.2,"games":6,"against":"uct","rating":-20,"rating_low":-40,"rating_high":null}}`+"\n", at(minute), n, points)
	}
	appendTo(t, filepath.Join(dir, "events.jsonl"), evaluation(0, 1, "[0.4,0.5]"))
	if x = look(t, s); x.Stage != "self-play" || x.Done != 0 || x.All != 7 || x.Strength == nil ||
		x.Strength.Seats[0].Seat != "X" || x.Strength.Seats[1].CI95 != nil || *x.Rating.Low != -40 {
		t.Errorf("before the first game: %+v, %+v", x, x.Strength)
	}
	logGames(t, dir, 0, 5)
	if x = look(t, s); x.Stage != "self-play" || x.Done != 5 || x.Games != 5 {
		t.Errorf("after 5 games: %+v", x)
	}
	logGames(t, dir, 5, 2) // another process's segment
	appendTo(t, filepath.Join(dir, "replay", "000001.games"), "half a record")
	if x = look(t, s); x.Stage != "update" || x.Games != 7 {
		t.Errorf("after 7 games: %+v", x)
	}

	// An iteration of which all games are over; the segments are older than it.
	for _, name := range []string{"000000.games", "000001.games"} {
		if err := os.Chtimes(filepath.Join(dir, "replay", name), time.Time{}, began); err != nil {
			t.Fatal(err)
		}
	}
	appendTo(t, filepath.Join(dir, "events.jsonl"), iteration(1, 10)+iteration(2,
		15)+iteration(3, 20)+
		fmt.Sprintf(`{"time":"%s","event":"warning","iteration":3,"message":"a cap"}`+
			"\nrubbish\n", at(20)))
	x = look(t, s)
	if x.Iteration != 3 || x.Stage != "self-play" || x.Done != 0 || x.All != 4 || x.Games != 15 ||
		*x.GamesRate != 2 || *x.EvaluationsRate != 50 || x.RatesOf != "iteration 3" ||
		len(x.Losses) != 2 || *x.Losses[0].HeldOut != 1.6 || len(x.Losses[1].Curve) != 3 {
		t.Errorf("after three iterations: %+v", x)
	}
	if len(x.Warnings) != 2 ||
		!strings.Contains(x.Warnings[0].Text,
			"1 lines of events.jsonl are passed over, the last: line 7") ||
		x.Warnings[1].Text != "a cap" {
		t.Errorf("warnings: %+v", x.Warnings)
	}
	// 5 minutes an iteration, 7 of them, less the 40 minutes since: none is left.
	if x.Left == nil || *x.Left != 0 || *x.Elapsed < 3599 ||
		*x.Elapsed > time.Since(began).Seconds()+1 {
		t.Errorf("left %v, elapsed %v", x.Left, x.Elapsed)
	}

	// It ends.
	if err := lock.Close(); err != nil {
		t.Fatal(err)
	}
	if x = look(t, s); x.State != "broken off" || x.Stage != "" || x.Left != nil ||
		len(x.Warnings) != 3 {
		t.Errorf("without a process: %+v", x)
	}
	appendTo(t, filepath.Join(dir, "events.jsonl"),
		fmt.Sprintf(`{"time":"%s","event":"stop","iteration":3,"message":"disk full"}`+
			"\n", at(21)))
	if x = look(t, s); x.State != "stopped" ||
		x.Warnings[len(x.Warnings)-1].Text != "stopped: disk full" {
		t.Errorf("stopped: %+v", x)
	}
}

func TestNoFolder(t *testing.T) {
	s, err := Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Look(t.Context(), time.Now()); !errors.Is(err, history.ErrNone) {
		t.Errorf("error %v", err)
	}
}
