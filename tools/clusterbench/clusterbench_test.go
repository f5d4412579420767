//go:build linux

package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tengen/game"
	"tengen/internal/random"
	"tengen/replay/record"
)

// The test is also the trainer's process of crowd.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "trainer" {
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
		if err := bench(t.Context(), args, &stdout, &stderr); err != nil {
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

func TestUsage(t *testing.T) {
	var out strings.Builder
	for _, args := range [][]string{nil, {"none-such"}, {"chaos", "--workers", "0"},
		{"chaos", "--minutes", "-1"}, {"chaos", "more"},
		{"crowd", "--workers", "0"}, {"crowd", "--config", "none-such"},
		{"beside", "--iterations", "1"}, {"beside", "--cycle", "asynchronous"}} {
		if err := bench(t.Context(), args, &out, &out); err == nil {
			t.Errorf("%q is accepted", args)
		}
	}
	if err := bench(t.Context(), []string{"--help"}, &out, &out); err != nil ||
		!strings.Contains(out.String(), "go run ./tools/clusterbench chaos") {
		t.Errorf("--help: %v, %s", err, out.String())
	}
}

// TestProxy: what is held up comes later, what is cut does not come, and a new connection works.
func TestProxy(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() { _, _ = io.Copy(c, c); c.Close() }()
		}
	}()
	p, err := newProxy(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer p.close()
	dial := func() net.Conn {
		c, err := net.Dial("tcp", p.address())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		return c
	}
	echoes := func(c net.Conn, limit time.Duration) bool {
		t.Helper()
		if _, err := c.Write([]byte("x")); err != nil {
			return false
		}
		if err := c.SetReadDeadline(time.Now().Add(limit)); err != nil {
			t.Fatal(err)
		}
		_, err := io.ReadFull(c, make([]byte, 1))
		return err == nil
	}
	c := dial()
	if !echoes(c, 10*time.Second) {
		t.Fatal("nothing comes through")
	}
	p.hold(true)
	if echoes(c, 100*time.Millisecond) {
		t.Error("it holds nothing up")
	}
	p.hold(false)
	if err := c.SetReadDeadline(time.Now().Add(10 * time.Second)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(c, make([]byte, 1)); err != nil {
		t.Errorf("what was held up does not come: %v", err)
	}
	p.cut()
	if err := c.SetReadDeadline(time.Now().Add(10 * time.Second)); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Read(make([]byte, 1)); err == nil {
		t.Error("a connection is not cut")
	}
	if !echoes(dial(), 10*time.Second) {
		t.Error("nothing comes through a new connection")
	}
}

// TestDamage: each kind of damage does what it says, and none is an error where there is nothing.
func TestDamage(t *testing.T) {
	rng := random.New(1, random.Test)
	seen := map[string]bool{}
	text := bytes.Repeat([]byte("text"), 1000)
	for range 100 {
		folder := filepath.Join(t.TempDir(), "store")
		if how, err := damage(rng, folder); err != nil || how != storeKept && how != storeWiped {
			t.Fatalf("%s: %v", how, err)
		}
		if err := os.MkdirAll(folder, 0o755); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(folder, "file")
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		how, err := damage(rng, folder)
		if err != nil {
			t.Fatal(err)
		}
		got, _ := os.ReadFile(path)
		is := storeFlips
		switch {
		case got == nil:
			is = storeWiped
		case bytes.Equal(got, text):
			is = storeKept
		case len(got) < len(text):
			is = storeCut
		}
		if is != how {
			t.Errorf("%s is told as %s", is, how)
		}
		seen[how] = true
	}
	if len(seen) != 4 {
		t.Errorf("it does %v", seen)
	}
}
