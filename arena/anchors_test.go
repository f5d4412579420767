package arena_test

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"math"
	"os"
	"path/filepath"
	"testing"

	"tengen/arena"
	"tengen/game"
	_ "tengen/game/all"
	"tengen/player"
)

var update = flag.Bool("update", false, "write measured from docs/results/ruler")

// TestMeasured: the anchor ladders of the program can be played, begin with the UCT of evaluations,
// climb, and are those of the page of results. With -update it makes them so.
func TestMeasured(t *testing.T) {
	all := arena.AnchorLadders()
	if len(all) == 0 {
		t.Fatal("no anchor ladders")
	}
	published := map[string]*arena.AnchorLadder{}
	files, err := filepath.Glob("../docs/results/ruler/*.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		r := new(arena.AnchorLadder)
		if err := json.Unmarshal(text, r); err != nil {
			t.Fatalf("%s: %v", f, err)
		}
		published[r.Game] = r
		if *update {
			text, err := json.MarshalIndent(r, "", "  ")
			if err == nil {
				err = os.WriteFile(filepath.Join("anchors", filepath.Base(f)),
					append(text, '\n'), 0o644)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	if *update {
		t.Skip("measured is written; run the test again")
	}
	for _, r := range all {
		g, err := game.New(r.Game)
		if err != nil {
			t.Fatal(err)
		}
		if g.Name() != r.Game || arena.AnchorLadderOf(g) == nil {
			t.Errorf("%s: the canonical name is %s", r.Game, g.Name())
		}
		players, err := r.Players(g)
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Anchors) < 3 || r.Anchors[0].Elo != 0 ||
			players[0].Name() != player.Baseline.Name() {
			t.Errorf("%s: anchors %+v", r.Game, r.Anchors)
		}
		for i, anchor := range r.Anchors {
			u, ok := players[i].(player.UCT)
			if !ok || u.Name() != anchor.Player || u.Simulations != anchor.Simulations {
				t.Errorf("%s: anchor %d is %+v, its player %s",
					r.Game, i, anchor, players[i].Name())
			}
			if i > 0 && !(anchor.Elo > r.Anchors[i-1].Elo && anchor.Low < anchor.Elo &&
				anchor.Elo < anchor.High && anchor.Simulations >= r.Anchors[i-1].Simulations) {
				t.Errorf("%s: anchor %+v follows %+v", r.Game, anchor, r.Anchors[i-1])
			}
		}
		p := published[r.Game]
		if p == nil || len(p.Anchors) != len(r.Anchors) {
			t.Errorf("%s: docs/results/ruler has %+v", r.Game, p)
			continue
		}
		for i := range r.Anchors {
			if r.Anchors[i] != p.Anchors[i] {
				t.Errorf("%s: anchor %+v, in docs/results/ruler %+v",
					r.Game, r.Anchors[i], p.Anchors[i])
			}
		}
	}
}

var short = &arena.AnchorLadder{Game: "tictactoe", Anchors: []arena.Anchor{
	{Player: "uct:simulations=5,c=0.8,utility=points", Simulations: 5},
	{Player: "uct:simulations=40,c=0.8,utility=unit", Simulations: 40, Elo: 300,
		Low: 250, High: 350},
	{Player: "uct:simulations=400,c=0.8,utility=unit", Simulations: 400, Elo: 500,
		Low: 400, High: 600},
	{Player: "uct:simulations=2000,c=0.8,utility=unit", Simulations: 2000, Elo: 600,
		Low: 500, High: 700},
}}

func TestAbove(t *testing.T) {
	for _, c := range []struct {
		elo         float64
		simulations int
		want        int
	}{
		{math.Inf(-1), 1000, 0}, {0, 1000, 0}, {1, 1000, 1}, {300, 1000, 1}, {301, 1000, 2},
		{5000, 1000, 2}, {5000, 10000, 3}, {100, 1, 0},
	} {
		if got := short.Above(c.elo, c.simulations); got != c.want {
			t.Errorf("above %g with at most %d simulations: anchor %d, want %d",
				c.elo, c.simulations, got, c.want)
		}
	}
}

// TestPlace: a player as weak as the first anchor is placed at its rating without meeting the
// second; a strong one meets all anchors that are allowed.
func TestPlace(t *testing.T) {
	g := game.Must(game.New("tictactoe"))
	m := arena.PlacementMatch{
		Game: g, Player: player.Random{}, Games: 40, Most: 400, Seed: 3, Workers: 2,
		GamesPerWorker: 4,
	}
	p, err := short.Place(t.Context(), m, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Meetings) != 1 || !(p.Rating.Elo < 0) || p.Rating.Games != 40 {
		t.Errorf("random moves are placed at %+v after %d matches", p.Rating, len(p.Meetings))
	}
	m.Player = player.UCT{Simulations: 3000, C: 0.8, Utility: player.Unit}
	p, err = short.Place(t.Context(), m, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Meetings) < 2 || len(p.Meetings) > 3 || !(p.Rating.Elo > 200) ||
		p.Rating.Games != 40*len(p.Meetings) {
		t.Errorf("3,000 simulations are placed at %+v after %d matches", p.Rating, len(p.Meetings))
	}
	if again, err := short.Place(t.Context(), m, nil); err != nil || *again.Rating != *p.Rating {
		t.Errorf("the second placement is %+v (%v), the first was %+v", again, err, p.Rating)
	}
}

// TestInterruptedPlacement: a placement that is interrupted tells what it has.
func TestInterruptedPlacement(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	m := arena.PlacementMatch{
		Game:   game.Must(game.New("tictactoe")),
		Player: player.UCT{Simulations: 10000, C: 0.8, Utility: player.Unit},
		Games:  40, Most: 10000, Seed: 3, Workers: 1, GamesPerWorker: 1,
	}
	p, err := short.Place(ctx, m, func(anchor string, played, _ int) {
		if anchor == short.Anchors[1].Player && played >= 10 { // long before its last game ends
			stop()
		}
	})
	var interrupted *arena.Interrupted
	if !errors.As(err, &interrupted) || p == nil || p.Interrupted == nil || len(p.Meetings) != 2 ||
		p.Rating == nil {
		t.Errorf("interrupted: %+v, %v", p, err)
	}
}
