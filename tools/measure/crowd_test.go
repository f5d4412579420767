//go:build linux

package main

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"tengen/game"
	"tengen/replay/record"
)

// The test is also the trainer's process of crowd.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && (os.Args[1] == "trainer" || os.Args[1] == "grow") {
		main()
		return
	}
	os.Exit(m.Run())
}

// TestCrowd: games of simulated workers are acknowledged, and on disk, in every cycle.
func TestCrowd(t *testing.T) {
	for _, cycle := range []string{"pipelined", "asynchronous"} {
		var stdout, stderr strings.Builder
		args := []string{"crowd", "--workers", "4", "--seconds", "3", "--plies", "0", "--cycle",
			cycle, "--json", "--dir", t.TempDir(),
			"--set", "game=tictactoe", "--set", "network.blocks=1", "--set", "network.filters=8",
			"--set", "training.games=100"}
		if err := measure(t.Context(), args, &stdout, &stderr); err != nil {
			t.Fatalf("%v\n%s", err, stderr.String())
		}
		var r crowdReport
		if err := json.Unmarshal([]byte(stdout.String()), &r); err != nil ||
			r.OnDisk < max(1, int(r.Games)) || len(r.Memory) == 0 || !(r.TrainerCores > 0) {
			t.Errorf("%v: %s", err, stdout.String())
		}
		if text := r.String(); !strings.Contains(text, "games a second acknowledged") {
			t.Error(text)
		}
	}
}

// TestTemplates: random games are what is asked for, and a folder without a run is an error.
func TestTemplates(t *testing.T) {
	g := game.Must(game.New("go:size=5,players=3"))
	list, err := templates(g, 7, "", 65)
	if err != nil || len(list) < 100 {
		t.Fatal(len(list), err)
	}
	check := record.NewChecker(g)
	for _, x := range list {
		for i := range x.Seats {
			x.Seats[i].Kind = record.Network
		}
		if err := check.Check(x); err != nil || len(x.Moves) < 58 || len(x.Moves) > 72 ||
			x.Seed != 7 {
			t.Fatal(len(x.Moves), err)
		}
	}
	if _, err := templates(g, 7, t.TempDir(), 65); err == nil {
		t.Error("an empty folder has games")
	}
	if _, err := templates(game.Must(game.New("tictactoe")), 7, "", 100); err == nil {
		t.Error("tic-tac-toe has games of 100 plies")
	}
}

func TestClusterUsage(t *testing.T) {
	var out strings.Builder
	for _, args := range [][]string{
		{"crowd", "--workers", "0"}, {"crowd", "--config", "none-such"},
		{"beside", "--iterations", "1"}, {"beside", "--cycle", "asynchronous"},
	} {
		if err := measure(t.Context(), args, &out, &out); err == nil {
			t.Errorf("%q is accepted", args)
		}
	}
}
