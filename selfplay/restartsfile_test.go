package selfplay

import (
	"bytes"
	"encoding/hex"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"tengen/game"
	"tengen/replay"
)

// smallRestarts are Restarts of two positions of tic-tac-toe.
func smallRestarts() *Restarts {
	g := &replay.Game{Moves: []replay.Move{{Action: 4}, {Action: 0}, {Action: 8}}}
	return NewRestarts(0.25, 1, []replay.Restart{{Game: g, Ply: 3, Regret: 0.5}, {Game: g, Ply: 0, Regret: 0.125}})
}

// TestRestartsFile: restarts come back as they were; damaged ones, and those that break the rules, are refused.
func TestRestartsFile(t *testing.T) {
	g := game.Must(game.New("tictactoe"))
	want := smallRestarts()
	data := want.Encode()
	path := filepath.Join("testdata", "restarts.golden")
	golden, err := os.ReadFile(path)
	if err != nil || hex.EncodeToString(data) != strings.TrimSpace(string(golden)) {
		t.Errorf("%s: %v: it is now %x: another version is wanted", path, err, data)
	}
	got, err := DecodeRestarts(g, data)
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v: %v, want %+v", got, err, want)
	}
	for n := range data {
		if _, err := DecodeRestarts(g, data[:n]); err == nil {
			t.Fatalf("%d of %d bytes are taken", n, len(data))
		}
	}
	for what, change := range map[string]func(*Restarts){
		"bytes follow":               nil,
		"the share is 2":             func(r *Restarts) { r.share = 2 },
		"no positions":               func(r *Restarts) { r.positions = nil },
		"its bound is 0.5":           func(r *Restarts) { r.positions[1].bound = 0.5 },
		"action 4 at place 2":        func(r *Restarts) { r.positions[0].actions = []game.Action{4, 4} },
		"the game is over":           func(r *Restarts) { r.positions[0].actions = []game.Action{0, 3, 1, 4, 2} },
		"position 1: action 9 at pl": func(r *Restarts) { r.positions[1].actions = []game.Action{9} },
	} {
		bad := data
		if change == nil {
			bad = append(bytes.Clone(data), 0)
		} else {
			r := smallRestarts()
			change(r)
			bad = r.Encode()
		}
		if _, err := DecodeRestarts(g, bad); err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// FuzzRestarts: whatever comes is refused or encodes to the same.
func FuzzRestarts(f *testing.F) {
	g := game.Must(game.New("tictactoe"))
	f.Add(smallRestarts().Encode())
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := DecodeRestarts(g, data)
		if err != nil {
			return
		}
		if back, err := DecodeRestarts(g, r.Encode()); err != nil || !reflect.DeepEqual(back, r) {
			t.Fatalf("%+v came back as %+v: %v", r, back, err)
		}
	})
}

// TestCheckGame: games of a job are taken, and refused once their players, the position from which they start, or their number
// are others.
func TestCheckGame(t *testing.T) {
	s := settings("go:size=3,players=3")
	job := Job{Games: numbers(24), Iteration: 3, Step: 9, Epsilon: 0.2, Weights: weights(t, s.Game)}
	earlier, _ := playJob(t, s, job, 1, 4)
	window, err := replay.NewWindow(s.Game, replay.WindowConfig{Capacity: 1000})
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range earlier {
		if err := job.Check(s, g); err != nil {
			t.Error(err)
		}
		if err := window.Add(g); err != nil {
			t.Fatal(err)
		}
	}
	job.Games = numbers(48)[24:]
	job.Restarts, job.Population = NewRestarts(0.6, 1, window.Restarts(5)), population(t, s.Game, 0.4)
	games, _ := playJob(t, s, job, 1, 4)
	kinds := map[replay.SeatKind]bool{}
	refused := map[string]int{}
	for i, g := range games {
		if err := job.Check(s, g); err != nil {
			t.Error(err)
		}
		for _, seat := range g.Seats {
			kinds[seat.Kind] = true
		}
		for what, change := range map[string]func(*replay.Game){
			"plays, where": func(g *replay.Game) {
				g.Seats = append([]replay.SeatRecord(nil), g.Seats...)
				if g.Seats[1].Kind == replay.UCT {
					g.Seats[1] = replay.SeatRecord{Kind: replay.Network, Step: job.Step}
				} else {
					g.Seats[1] = replay.SeatRecord{Kind: replay.UCT}
				}
			},
			"actions, where": func(g *replay.Game) { g.Prefix++ },
			"another position": func(g *replay.Game) {
				g.Moves = append([]replay.Move(nil), g.Moves...)
				g.Moves[0].Action++
			},
			"number": func(g *replay.Game) { g.Number = games[(i+1)%len(games)].Number },
		} {
			c := *g
			change(&c)
			if err := job.Check(s, &c); err != nil && (what == "number" || strings.Contains(err.Error(), what)) {
				refused[what]++
			}
		}
	}
	for _, kind := range []replay.SeatKind{replay.Network, replay.UCT, replay.Past} {
		if !kinds[kind] {
			t.Errorf("no seat of a %v", kind)
		}
	}
	restarted := 0
	for _, g := range games {
		if g.Prefix > 0 {
			restarted++
		}
	}
	if n := len(games); refused["plays, where"] != n || refused["actions, where"] != n || refused["another position"] != restarted || refused["number"] < n/2 || restarted == 0 {
		t.Errorf("refused of %d games, %d of which start elsewhere: %v", n, restarted, refused)
	}
}
