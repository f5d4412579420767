package arena

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"

	"tengen/game"
	"tengen/player"
)

// someHelper plays what it takes with a match of its own, as another process would. Of each block of games it gives back and drops a few.
type someHelper struct {
	t        *testing.T
	match    Match
	block    int
	drop     int // each how-manieth game it gives back and never plays; 0: none
	counted  int
	vanishes bool // it returns with games that it has
}

func (h *someHelper) Help(ctx context.Context, d *Desk) {
	for ctx.Err() == nil {
		numbers := d.Take(h.block)
		if len(numbers) == 0 {
			return
		}
		if h.vanishes && numbers[0] > 3 {
			return
		}
		list, err := h.match.Some(ctx, numbers)
		if err != nil {
			if ctx.Err() == nil {
				h.t.Error(err)
			}
			return
		}
		for i, n := range numbers {
			if h.drop > 0 && n%h.drop == 0 {
				d.GiveBack([]int{n})
				continue
			}
			if _, err := d.Finish(n, list[i][:len(list[i])-1]); err == nil || !strings.Contains(err.Error(), "not over") {
				h.t.Errorf("game %d without its last action: %v", n, err)
			}
			if !d.Wanted(n) {
				h.t.Errorf("game %d is not wanted", n)
			}
			wanted, err := d.Finish(n, list[i])
			if err != nil || !wanted {
				h.t.Errorf("game %d: %v, %v", n, wanted, err)
			}
			h.counted++
			if wanted, err := d.Finish(n, list[i]); err != nil || wanted {
				h.t.Errorf("game %d for the second time: %v, %v", n, wanted, err)
			}
		}
	}
}

// TestHelper: a match has the same results with a helper as without, whatever it finishes, gives back or forgets.
func TestHelper(t *testing.T) {
	for _, name := range []string{"go:size=3,players=3", "tcg", "turtle:players=3"} {
		g := game.Must(game.New(name))
		for _, paired := range []bool{false, true} {
			m := Match{
				Game: g, Players: []player.Player{network(t, g, 8), player.UCT{Simulations: 6, C: 0.8, Utility: player.Points}},
				Games: 20, Seed: 5, Workers: 2, GamesPerWorker: 2, Paired: paired, Opening: 2,
			}
			for p := range g.Players() {
				seating := make([]int, g.Players())
				seating[p] = 1
				m.Seatings = append(m.Seatings, seating)
			}
			want, err := m.Play(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, h := range []*someHelper{{block: 3}, {block: 1, drop: 3}, {block: 40, drop: 1}, {block: 4, vanishes: true}} {
				h.t, h.match = t, m
				helped := m
				helped.Helper = h
				calls := 0
				got, err := helped.Play(t.Context(), func(n int) {
					if calls++; n != calls {
						t.Errorf("progress says %d at call %d", n, calls)
					}
				})
				if err != nil {
					t.Fatal(err)
				}
				if !reflect.DeepEqual(got, want) || calls != 20 {
					t.Errorf("%s, paired %t, blocks of %d: other results (progress %d)", name, paired, h.block, calls)
				}
			}
		}
	}
}

// lost takes all games and never ends one.
type lost struct {
	ended bool
	taken func()
}

func (l *lost) Help(ctx context.Context, d *Desk) {
	for d.Left() > 0 {
		d.Take(7)
	}
	l.taken()
	<-ctx.Done()
	l.ended = true
}

// TestHelperIsLost: a match whose helper keeps all games ends with its context, and the helper before it; nobody helps a player whose moves
// are limited by time.
func TestHelperIsLost(t *testing.T) {
	g := game.Must(game.New("tictactoe"))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	l := &lost{taken: cancel}
	m := Match{Game: g, Players: []player.Player{player.Random{}}, Seatings: [][]int{{0, 0}}, Games: 20000, Workers: 1, GamesPerWorker: 1, Helper: l}
	var interrupted *Interrupted
	if _, err := m.Play(ctx, nil); !errors.As(err, &interrupted) || !l.ended {
		t.Errorf("%v, ended %t", err, l.ended)
	}
	timed, err := player.Parse(g, "uct:time=1ms")
	if err != nil {
		t.Fatal(err)
	}
	l = &lost{taken: func() {}}
	m.Players, m.Helper, m.Games = []player.Player{timed}, l, 2
	if _, err := m.Play(t.Context(), nil); err != nil || l.ended {
		t.Errorf("%v, helped %t", err, l.ended)
	}
}

// TestSomeRefuses: only games of the match are played.
func TestSomeRefuses(t *testing.T) {
	m := Match{Game: game.Must(game.New("tictactoe")), Players: []player.Player{player.Random{}}, Seatings: [][]int{{0, 0}}, Games: 4}
	for _, n := range []int{-1, 4} {
		if _, err := m.Some(t.Context(), []int{n}); err == nil {
			t.Errorf("game %d of 4 is played", n)
		}
	}
	d := newDesk(&m, nil)
	if _, err := d.Finish(4, nil); err == nil {
		t.Error("game 4 of 4 is taken")
	}
	if _, err := d.Finish(0, []game.Action{0, 0}); err == nil {
		t.Error("an action that is not possible is taken")
	}
}
