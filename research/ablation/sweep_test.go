package ablation

import (
	"context"
	"errors"
	"math"
	"reflect"
	"slices"
	"testing"

	"tengen/arena"
	"tengen/game"
	_ "tengen/game/all"
	"tengen/internal/interval"
	"tengen/mcts"
	"tengen/player"
	"tengen/research"
	"tengen/research/pagetest"
)

// small is a sweep of a second.
func small(t *testing.T) *Sweep {
	return &Sweep{
		Network: "go-5x5x3", Simulations: 3, Games: 12, Seed: 1, GamesPerWorker: 4,
		Dir:  t.TempDir(),
		Arms: []string{"c=0.1,fpu=zero", "choice=lcb"},
	}
}

func TestRun(t *testing.T) {
	s := small(t)
	played := map[string]int{}
	s.Progress = func(what string, finished, all int) { played[what] = all }
	first, err := s.Run(t.Context(), research.Made{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	if want := map[string]int{
		"c=0.1,fpu=zero": 12, "choice=lcb": 12,
	}; !reflect.DeepEqual(played, want) {
		t.Errorf("games played: %v, want %v", played, want)
	}
	if first.Game != "go:size=5,players=3" ||
		first.Default != "az:go-5x5x3,simulations=3,c_puct=0.8" || len(first.Arms) != 2 ||
		first.Games != 24 {
		t.Errorf("%+v", first)
	}
	// The same matches without a common cache, played by package arena alone.
	for _, a := range first.Arms {
		g := game.Must(game.New(first.Game))
		var players []player.Player
		for _, name := range []string{
			"az:go-5x5x3,simulations=3," + a.Keys, "az:go-5x5x3,simulations=3",
		} {
			p, err := player.Parse(g, name)
			if err != nil {
				t.Fatal(err)
			}
			players = append(players, p)
		}
		m := &arena.Tournament{
			Game: g, Players: players, Games: 12, Seed: 1, Opening: 4, Workers: 1,
			GamesPerWorker: 1,
		}
		standings, err := m.Play(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if share := 100 * standings.Dominance[0][1].Mean(); share != a.Share {
			t.Errorf("%s: the share is %v; without a cache %v", a.Keys, a.Share, share)
		}
	}
	// What is kept is not played again, and more games may be wanted.
	clear(played)
	again, err := s.Run(t.Context(), research.Made{Seed: 1})
	if err != nil || !reflect.DeepEqual(again, first) || len(played) > 0 {
		t.Errorf("%v; again: %+v, with %v games played", err, again, played)
	}
	s.Games = 18
	if more, err := s.Run(t.Context(), research.Made{Seed: 1}); err != nil ||
		more.Arms[1].Games != 18 || played["choice=lcb"] != 6 {
		t.Errorf("%v; more: %+v, with %v games played", err, more, played)
	}
	s.Simulations = 4
	if _, err := s.Run(t.Context(), research.Made{Seed: 1}); !errors.Is(err, arena.ErrOtherMatch) {
		t.Errorf("with other simulations: %v", err)
	}
}

// An interrupted sweep has the arms that were played, and of the last one the rounds that were.
func TestInterrupted(t *testing.T) {
	s := small(t)
	s.Games, s.GamesPerWorker = 600, 1
	s.Arms = []string{"choice=lcb", "c=2"}
	ctx, cancel := context.WithCancel(t.Context())
	s.Progress = func(_ string, finished, all int) {
		if finished >= 24 {
			cancel()
		}
	}
	table, err := s.Run(ctx, research.Made{})
	if !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if len(table.Arms) != 1 || table.Arms[0].Games < 12 || table.Arms[0].Games > 120 {
		t.Errorf("%+v", table)
	}
}

func TestRefused(t *testing.T) {
	for _, change := range []func(*Sweep){
		func(s *Sweep) { s.Network = "nowhere" },
		func(s *Sweep) { s.Network = "go-5x5x3-descent" },
		func(s *Sweep) { s.Arms = []string{"c=2", "d=3"} },
		func(s *Sweep) { s.Arms = []string{"time=1s"} },
		func(s *Sweep) { s.Base = "rm=random" },
		func(s *Sweep) { s.Games = 3 },
	} {
		s := small(t)
		change(s)
		s.Progress = func(string, int, int) { t.Errorf("%+v: games are played", s) }
		if table, err := s.Run(t.Context(), research.Made{}); err == nil {
			t.Errorf("%+v: accepted: %+v", s, table)
		}
	}
}

func TestJoin(t *testing.T) {
	for _, c := range [][3]string{
		{"", "", ""}, {"c=1", "", "c=1"}, {"", "c=2", "c=2"},
		{"c=1,fpu=zero", "c=2", "fpu=zero,c=2"},
		{"az:x,simulations=5", "choice=lcb,lcb_z=2", "az:x,simulations=5,choice=lcb,lcb_z=2"},
		{"az:x,simulations=5", "simulations=7", "az:x,simulations=7"},
	} {
		if got := join(c[0], c[1]); got != c[2] {
			t.Errorf("%q and %q: %q, want %q", c[0], c[1], got, c[2])
		}
	}
}

// Each standard arm differs from the search that it is compared with, and from the others.
func TestArms(t *testing.T) {
	g := game.Must(game.New("go:size=5,players=3"))
	for _, base := range []string{
		"fpu=zero", "fpu=parent,fpu_reduction=0.1", "fpu=parent,fpu_reduction=0",
	} {
		s := &Sweep{}
		p, err := s.parse(g, "az:go-5x5x3", base)
		if err != nil {
			t.Fatal(err)
		}
		seen := []mcts.PUCT{p.PUCT}
		arms := Arms(p.PUCT)
		for _, keys := range arms {
			arm, err := s.parse(g, "az:go-5x5x3", join(base, keys))
			if err != nil {
				t.Fatal(err)
			}
			if slices.Contains(seen, arm.PUCT) {
				t.Errorf("%s: %s changes nothing, or what another arm does", base, keys)
			}
			seen = append(seen, arm.PUCT)
		}
		if len(arms) < 10 {
			t.Errorf("%s: the arms are %v", base, arms)
		}
	}
}

func TestElo(t *testing.T) {
	for share, want := range map[float64]float64{
		0.5: 0, 10.0 / 11: 400, 1.0 / 11: -400, 0: math.Inf(-1), 1: math.Inf(1), -0.1: math.Inf(-1),
		1.2: math.Inf(1),
	} {
		if got := elo(share); got != want && math.Abs(got-want) > 1e-9 {
			t.Errorf("a share of %g gives %g Elo, want %g", share, got, want)
		}
	}
}

func TestSigned(t *testing.T) {
	for _, c := range []struct {
		x     float64
		share float64
		want  string
	}{
		{12.4, 0, "+12"}, {-12.6, 0, "−13"}, {-0.3, 0, "+0"}, {math.Inf(1), 100, "+∞"},
		{math.Inf(-1), 0, "−∞"},
	} {
		if got := signed(interval.OrNull(c.x), c.share); got != c.want {
			t.Errorf("%g is written %s, want %s", c.x, got, c.want)
		}
	}
}

func allParts() map[string]research.Part {
	made := research.Made{
		Command: "tengen-lab reproduce search-sweep x", Machine: "2 processors", Seed: 1,
		Games: 4002, Distinct: 3999, Opening: 4,
	}
	parts := map[string]research.Part{}
	for i, name := range Networks {
		x := float64(i)
		parts[name] = &Table{
			Made: made, Network: name, Game: "go:size=5,players=3",
			Default: "az:" + name + ",simulations=100,c_puct=0.8", Simulations: 100,
			Arms: []Arm{
				{"c=0.4", 2001, 47.5 + x, 2.1, interval.OrNull(-17.4 + x), interval.OrNull(-32),
					interval.OrNull(-2.6)},
				{"choice=lcb", 2001, 100, 3, interval.OrNull(math.Inf(1)), interval.OrNull(603.2),
					interval.OrNull(math.Inf(1))},
			},
		}
	}
	return parts
}

func TestPage(t *testing.T) { pagetest.Golden(t, Layout, allParts()) }

func TestPartsAtEveryByte(t *testing.T) { pagetest.EveryByte(t, Layout, allParts()) }

func TestDamagedParts(t *testing.T) {
	pagetest.Damaged(t, Layout, [][3]string{
		{"turtle", `{`, "unexpected end"},
		{"turtle", `null`, "version 1"},
		{"tcg", `{"made":{"version":2}}`, "version 1"},
		{"tcg", `{"made":{"version":1}}`, "no network"},
	})
}

func FuzzPage(f *testing.F) {
	pagetest.Fuzz(f, Layout, map[string]string{
		"turtle": `{"made":{"version":1},"network":"a","default":"b","arms":[{},{"elo":1}]}`,
	})
}
