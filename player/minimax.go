package player

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"tengen/game"
	"tengen/internal/notation"
	"tengen/search"
	"tengen/search/minimax"
)

// Minimax is search to a depth with heuristic values: minimax, alpha-beta and expectiminimax.
type Minimax struct {
	Kind    string // minimax, alphabeta or expectiminimax
	Options minimax.Options
	Ties    string  // random, first, or a preference of the game; see game.TieBroken
	Belief  *Belief // draws what is hidden; nil: it is drawn uniformly
	keys    string  // as Parse reads them
}

// Name implements Player.
func (m *Minimax) Name() string { return m.Kind + ":" + m.keys + m.Belief.key() }

// Timed implements Timed.
func (m *Minimax) Timed() bool { return m.Options.Time > 0 }

// NewEvaluator returns nil: the game values positions itself.
func (m *Minimax) NewEvaluator(game.Game, int) search.Evaluator { return nil }

// NewAgent implements Player.
func (m *Minimax) NewAgent(g game.Game) Agent {
	s, err := minimax.New(g, m.Options)
	if err != nil {
		panic(err) // Parse has checked them
	}
	// The others' values are those of max^n, or what the player's own leaves of a constant sum.
	known := m.Options.Opponents == minimax.MaxN
	c, constant := g.(game.ConstantSum)
	if g.Players() == 2 &&
		(m.Options.Heuristic.Name != game.ResultHeuristic || constant && c.UtilitySum() == 1) {
		known = true
	}
	return &minimaxAgent{
		searched{g.Players(), s}, s, believer(m.Belief, g, s), m.Options.Heuristic.Name, !known,
	}
}

type minimaxAgent struct {
	searched
	searcher *minimax.Searcher
	believe  func(s game.State)

	heuristic string
	alone     bool // as Scale.Alone
}

// Analysis implements Analyzer.
func (m *minimaxAgent) Analysis() Analysis {
	a := m.searched.Analysis()
	low, high := m.searcher.Bounds()
	a.Scale = &Scale{m.heuristic, low, high, m.alone}
	return a
}

func (m *minimaxAgent) Begin(rng *rand.Rand) {
	m.searcher.SetRand(rng)
	m.searcher.Reset()
}

func (m *minimaxAgent) Think(s game.State, _ search.Requests) (game.Action, bool) {
	if m.believe != nil {
		m.believe(s)
	}
	a := m.searcher.Search(s).Action
	return a, a != game.NoAction
}

// StopIf implements Interruptible.
func (m *minimaxAgent) StopIf(stop func() bool) { m.searcher.StopIf(stop) }

func (m *minimaxAgent) Deliver(search.Evaluations) {}
func (m *minimaxAgent) Played(game.Action)         {}

const (
	minimaxDepth          = "3"
	usualDeterminizations = 20
	tableMiB              = 16
	mostDeterminizations  = 10_000
	mostNodes             = 1 << 40
)

var minimaxParams = append([]notation.Param{
	{Key: "depth", Default: minimaxDepth,
		Help: "turns searched; no limit if only time or nodes is given"},
	timeParam,
	{Key: "nodes", Help: "positions a move; default: no limit"},
	{Key: "strategy", Help: "the game's heuristic, by its name; default: its first"},
	{Key: "opponents", Default: "paranoid",
		Help: "model of several opponents: paranoid, maxn, or brs (best-reply search)"},
	{Key: "determinizations", Help: "determinizations over which values are averaged; 0: none; default: 20 if there is chance or hidden information"},
	{Key: "samples", Help: "outcomes drawn at chance nodes; 0: all enumerated; default: 1"},
	{Key: "ties", Default: "random", Help: "among equal actions: random, first, or one that the game prefers by that name: in tcg attack or heal"},
	{Key: "tt", Help: "MiB of transposition table; default: 16, for minimax 0"},
}, beliefParams...)

var expectiminimaxParams = append(replaced(minimaxParams,
	notation.Param{Key: "determinizations", Help: "determinizations over which values are averaged; 0: none; default: 20 if there is hidden information"},
	notation.Param{
		Key: "samples", Default: "0", Help: "outcomes drawn at chance nodes; 0: all enumerated",
	},
),
	notation.Param{Key: "prune", Default: "true", Help: "false: full width"},
	notation.Param{Key: "star", Default: "2", Help: "pruning at chance nodes: 0, 1 or 2"},
)

// replaced returns a copy of list with the parameters of the same keys replaced.
func replaced(list []notation.Param, by ...notation.Param) []notation.Param {
	list = append([]notation.Param(nil), list...)
	for i := range list {
		for _, p := range by {
			if p.Key == list[i].Key {
				list[i] = p
			}
		}
	}
	return list
}

func newMinimax(kind string) func(game.Game, *notation.Values) (Player, error) {
	return func(g game.Game, v *notation.Values) (Player, error) {
		ties := v.Choice("ties", append([]string{tiesRandom, tiesFirst}, tieBreaks(g)...)...)
		o := minimax.Options{RandomTies: ties == tiesRandom}
		if b, ok := g.(game.TieBroken); ok {
			o.Ties = b.TieBreak(ties)
		}
		expects := kind == "expectiminimax"
		o.Prune = kind == "alphabeta"
		if expects {
			o.Prune, o.Star = v.Bool("prune"), v.Int("star", 0, 2)
		}
		if v.Given("nodes") {
			o.Nodes = int64(v.Int("nodes", 1, mostNodes))
		}
		o.Depth, o.Time = readBudget(v, "depth")
		switch {
		case o.Depth > minimax.MaxDepth:
			v.Fail("depth", fmt.Sprintf("a whole number from 1 to %d is wanted", minimax.MaxDepth))
		case o.Nodes > 0 && !v.Given("depth"):
			o.Depth = 0
		}
		var err error
		if o.Opponents, err = minimax.ParseOpponents(v.String("opponents")); err != nil {
			v.Fail("opponents", "one of paranoid, maxn, brs is wanted")
		}
		if o.Opponents == minimax.MaxN && kind == "alphabeta" {
			v.Fail("opponents",
				"alpha-beta compares the values of one player; minimax:opponents=maxn is wanted")
		}
		if o.Heuristic, err = game.HeuristicOf(g, v.String("strategy")); err != nil {
			return nil, fmt.Errorf("strategy=%s: %w", v.String("strategy"), err)
		}

		switch {
		case v.Given("samples") || expects:
			o.Samples = v.Int("samples", 0, 1_000_000)
		case game.HasChance(g):
			o.Samples = 1
		}
		if !game.HasChance(g) {
			o.Samples = 0
		}
		switch {
		case v.Given("determinizations"):
			o.Determinizations = v.Int("determinizations", 0, mostDeterminizations)
		case hides(g) || o.Samples > 0:
			o.Determinizations = usualDeterminizations
		}
		table := usualTable(kind)
		if v.Given("tt") {
			table = v.Int("tt", 0, 1<<16)
		}
		o.Table = table << 20
		b, err := readBelief(g, v)
		if err != nil {
			return nil, err
		}
		if b != nil && o.Determinizations == 0 {
			v.Fail("determinizations", "at least 1 is wanted by belief")
		}
		if err := v.Err(); err != nil {
			return nil, err
		}
		return &Minimax{
			Kind: kind, Options: o, Ties: ties, Belief: b,
			keys: minimaxKeys(g, kind, o, ties, table),
		}, o.Validate(g)
	}
}

// Choices of the key ties that every game has.
const (
	tiesRandom = "random"
	tiesFirst  = "first"
)

// tieBreaks returns the preferences of g among equal actions.
func tieBreaks(g game.Game) []string {
	if b, ok := g.(game.TieBroken); ok {
		return b.TieBreaks()
	}
	return nil
}

// usualTable returns the default size of the transposition table, in MiB.
func usualTable(kind string) int {
	if kind == "minimax" {
		return 0
	}
	return tableMiB
}

// minimaxKeys formats the settings that matter in g.
func minimaxKeys(g game.Game, kind string, o minimax.Options, ties string, table int) string {
	var keys []string
	add := func(format string, args ...any) { keys = append(keys, fmt.Sprintf(format, args...)) }
	if o.Depth > 0 {
		add("depth=%d", o.Depth)
	}
	if o.Time > 0 {
		add("time=%v", o.Time)
	}
	if o.Nodes > 0 {
		add("nodes=%d", o.Nodes)
	}
	add("strategy=%s", o.Heuristic.Name)
	if g.Players() > 2 || o.Opponents != minimax.Paranoid {
		add("opponents=%v", o.Opponents)
	}
	_, chance := g.NewState().(game.Chancer)
	if hides(g) || chance {
		add("determinizations=%d", o.Determinizations)
	}
	if chance {
		add("samples=%d", o.Samples)
	}
	if ties != tiesRandom {
		add("ties=%s", ties)
	}
	if table != usualTable(kind) {
		add("tt=%d", table)
	}
	if kind == "expectiminimax" {
		if o.Prune {
			add("star=%d", o.Star)
		} else {
			add("prune=false")
		}
	}
	return strings.Join(keys, ",")
}
