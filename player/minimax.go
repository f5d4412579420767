package player

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"tengen/game"
	"tengen/internal/spec"
	"tengen/search"
	"tengen/search/minimax"
)

// Minimax is search to a depth with heuristic values: minimax, alpha-beta and expectiminimax.
type Minimax struct {
	Kind    string // how Parse calls it: minimax, alphabeta or expectiminimax
	Options minimax.Options
	keys    string // as Parse reads them
}

// Name is the player as Parse reads it.
func (m *Minimax) Name() string { return m.Kind + ":" + m.keys }

// Timed implements Timed.
func (m *Minimax) Timed() bool { return m.Options.Time > 0 }

// NewEvaluator is nil: the game values positions itself.
func (m *Minimax) NewEvaluator(game.Game, int) search.Evaluator { return nil }

// NewSeat makes a seat.
func (m *Minimax) NewAgent(g game.Game) Agent {
	s, err := minimax.New(g, m.Options)
	if err != nil {
		panic(err) // Parse has checked them
	}
	return &minimaxSeat{game: g, searcher: s}
}

// Deepening is a Seat that decides by depth-limited search. Result tells of the
// position that it decided last.
type Deepening interface{ Result() minimax.Result }

type minimaxSeat struct {
	game     game.Game
	searcher *minimax.Searcher
	mover    game.Player
	result   minimax.Result
}

func (m *minimaxSeat) Begin(rng *rand.Rand) {
	m.searcher.SetRand(rng)
	m.searcher.Reset()
}

func (m *minimaxSeat) Think(s game.State, _ search.Requests) (game.Action, bool) {
	m.mover = s.CurrentPlayer()
	m.result = m.searcher.Search(s)
	return m.result.Action, true
}

func (m *minimaxSeat) Deliver(search.Evaluations)     {}
func (m *minimaxSeat) Played(game.State, game.Action) {}

// Result implements Deepening.
func (m *minimaxSeat) Result() minimax.Result { return m.result }

// View implements Analyzer. Heuristic values are brought to [0, 1] by their
// bounds; what is not the mover's is shared by the others alike. Visits are the
// nodes below a move, and of a move that was not chosen the value may be an upper bound.
func (m *minimaxSeat) Analysis() Analysis {
	r := &m.result
	v := Analysis{Value: m.utilities(r.Value, r.Values), Exact: r.Complete, PrincipalVariation: r.Line}
	for _, move := range r.Moves {
		v.Moves = append(v.Moves, Considered{
			Action: move.Action, Visits: int(move.Nodes), Value: m.utilities(move.Value, nil),
			Exact: r.Complete && move.Bound == minimax.Exact,
		})
	}
	return v
}

// utilities is the mover's value, or everybody's where they are known, in [0, 1].
func (m *minimaxSeat) utilities(value float64, values []float64) []float32 {
	h := m.searcher.Heuristic()
	turns := float64(m.result.Depth)
	low, high := h.Low+turns*h.TurnLow, h.High+turns*h.TurnHigh
	unit := func(v float64) float32 { return float32(min(1, max(0, (v-low)/(high-low)))) }
	list := make([]float32, m.game.Players())
	for p := range list {
		switch {
		case values != nil:
			list[p] = unit(values[p])
		case game.Player(p) == m.mover:
			list[p] = unit(value)
		default:
			list[p] = (1 - unit(value)) / float32(len(list)-1)
		}
	}
	return list
}

const (
	minimaxDepth  = "3"
	minimaxWorlds = 20
	tableMiB      = 16
	mostWorlds    = 10_000
	mostNodes     = 1 << 40
)

var minimaxParams = []spec.Param{
	{Key: "depth", Default: minimaxDepth, Help: "turns looked ahead; no limit where time or nodes alone is given"},
	timeParam,
	{Key: "nodes", Help: "positions a move; default: no limit"},
	{Key: "strategy", Help: "the game's heuristic, by its name; default: its first"},
	{Key: "opponents", Default: "paranoid", Help: "of more than one: paranoid, maxn, or brs (best-reply search)"},
	{Key: "determinizations", Help: "drawings of what is hidden, or of luck, over which values are averaged; 0: none; default: 20 where there is either"},
	{Key: "samples", Help: "outcomes drawn where chance is to move; 0: all enumerated; default: 1"},
	{Key: "ties", Default: "random", Help: "among equal actions: random, or first"},
	{Key: "tt", Help: "MiB of transposition table; default: 16, for minimax 0"},
}

var expectiminimaxParams = append(replaced(minimaxParams,
	spec.Param{Key: "determinizations", Help: "drawings of what is hidden, over which values are averaged; 0: none; default: 20 where something is"},
	spec.Param{Key: "samples", Default: "0", Help: "outcomes drawn where chance is to move; 0: all enumerated"},
),
	spec.Param{Key: "prune", Default: "true", Help: "false: full width"},
	spec.Param{Key: "star", Default: "2", Help: "pruning where chance is to move: 0, 1 or 2"},
)

// replaced is a copy of list with the parameters of the same keys replaced.
func replaced(list []spec.Param, by ...spec.Param) []spec.Param {
	list = append([]spec.Param(nil), list...)
	for i := range list {
		for _, p := range by {
			if p.Key == list[i].Key {
				list[i] = p
			}
		}
	}
	return list
}

func newMinimax(kind string) func(game.Game, *spec.Values) (Player, error) {
	return func(g game.Game, v *spec.Values) (Player, error) {
		o := minimax.Options{RandomTies: v.Choice("ties", "random", "first") == "random"}
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
			v.Fail("opponents", "alpha-beta compares the values of one player; minimax:opponents=maxn is wanted")
		}
		if o.Heuristic, err = game.HeuristicOf(g, v.String("strategy")); err != nil {
			return nil, fmt.Errorf("strategy=%s: %w", v.String("strategy"), err)
		}

		_, hidden := g.NewState().(game.ImperfectInformation)
		s, ok := g.(game.Stochastic)
		luck := ok && s.HasChance()
		switch {
		case v.Given("samples") || expects:
			o.Samples = v.Int("samples", 0, 1_000_000)
		case luck:
			o.Samples = 1
		}
		if !luck {
			o.Samples = 0
		}
		switch {
		case v.Given("determinizations"):
			o.Determinizations = v.Int("determinizations", 0, mostWorlds)
		case hidden || o.Samples > 0:
			o.Determinizations = minimaxWorlds
		}
		table := usualTable(kind)
		if v.Given("tt") {
			table = v.Int("tt", 0, 1<<16)
		}
		o.Table = table << 20
		if err := v.Err(); err != nil {
			return nil, err
		}
		return &Minimax{Kind: kind, Options: o, keys: minimaxKeys(g, kind, o, table)}, o.Validate(g)
	}
}

// usualTable is the size of the transposition table where nobody says, in MiB.
func usualTable(kind string) int {
	if kind == "minimax" {
		return 0
	}
	return tableMiB
}

// minimaxKeys writes the settings that matter in g.
func minimaxKeys(g game.Game, kind string, o minimax.Options, table int) string {
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
	state := g.NewState()
	_, hidden := state.(game.ImperfectInformation)
	_, chance := state.(game.Chancer)
	if hidden || chance {
		add("determinizations=%d", o.Determinizations)
	}
	if chance {
		add("samples=%d", o.Samples)
	}
	if !o.RandomTies {
		add("ties=first")
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
