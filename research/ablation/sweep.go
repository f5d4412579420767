package ablation

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"runtime"
	"strings"

	"tengen/arena"
	"tengen/game"
	"tengen/internal/interval"
	"tengen/internal/notation"
	"tengen/mcts"
	"tengen/player"
	"tengen/research"
	"tengen/search/nneval"
	"tengen/vfs"
)

// Sweep plays the matches of one network.
type Sweep struct {
	Network     string   // as in the player az:NETWORK
	Base        string   // keys of both players, as in "c=1,fpu=zero"; "" leaves those of the run
	Arms        []string // keys of the arms, likewise; none: those of Arms
	Simulations int      // a move
	Games       int      // an arm, rounded up to whole rounds
	Seed        uint64
	// GamesPerWorker is the number of concurrent games of a worker; 0: what suits the device.
	GamesPerWorker int
	// Dir is a folder that keeps the games, so that later calls play only the missing ones; "":
	// nothing is kept.
	Dir    string
	Device research.Device // evaluates the network
	// Progress, if not nil, is called as games finish.
	Progress func(what string, finished, all int)
	// Damaged, if not nil, is called with an error for each kept game that can't be used and is
	// played again.
	Damaged func(error)
}

// cacheMiB is the size of the cache of evaluations.
const cacheMiB = 256

// Table is the result of a sweep.
type Table struct {
	research.Made `json:"made"`
	Network       string `json:"network"`
	Game          string `json:"game"`
	Default       string `json:"default"` // the player against which arms play
	Simulations   int    `json:"simulations"`
	Arms          []Arm  `json:"arms"`
}

// Arm is the result of one arm. Its intervals are over rounds.
type Arm struct {
	Keys  string `json:"keys"`
	Games int    `json:"games"`
	// Share is the percentage of meetings, of a seat of the arm with one of the default in the
	// same game, in which the arm finished first; ties count half.
	Share float64 `json:"share_percent"`
	CI    float64 `json:"ci95_percent"` // the wider half of the 95 % interval
	// Elo is the difference that gives this share, with the ends of the interval; null if it is
	// infinite.
	Elo  *float64 `json:"elo"`
	Low  *float64 `json:"low"`
	High *float64 `json:"high"`
}

// Arms returns the standard arms for a search: c_puct times 0.5, 0.7, 1.4 and 2; the first-play
// urgency at zero, and below the parent's value by other reductions; KataGo's choice by the lower
// confidence bound.
func Arms(o mcts.PUCT) []string {
	var arms []string
	for _, factor := range []float64{0.5, 0.7, 1.4, 2} {
		arms = append(arms, fmt.Sprintf("c=%.3g", o.C*factor))
	}
	if o.FPU != mcts.Zero() {
		arms = append(arms, "fpu=zero")
	}
	for _, r := range []float64{0, 0.05, 0.1, 0.2} {
		if o.FPU != mcts.ParentReduction(r) {
			arms = append(arms, fmt.Sprintf("fpu=parent,fpu_reduction=%g", r))
		}
	}
	return append(arms, "choice=lcb", "choice=lcb,lcb_z=2")
}

// Run plays the matches. If ctx ends, it returns the arms so far, the last of them with the rounds
// that are complete, and the context's error.
func (s *Sweep) Run(ctx context.Context, made research.Made) (*Table, error) {
	text := fmt.Sprintf("az:%s,simulations=%d", notation.Quote(s.Network), s.Simulations)
	name, err := player.GameOf(text)
	if err != nil {
		return nil, err
	}
	g, err := game.New(name)
	if err != nil {
		return nil, err
	}
	base, err := s.parse(g, text, s.Base)
	if err != nil {
		return nil, err
	}
	if err := player.On(base, s.Device.Load); err != nil {
		return nil, err
	}
	base.Cache = nneval.NewCache(g, cacheMiB)
	arms := s.Arms
	if len(arms) == 0 {
		arms = Arms(base.PUCT)
	}
	made.Opening = opening(g)
	t := &Table{
		Made: made, Network: s.Network, Game: g.Name(), Default: base.Name(),
		Simulations: s.Simulations,
	}
	var players []*player.AlphaZero
	for _, keys := range arms { // all are read before the first is played
		p, err := s.parse(g, text, join(s.Base, keys))
		if err != nil {
			return nil, err
		}
		p.Weights, p.Cache = base.Weights, base.Cache
		players = append(players, p)
	}
	for i, keys := range arms {
		standings, err := s.match(ctx, g, keys, players[i], base)
		if standings != nil && standings.Rounds > 0 {
			t.Arms = append(t.Arms, newArm(keys, standings))
			t.Count(standings.Games, standings.Distinct)
		}
		if err != nil {
			return t, t.Interrupt(keys, err)
		}
	}
	return t, nil
}

// join joins two lists of keys. Where both have a key, the second list's counts.
func join(a, b string) string {
	keys := map[string]bool{}
	for _, part := range strings.Split(b, ",") {
		key, _, _ := strings.Cut(part, "=")
		keys[key] = true
	}
	var parts []string
	for _, part := range append(strings.Split(a, ","), "") {
		if key, _, _ := strings.Cut(part, "="); part != "" && !keys[key] {
			parts = append(parts, part)
		}
	}
	if b != "" {
		parts = append(parts, b)
	}
	return strings.Join(parts, ",")
}

// parse reads a player with more keys.
func (s *Sweep) parse(g game.Game, text, keys string) (*player.AlphaZero, error) {
	p, err := player.Parse(g, join(text, keys))
	if err != nil {
		return nil, err
	}
	n, ok := p.(*player.AlphaZero)
	if !ok || n.Timed() {
		return nil,
			fmt.Errorf("player %q: a search of a number of simulations is wanted, without time and classes", p.Name())
	}
	return n, nil
}

// opening is the number of decisions drawn at the start of each round's games. The chance events
// before the last of them are the same in all games of a round too.
func opening(g game.Game) int { return g.Players() + 1 }

// match plays an arm against the default.
func (s *Sweep) match(
	ctx context.Context, g game.Game, keys string, arm, base *player.AlphaZero,
) (_ *arena.Standings, err error) {
	digest := base.Params.Digest()
	t := &arena.Tournament{
		Game: g, Players: []player.Player{arm, base}, Networks: []string{digest, digest},
		Games: s.Games, Seed: s.Seed, Opening: opening(g), Anchor: 1,
		Workers:        runtime.GOMAXPROCS(0),
		GamesPerWorker: cmp.Or(s.GamesPerWorker, s.Device.GamesPerWorker(32)),
	}
	if s.Dir != "" {
		if t.Store, err = arena.OpenStore(vfs.OS{},
			filepath.Join(s.Dir, filepath.Base(s.Network), keys), t); err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, t.Store.Close()) }()
		t.Store.EachDamaged(s.Damaged)
	}
	return t.Play(ctx, func(played, all int) {
		if s.Progress != nil {
			s.Progress(keys, played, all)
		}
	})
}

// newArm returns the result of a match of an arm and the default.
func newArm(keys string, s *arena.Standings) Arm {
	share := s.Dominance[0][1]
	mean, i := share.Mean(), share.Interval()
	return Arm{
		Keys: keys, Games: s.Games, Share: 100 * mean, CI: 100 * min(share.CI(), 1),
		Elo: interval.OrNull(elo(mean)), Low: interval.OrNull(elo(i.Low)),
		High: interval.OrNull(elo(i.High)),
	}
}

// elo returns the difference of ratings that gives an expected share.
func elo(share float64) float64 {
	switch {
	case share <= 0:
		return math.Inf(-1)
	case share >= 1:
		return math.Inf(1)
	}
	return 400 * math.Log10(share/(1-share))
}

// Networks are the networks that have a part of the page.
var Networks = []string{"go-5x5x3", "go-5x5x2", "turtle", "tcg"}

// Layout is the page of sweeps.
var Layout = &research.Layout{
	Parts: Networks,
	New:   func(string) research.Part { return &Table{} },
	Markdown: func(p *research.Page) string {
		text := head
		for _, name := range Networks {
			text += p.Section(name)
		}
		return text
	},
	Footer: func(m *research.Made) string {
		return fmt.Sprintf("\n    %s\n\n%d games, %d of them distinct, in %.0f s on %s. Openings of %d decisions, the same for all arms.\n", m.Command, m.Games, m.Distinct, m.Seconds, m.Machine, m.Opening)
	},
}

const head = `# Options of the search

Each row is a match of a network against itself at equal simulations: one player has the keys of the row, the other the search
of the network's run; the games of a round have the same opening, in all seatings. The share is that of meetings in which the
row's player finished first, and Elo the difference that gives it, with 95 % intervals over rounds.
`

// Complete implements research.Part.
func (t *Table) Complete(string) error {
	if t.Network == "" || t.Default == "" {
		return fmt.Errorf("no network, or no default player")
	}
	return nil
}

// Markdown implements research.Part.
func (t *Table) Markdown(string, string) string {
	b := new(strings.Builder)
	fmt.Fprintf(b, "\n## %s\n\n%s, against `%s`.\n\n", t.Network, t.Game, t.Default)
	b.WriteString("| keys | Elo | 95 % | share | games |\n| --- | --- | --- | --- | --- |\n")
	for _, a := range t.Arms {
		fmt.Fprintf(b, "| `%s` | %s | %s to %s | %.1f ± %.1f %% | %d |\n", a.Keys,
			signed(a.Elo, a.Share), signed(a.Low, 0), signed(a.High, 100), a.Share, a.CI, a.Games)
	}
	return b.String()
}

// signed returns an Elo with its sign; without a number, infinity with that of the share.
func signed(x *float64, share float64) string {
	switch {
	case x != nil:
		return strings.Replace(fmt.Sprintf("%+.0f", math.Round(*x)+0), "-", "−", 1)
	case share < 50:
		return "−∞"
	}
	return "+∞"
}
