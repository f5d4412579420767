package arena

import (
	"context"
	"errors"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"tengen/arena/rating"
	"tengen/game"
	"tengen/player"
	"tengen/vfs/vfstest"
)

// small returns a tournament of few quick games, modified by change.
func small(t *testing.T, change func(*Tournament)) *Tournament {
	t.Helper()
	n := &Tournament{
		Game: game.Must(game.New("tictactoe")),
		Players: []player.Player{
			player.UCT{Simulations: 8, C: 0.8, Utility: player.Unit}, player.Random{},
		},
		Games: 40, Seed: 3, Workers: 1, GamesPerWorker: 1,
	}
	if change != nil {
		change(n)
	}
	return n
}

func standings(t *testing.T, n *Tournament) *Standings {
	t.Helper()
	s, err := n.Play(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestTournamentOnAnyWorkers: the standings do not depend on the number of workers and of
// concurrent games, wherever the tournament ends.
func TestTournamentOnAnyWorkers(t *testing.T) {
	for name, change := range map[string]func(*Tournament){
		"all games": nil,
		"until":     func(n *Tournament) { n.Games, n.Until = 4000, 0.15 },
		"sprt": func(n *Tournament) {
			n.Games, n.SPRT = 4000, &rating.SPRT{Elo0: 0, Elo1: 50, Alpha: 0.05, Beta: 0.05}
		},
		"networks": func(n *Tournament) {
			n.Game = game.Must(game.New("go:size=3,players=3"))
			n.Players = []player.Player{
				network(t, n.Game, 6), player.Random{}, network(t, n.Game, 6),
			}
			n.Opening = 1
		},
	} {
		n := small(t, change)
		want := standings(t, n)
		if want.Players[0].Wins.Mean() < 0.5 && name != "networks" {
			t.Errorf("%s: UCT wins %v against random", name, &want.Players[0].Wins)
		}
		for _, c := range [][2]int{{1, 7}, {4, 3}} {
			again := small(t, change)
			again.Players = n.Players
			again.Workers, again.GamesPerWorker = c[0], c[1]
			if got := standings(t, again); !reflect.DeepEqual(got, want) {
				t.Errorf("%s: %d workers, groups of %d: %+v, want %+v", name, c[0], c[1], got, want)
			}
		}
	}
}

func TestUntil(t *testing.T) {
	s := standings(t, small(t, func(n *Tournament) { n.Games, n.Until = 4000, 0.1 }))
	if s.Stopped != "until" || s.Games >= 4000 || s.Rounds < untilRounds {
		t.Fatalf("ended by %q after %d games", s.Stopped, s.Games)
	}
	for _, p := range s.Players {
		if p.Points.CI() > 0.1 {
			t.Errorf("%s: %v", p.Name, &p.Points)
		}
	}
	// One round less was not enough.
	before := standings(t, small(t, func(n *Tournament) { n.Games = s.Games - 2 }))
	if wide := max(before.Players[0].Points.CI(), before.Players[1].Points.CI()); wide <= 0.1 &&
		before.Rounds >= untilRounds {
		t.Errorf("it went on after %d games with intervals of ± %g", before.Games, wide)
	}
	// Unreachable: all games are played.
	if s := standings(t, small(t, func(n *Tournament) { n.Until = 1e-9 })); s.Stopped != "" ||
		s.Games != 40 {
		t.Errorf("ended by %q after %d games", s.Stopped, s.Games)
	}
}

func TestSPRTStops(t *testing.T) {
	test := &rating.SPRT{Elo0: 0, Elo1: 50, Alpha: 0.05, Beta: 0.05}
	s := standings(t, small(t, func(n *Tournament) { n.Games, n.SPRT = 4000, test }))
	if s.Stopped != "sprt" || s.Test.Verdict != "H1" || s.Test.LLR < s.Test.Upper ||
		s.Games >= 4000 {
		t.Errorf("UCT against random: ended by %q after %d games, %+v", s.Stopped, s.Games, s.Test)
	}
	s = standings(t, small(t, func(n *Tournament) {
		n.Games, n.SPRT = 4000, test
		slices.Reverse(n.Players)
	}))
	if s.Stopped != "sprt" || s.Test.Verdict != "H0" || s.Test.LLR > s.Test.Lower {
		t.Errorf("random against UCT: ended by %q after %d games, %+v", s.Stopped, s.Games, s.Test)
	}
}

// openings returns the first decisions of a tournament's games, by round.
func openings(t *testing.T, n *Tournament, decisions int) [][]string {
	t.Helper()
	fsys := vfstest.NewMemory()
	if _, _, _, err := resume(fsys, n); err != nil {
		t.Fatal(err)
	}
	_, records, damaged, err := readMatch([]byte(contents(t, fsys)))
	if err != nil || len(damaged) > 0 {
		t.Fatal(err, damaged)
	}
	rounds := make([][]string, len(records)/len(n.seatings))
	for _, r := range records {
		var start []byte
		left := decisions
		err := r.Replay(n.Game, func(s game.State, ply int) {
			if left > 0 && ply < len(r.Actions) {
				start = append(start, byte('0'+r.Actions[ply]))
			}
			if s.CurrentPlayer() >= 0 && len(s.LegalActions(nil)) > 1 {
				left--
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		i := r.Number / len(n.seatings)
		rounds[i] = append(rounds[i], string(start))
	}
	return rounds
}

// TestRoundsShareOpenings: all games of a round have the same opening, outcomes of chance
// included, and rounds differ.
func TestRoundsShareOpenings(t *testing.T) {
	for name, c := range map[string]struct {
		tournament *Tournament
		opening    int
		kinds      int // of openings, at least
	}{
		"tictactoe": {small(t, nil), 3, 15},
		"three players": {
			small(t, func(n *Tournament) {
				n.Game = game.Must(game.New("go:size=3,players=3"))
			}), 2, 5,
		},
		"dice": {small(t, func(n *Tournament) { n.Game = dice{} }), 2, 15},
	} {
		c.tournament.Opening = c.opening
		rounds := openings(t, c.tournament, c.opening)
		kinds := map[string]bool{}
		for i, round := range rounds {
			for _, start := range round {
				if start != round[0] || start == "" {
					t.Errorf("%s: round %d begins with %q", name, i, round)
					break
				}
			}
			kinds[round[0]] = true
		}
		if len(kinds) < c.kinds {
			t.Errorf("%s: %d openings in %d rounds", name, len(kinds), len(rounds))
		}
	}
	// What comes after the opening is each game's own.
	n := small(t, func(n *Tournament) { n.Game, n.Opening = dice{}, 1 })
	same := 0
	for _, round := range openings(t, n, 2) {
		if round[0] == round[1] {
			same++
		}
	}
	if same > 10 {
		t.Errorf("%d of 20 pairs with an opening of one decision have two decisions, and the dice between, alike", same)
	}
}

// dice is a game for two. A die is thrown and one player names a number, then the same for the
// other player. A player's points are higher the nearer the number is to the die.
type dice struct{}

func (dice) Name() string         { return "dice" }
func (dice) Players() int         { return 2 }
func (dice) Actions() int         { return 6 }
func (dice) Planes() game.Shape   { return game.Shape{C: 1, H: 1, W: 1} }
func (dice) Support() []float32   { return nil }
func (dice) HasChance() bool      { return true }
func (dice) NewState() game.State { return &diceState{} }

type diceState struct {
	done [4]game.Action
	n    int
}

func (s *diceState) CurrentPlayer() game.Player {
	return []game.Player{game.Chance, 0, game.Chance, 1, game.Nobody}[s.n]
}
func (s *diceState) LegalActions(dst []game.Action) []game.Action {
	return append(dst, 0, 1, 2, 3, 4, 5)
}
func (s *diceState) Apply(a game.Action)     { s.done[s.n], s.n = a, s.n+1 }
func (s *diceState) CopyFrom(src game.State) { *s = *src.(*diceState) }
func (s *diceState) Returns(dst []float32) {
	for p := range 2 {
		d := float32(s.done[2*p]-s.done[2*p+1]) / 5
		dst[p] = 1 - max(d, -d)
	}
}
func (s *diceState) Observation(dst []float32) { dst[0] = float32(s.n) }
func (s *diceState) Hash() uint64              { return uint64(s.n) }
func (s *diceState) Outcomes(dst []game.Outcome) []game.Outcome {
	for a := range 6 {
		dst = append(dst, game.Outcome{Action: game.Action(a), Probability: 1. / 6})
	}
	return dst
}
func (s *diceState) Sample(rng *rand.Rand) game.Action { return game.Action(rng.IntN(6)) }

// TestRepeatsDoNotCount: deterministic players play as many distinct rounds as there are
// openings, and only these are counted.
func TestRepeatsDoNotCount(t *testing.T) {
	deterministic := func(opening int) *Standings {
		return standings(t, small(t, func(n *Tournament) {
			n.Players = []player.Player{
				&first{asked: map[string]int{}}, &first{asked: map[string]int{}},
			}
			n.Games, n.Opening = 400, opening
		}))
	}
	s := deterministic(1)
	if s.Games != 400 || s.Rounds != 200 || s.DistinctRounds != 9 || s.Counted != 9 ||
		s.Distinct != 9 || s.Players[0].Points.Rounds() != 9 {
		t.Errorf("opening of 1: %+v", s)
	}
	s = deterministic(0)
	var text strings.Builder
	if err := s.WriteText(&text); err != nil {
		t.Fatal(err)
	}
	if s.Counted != 1 ||
		!strings.Contains(text.String(), "199 rounds that repeat an earlier one are not counted") ||
		strings.Contains(text.String(), "Inf") {
		t.Errorf("opening of 0: %d rounds count; printed is\n%s", s.Counted, text.String())
	}
	if s.Players[0].Name != "first" || s.Players[1].Name != "first #2" {
		t.Errorf("the players' names are %q and %q", s.Players[0].Name, s.Players[1].Name)
	}
	// If a player draws, equal games are independent observations.
	s = standings(t, small(t, func(n *Tournament) {
		n.Players = []player.Player{&first{asked: map[string]int{}}, player.Random{}}
		n.Games = 3000
	}))
	if s.Counted != 1500 || s.DistinctRounds == 1500 {
		t.Errorf("%d of %d rounds count, %d are distinct", s.Counted, s.Rounds, s.DistinctRounds)
	}
}

func TestDefaultOpening(t *testing.T) {
	g := game.Must(game.New("tictactoe"))
	calm := network(t, g, 4)
	lively := network(t, g, 4)
	lively.Temperature, lively.Plies = 1, 4
	uct := player.UCT{Simulations: 8, C: 0.8, Utility: player.Unit}
	for _, c := range []struct {
		game    game.Game
		players []player.Player
		want    int
	}{
		{g, []player.Player{uct, player.Random{}, lively}, 0},
		{g, []player.Player{uct, calm}, 2},
		{g, []player.Player{&first{}, &first{}}, 2},
		{dice{}, []player.Player{&first{}, &first{}}, 0},
	} {
		if got := DefaultOpening(c.game, c.players); got != c.want {
			t.Errorf("%s, %v: %d, want %d", c.game.Name(), c.players, got, c.want)
		}
	}
}

func TestTournamentRounds(t *testing.T) {
	s := standings(t, small(t, func(n *Tournament) { n.Games = 41 }))
	if s.Games != 42 || s.Rounds != 21 || s.Seatings != 2 ||
		s.Players[1].Seats[0].Points.N() != 21 || s.Players[1].Points.N() != 42 {
		t.Errorf("41 games are %d in %d rounds: %+v", s.Games, s.Rounds, s.Players[1])
	}
}

func TestTournamentRefuses(t *testing.T) {
	for says, change := range map[string]func(*Tournament){
		"at least 2":                   func(n *Tournament) { n.Players = n.Players[:1] },
		"2 seatings":                   func(n *Tournament) { n.Games = 1 },
		"an opening of -1":             func(n *Tournament) { n.Opening = -1 },
		"player 2, who does not exist": func(n *Tournament) { n.Anchor = 2 },
		"± -1":                         func(n *Tournament) { n.Until = -1 },
		"here are 3": func(n *Tournament) {
			n.Players, n.SPRT = append(n.Players, player.Random{}), &rating.SPRT{}
		},
		"in a game for 3": func(n *Tournament) {
			n.Game, n.SPRT = game.Must(game.New("go:size=3,players=3")), &rating.SPRT{}
		},
		"digests": func(n *Tournament) { n.Networks = []string{"a"} },
	} {
		_, err := small(t, change).Play(context.Background(), nil)
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, want %q", err, says)
		}
	}
}

func TestTournamentCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	n := small(t, func(n *Tournament) { n.Games, n.Workers, n.GamesPerWorker = 1_000_000, 1, 3 })
	s, err := n.Play(ctx, func(played, all int) {
		if all != 1_000_000 {
			t.Errorf("%d games to play", all)
		}
		if played > 200 {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled tournament returns %v", err)
	}
	if s.Rounds < 200/s.Seatings-6 || s.Games != s.Rounds*s.Seatings ||
		s.Players[0].Points.Rounds() != s.Counted {
		t.Errorf("the standings so far are of %d rounds, %d games", s.Rounds, s.Games)
	}
	// The same games, played to the end.
	n = small(t, func(n *Tournament) { n.Games = s.Games })
	if whole, err := n.Play(context.Background(), nil); err != nil ||
		!reflect.DeepEqual(whole.Players, s.Players) {
		t.Errorf("%v; the standings so far are %+v, of these games alone %+v",
			err, s.Players, whole.Players)
	}
	if s, err := small(t, func(*Tournament) {}).Play(ctx, nil); !errors.Is(err, context.Canceled) ||
		s.Rounds != 0 {
		t.Errorf("%v, %+v before the first game", err, s)
	}
}
