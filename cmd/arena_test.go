package cmd

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"tengen/arena"
	"tengen/cmd/internal/cmdtest"
	"tengen/player"
)

// TestArenaStoppedAndResumed: a match that is stopped says how to go on, and
// what it prints in the end is what a match without an interruption prints.
func TestArenaStoppedAndResumed(t *testing.T) {
	t.Chdir(t.TempDir())
	const args = "arena uct:simulations=200 random --game tictactoe --games 1000 --json"
	standings := func(text string) string {
		var m map[string]any
		if err := json.Unmarshal([]byte(text), &m); err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		delete(m, "seconds")
		delete(m, "games_played_now")
		again, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		return string(again)
	}
	status, want, stderr := tengen(t, "", args)
	if status != 0 {
		t.Fatal(stderr)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var stdout, errors bytes.Buffer
	done := make(chan int)
	go func() {
		done <- program.Execute(ctx, strings.Fields(args+" --save kept"), neverTyped{},
			&stdout, &errors)
	}()
	lines := func() int {
		data, _ := os.ReadFile(filepath.Join("kept", arena.MatchFile))
		return bytes.Count(data, []byte("\n"))
	}
	for lines() < 20 {
		select {
		case status := <-done:
			t.Fatalf("it ended by itself, with status %d: %s", status, errors.String())
		case <-time.After(time.Millisecond):
		}
	}
	cancel()
	// On a busy machine a line that games are awaited comes before.
	last := regexp.MustCompile(
		`(?m)^tengen: stopped; .* games are in kept, and the same command plays the rest\n\z`)
	if status := <-done; status != exitStopped || !last.MatchString(errors.String()) {
		t.Fatalf("status %d, %q", status, errors.String())
	}
	var sofar arena.Standings
	if err := json.Unmarshal(stdout.Bytes(), &sofar); err != nil || sofar.Interrupted == nil ||
		sofar.Interrupted.Games != sofar.Games || sofar.Interrupted.Planned != 1000 ||
		sofar.Games > lines() {
		t.Fatalf("%v: so far %s", err, &stdout)
	}
	kept := lines() - 1
	status, got, stderr := tengen(t, "", args+" --save kept")
	if status != 0 || !strings.Contains(stderr, " games are in kept already\n") {
		t.Fatalf("status %d, %s", status, stderr)
	}
	if standings(got) != standings(want) {
		t.Errorf("resumed after %d games:\n%s\nwant\n%s", kept, got, want)
	}
	if n := lines() - 1; n != 1000 {
		t.Errorf("the file has %d games", n)
	}
}

// TestArenaNetworks: the game is that of the network; games are not mixed with
// those of another checkpoint of the same run.
func TestArenaNetworks(t *testing.T) {
	t.Chdir(t.TempDir())
	newRun(t, "a", smallGo, "alphazero")
	const args = "arena a random --simulations 4 --games 6 --save kept --json"
	status, stdout, stderr := tengen(t, "", args)
	var s arena.Standings
	if err := json.Unmarshal([]byte(stdout), &s); status != 0 || err != nil {
		t.Fatalf("status %d, %v, %s", status, err, stderr)
	}
	if s.Game != smallGo || s.Opening != 2 || s.Games != 6 ||
		s.Players[0].Name != "az:a,simulations=4,c_puct=0.4,choice=lcb" ||
		s.Players[0].Points.N() != 9 {
		t.Errorf("%+v", s)
	}
	digest, err := player.NetworkDigest("az:a,simulations=4")
	if again, _ := player.NetworkDigest("az:a,simulations=5"); err != nil || digest != again ||
		len(digest) != 16 {
		t.Errorf("digests %q and %q, %v", digest, again, err)
	}
	file := filepath.Join("kept", arena.MatchFile)
	text, err := os.ReadFile(file)
	if err != nil || !bytes.Contains(text, []byte(`"networks":["`+digest+`",""]`)) {
		t.Fatalf("%v; the file begins %.300s", err, text)
	}
	// Another network under the same name.
	if err := os.RemoveAll("a"); err != nil {
		t.Fatal(err)
	}
	cmdtest.NewRun(t, "a", smallGo, "alphazero", 4)
	status, _, stderr = tengen(t, "", args)
	if status != exitUsage || !strings.Contains(stderr, "the players' networks have changed") {
		t.Errorf("with another network: status %d, %s", status, stderr)
	}
}

// neverTyped is an input at which nobody types.
type neverTyped struct{}

func (neverTyped) Read([]byte) (int, error) { select {} }
