package player_test

import (
	"context"
	"math"
	"reflect"
	"strings"
	"testing"

	"tengen/game"
	_ "tengen/game/all"
	"tengen/nash"
	"tengen/player"
)

func enumerated(t *testing.T, name string) *nash.Tree {
	t.Helper()
	tree, err := nash.Enumerate(context.Background(), game.Must(game.New(name)), nash.DefaultLimit)
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

func parsed(t *testing.T, g game.Game, text string) player.Player {
	t.Helper()
	p, err := player.Parse(g, text)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func of(t *testing.T, tree *nash.Tree, o player.PolicyOptions, texts ...string) nash.Policy {
	t.Helper()
	var players []player.Player
	for p := range tree.Game().Players() {
		players = append(players, parsed(t, tree.Game(), texts[min(p, len(texts)-1)]))
	}
	policy, err := player.PolicyOf(context.Background(), tree, players, o)
	if err != nil {
		t.Fatal(err)
	}
	return policy
}

// sampledOnly hides that a player is explicit.
type sampledOnly struct{ player.Player }

// What is sampled of a player approaches what it says itself.
func TestSamplesApproachTheExactPolicy(t *testing.T) {
	tree := enumerated(t, "kuhn")
	for _, text := range []string{"random", "cfr:iterations=50"} {
		exact := of(t, tree, player.PolicyOptions{}, text)
		p := sampledOnly{parsed(t, tree.Game(), text)}
		const n = 4000
		o := player.PolicyOptions{Samples: n, Seed: 1, Workers: 2}
		sampled, err := player.PolicyOf(t.Context(), tree, []player.Player{p, p}, o)
		if err != nil {
			t.Fatal(err)
		}
		for i, row := range exact {
			sum := 0.0
			for k, q := range row {
				sum += sampled[i][k]
				if math.Abs(sampled[i][k]-q) > 5*math.Sqrt(q*(1-q)/n)+1e-9 {
					t.Errorf("%s, set %d: action %d has the share %v; its probability is %v",
						text, i, k, sampled[i][k], q)
				}
			}
			if math.Abs(sum-1) > 1e-9 {
				t.Errorf("%s, set %d: the shares sum to %v", text, i, sum)
			}
		}
	}
}

// The policy depends on the seed alone, and each seat plays its own player's.
func TestRepeats(t *testing.T) {
	tree := enumerated(t, "kuhn")
	a := of(t, tree, player.PolicyOptions{Samples: 20, Seed: 3, Workers: 1}, "uct:simulations=20")
	b := of(t, tree, player.PolicyOptions{Samples: 20, Seed: 3, Workers: 3}, "uct:simulations=20")
	if !reflect.DeepEqual(a, b) {
		t.Errorf("one worker samples %v, three %v", a, b)
	}
	if c := of(t, tree, player.PolicyOptions{
		Samples: 20, Seed: 4,
	}, "uct:simulations=20"); reflect.DeepEqual(a, c) {
		t.Error("another seed gives the same samples")
	}
	mixed := of(t, tree, player.PolicyOptions{Samples: 20, Seed: 3}, "uct:simulations=20", "random")
	uniform := tree.Uniform()
	for i, x := range tree.Sets() {
		want := a[i]
		if x.Player == 1 {
			want = uniform[i]
		}
		if !reflect.DeepEqual(mixed[i], want) {
			t.Errorf("seat %d, set %d: %v is played; want %v", x.Player, i, mixed[i], want)
		}
	}
}

// A search knows that a king calls and a jack folds, and its temperature mixes its moves.
func TestSearch(t *testing.T) {
	tree := enumerated(t, "kuhn")
	best := of(t, tree, player.PolicyOptions{Samples: 10, Seed: 1}, "uct:simulations=200")
	mixed := of(t, tree, player.PolicyOptions{Samples: 50, Seed: 1},
		"uct:simulations=200,temperature=1,plies=all")
	between := 0
	for i, x := range tree.Sets() {
		card := x.Path[x.Player] - 2
		if acts := len(x.Path) - 2; x.Player == 1 && x.Path[2] == 1 && acts == 1 && card != 1 {
			if want := float64(card) / 2; best[i][1] != want {
				t.Errorf("card %d is bet with %v after a bet; want %v", card, best[i][1], want)
			}
		}
		if mixed[i][0] > 0.05 && mixed[i][0] < 0.95 {
			between++
		}
	}
	if between < 6 {
		t.Errorf("at a temperature of 1 only %d policies of 12 are mixed: %v", between, mixed)
	}
}

func TestRefuses(t *testing.T) {
	tree := enumerated(t, "turtle:squares=3,hand=1,deck=[0,1,0,0,1,0,0],max_turns=2")
	open := parsed(t, tree.Game(), "uct:simulations=2,open=true")
	_, err := player.PolicyOf(t.Context(), tree, []player.Player{open, open},
		player.PolicyOptions{Samples: 1})
	if err == nil || !strings.Contains(err.Error(), "sees what is hidden") {
		t.Errorf("the error is %v", err)
	}
	// Sets that an agent can't tell apart have one policy.
	policy := of(t, tree, player.PolicyOptions{Samples: 3, Seed: 1}, "uct:simulations=4")
	shares := map[uint64][]float64{}
	several := 0
	for i, x := range tree.Sets() {
		key := x.Key ^ uint64(x.Player)
		if old, ok := shares[key]; ok {
			several++
			if !reflect.DeepEqual(old, policy[i]) {
				t.Fatalf("sets with one key have the policies %v and %v", old, policy[i])
			}
		}
		shares[key] = policy[i]
	}
	if !tree.Remembers() && several == 0 {
		t.Error("no key has several sets")
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	p := parsed(t, tree.Game(), "uct:simulations=4")
	o := player.PolicyOptions{Samples: 3}
	if _, err := player.PolicyOf(ctx, tree, []player.Player{p, p}, o); err == nil {
		t.Error("a canceled context is ignored")
	}
}
