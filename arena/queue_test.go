package arena

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"tengen/game"
	"tengen/player"
	"tengen/vfs"
)

// someWorkers plays what it takes with a match of its own, as another process would. Of each block
// of games it gives back and drops a few.
type someWorkers struct {
	t        *testing.T
	match    Match
	block    int
	drop     int // each how-manieth game it gives back and never plays; 0: none
	counted  int
	vanishes bool // it returns with games that it has
}

func (h *someWorkers) Play(ctx context.Context, d *WorkQueue) {
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
			if _, err := d.Finish(n, list[i][:len(list[i])-1]); err == nil ||
				!strings.Contains(err.Error(), "not over") {
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

// TestRemoteWorkers: a match has the same results with remote workers as without, whatever it
// finishes, gives back or forgets.
func TestRemoteWorkers(t *testing.T) {
	names := []string{"go:size=3,players=3", "tcg:hp=6", "turtle:players=3"}
	if testing.Short() {
		names = names[:1]
	}
	for _, name := range names {
		g := game.Must(game.New(name))
		for _, paired := range []bool{false, true} {
			m := Match{
				Game: g, Players: []player.Player{
					network(t, g, 8), player.UCT{Simulations: 6, C: 0.8, Utility: player.Points},
				},
				Games: 8, Seed: 5, Workers: 2, GamesPerWorker: 2, Paired: paired, Opening: 2,
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
			for _, h := range []*someWorkers{
				{block: 3}, {block: 1, drop: 3}, {block: 20, drop: 1}, {block: 4, vanishes: true},
			} {
				h.t, h.match = t, m
				helped := m
				helped.Remote = h
				calls := 0
				got, err := helped.Play(t.Context(), func(n int) {
					if calls++; n != calls {
						t.Errorf("progress says %d at call %d", n, calls)
					}
				})
				if err != nil {
					t.Fatal(err)
				}
				if !reflect.DeepEqual(got, want) || calls != m.Games {
					t.Errorf("%s, paired %t, blocks of %d: other results (progress %d)",
						name, paired, h.block, calls)
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

func (l *lost) Play(ctx context.Context, d *WorkQueue) {
	for d.Left() > 0 {
		d.Take(7)
	}
	l.taken()
	<-ctx.Done()
	l.ended = true
}

// TestRemoteWorkersAreLost: a match whose remote workers keep all games ends with its context, and
// they before it; nobody helps a player whose moves are limited by time.
func TestRemoteWorkersAreLost(t *testing.T) {
	g := game.Must(game.New("tictactoe"))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	l := &lost{taken: cancel}
	m := Match{
		Game: g, Players: []player.Player{player.Random{}}, Seatings: [][]int{{0, 0}}, Games: 20000,
		Workers: 1, GamesPerWorker: 1, Remote: l,
	}
	var interrupted *Interrupted
	if _, err := m.Play(ctx, nil); !errors.As(err, &interrupted) || !l.ended {
		t.Errorf("%v, ended %t", err, l.ended)
	}
	timed, err := player.Parse(g, "uct:time=1ms")
	if err != nil {
		t.Fatal(err)
	}
	l = &lost{taken: func() {}}
	m.Players, m.Remote, m.Games = []player.Player{timed}, l, 2
	if _, err := m.Play(t.Context(), nil); err != nil || l.ended {
		t.Errorf("%v, helped %t", err, l.ended)
	}
}

// TestSomeRefuses: only games of the match are played.
func TestSomeRefuses(t *testing.T) {
	m := Match{
		Game: game.Must(game.New("tictactoe")), Players: []player.Player{player.Random{}},
		Seatings: [][]int{{0, 0}}, Games: 4,
	}
	for _, n := range []int{-1, 4} {
		if _, err := m.Some(t.Context(), []int{n}); err == nil {
			t.Errorf("game %d of 4 is played", n)
		}
	}
	d := newWorkQueue(&m, nil, func([]Result) {})
	if _, err := d.Finish(4, nil); err == nil {
		t.Error("game 4 of 4 is taken")
	}
	if _, err := d.Finish(0, []game.Action{0, 0}); err == nil {
		t.Error("an action that is not possible is taken")
	}
}

// TestRecordsOfOthers: a game of remote workers is taken whatever its players decide, and refused
// if its opening or an outcome of chance is not the one that its number draws.
func TestRecordsOfOthers(t *testing.T) {
	for _, name := range []string{
		"go:size=3,players=3", "tictactoe", "tcg:hp=6", "turtle:players=3", "kuhn",
	} {
		g := game.Must(game.New(name))
		for _, drawn := range []bool{false, true} {
			m := Match{
				Game: g, Players: []player.Player{
					player.UCT{Simulations: 4, C: 0.8, Utility: player.Points}, player.Random{},
				}, Games: 24, Seed: 5, Drawn: drawn, Opening: 2,
			}
			for p := range g.Players() {
				seating := make([]int, g.Players())
				seating[p] = 1
				m.Seatings = append(m.Seatings, seating)
			}
			others := m
			others.Players = []player.Player{player.Random{}, player.Random{}}
			var numbers []int
			for n := range m.Games {
				numbers = append(numbers, n)
			}
			list, err := others.Some(t.Context(), numbers)
			if err != nil {
				t.Fatal(err)
			}
			refused, changed, chance := 0, 0, 0
			for n, actions := range list {
				r, err := m.resultOf(n, actions)
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				if r.Plies != len(actions) || len(r.Returns) != g.Players() ||
					!reflect.DeepEqual(r.actions, actions) {
					t.Fatalf("%s: %+v", name, r)
				}
				for _, bad := range [][]game.Action{
					actions[:len(actions)-1], nil, append(slices.Clip(actions), actions[0]),
				} {
					if _, err := m.resultOf(n, bad); err == nil {
						t.Fatalf("%s: %d actions of %d are taken", name, len(bad), len(actions))
					}
				}
				if _, err := m.resultOf((n+len(m.Seatings))%m.Games, actions); err != nil {
					refused++ // another opening
				}
				at, how := otherwise(g, actions)
				if at == nil {
					continue
				}
				changed++
				if _, err := m.resultOf(n, at); err == nil ||
					!strings.Contains(err.Error(), ", where ") {
					t.Errorf("%s, game %d with %s changed: %v", name, n, how, err)
				}
				if how == "chance" {
					chance++
				}
			}
			if refused < m.Games/2 || changed == 0 || (chance > 0) != game.HasChance(g) {
				t.Errorf("%s: %d of %d games of others are refused; %d were changed, %d in outcomes of chance", name, refused, m.Games, changed, chance)
			}
		}
	}
}

// otherwise returns a game with another outcome of chance, or without any another first decision,
// and what was changed. What follows may not be possible any more.
func otherwise(g game.Game, actions []game.Action) ([]game.Action, string) {
	how := "the opening"
	if game.HasChance(g) {
		how = "chance"
	}
	r := game.NewReplayer(g)
	for i, a := range actions {
		var others []game.Action
		if s := r.State(); s.CurrentPlayer() == game.Chance && how == "chance" {
			for _, o := range s.(game.Chancer).Outcomes(nil) {
				others = append(others, o.Action)
			}
		} else if s.CurrentPlayer() >= 0 && how != "chance" {
			others = s.LegalActions(nil)
		}
		for _, o := range others {
			if o != a {
				changed := slices.Clone(actions)
				changed[i] = o
				return changed, how
			}
		}
		r.Apply(a)
	}
	return nil, ""
}

// plainWorkers plays blocks of a match until nothing is left.
type plainWorkers struct {
	players []player.Player
	counted int
	begun   chan struct{} // closed once it has played a block, or finds none
}

func (h *plainWorkers) Play(ctx context.Context, d *WorkQueue) {
	m := *d.Match()
	m.Remote, m.Players = nil, h.players
	begun := sync.OnceFunc(func() { close(h.begun) })
	defer begun()
	for ctx.Err() == nil {
		numbers := d.Take(3)
		list, err := m.Some(ctx, numbers)
		if len(numbers) == 0 || err != nil {
			return
		}
		for i, n := range numbers {
			if wanted, _ := d.Finish(n, list[i]); wanted {
				h.counted++
			}
		}
		begun()
	}
}

// latePlayer is a player whose agents are made once remote workers have begun, so that the match's
// own workers don't play all games before.
type latePlayer struct {
	player.Player
	h *plainWorkers
}

func (w latePlayer) NewAgent(g game.Game) player.Agent {
	<-w.h.begun
	return w.Player.NewAgent(g)
}

// TestTournamentRemoteWorkers: the standings of a tournament are the same with remote workers, with
// and without an early end, and its store then has all games.
func TestTournamentRemoteWorkers(t *testing.T) {
	for _, name := range []string{"go:size=3,players=3", "turtle:squares=4,hand=3,max_turns=60"} {
		g := game.Must(game.New(name))
		tournament := func() *Tournament {
			return &Tournament{
				Game: g, Players: []player.Player{
					network(t, g, 4), player.UCT{Simulations: 4, C: 0.8, Utility: player.Points},
				},
				Games: 42, Seed: 5, Opening: 1, Workers: 2, GamesPerWorker: 2,
			}
		}
		for _, until := range []float64{0, 0.4} {
			alone := tournament()
			alone.Until = until
			want, err := alone.Play(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			helped, h, dir := tournament(), new(plainWorkers), t.TempDir()
			h.players = slices.Clone(helped.Players)
			helped.Until, helped.Remote, helped.Players[1] = until, h,
				latePlayer{helped.Players[1], h}
			for again := range 2 {
				h.begun = make(chan struct{})
				if helped.Store, err = OpenStore(vfs.OS{}, dir, helped); err != nil {
					t.Fatal(err)
				}
				kept := helped.Store.Len()
				got, err := helped.Play(t.Context(), nil)
				if err != nil {
					t.Fatal(err)
				}
				if err := helped.Store.Close(); err != nil {
					t.Fatal(err)
				}
				if !reflect.DeepEqual(got, want) {
					t.Errorf("%s, until %g: %+v with remote workers, %+v without", name, until, got, want)
				}
				if again == 1 && kept < want.Games {
					t.Errorf("%s: %d games of %d are kept", name, kept, want.Games)
				}
			}
			if h.counted == 0 {
				t.Errorf("%s: remote workers have played nothing", name)
			}
		}
	}
}
