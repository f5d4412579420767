package player

import (
	"fmt"
	"slices"
	"strings"

	"tengen/game"
	"tengen/internal/notation"
)

// kind is one kind of player that Parse knows.
type kind struct {
	name    string
	summary string
	path    bool // the path of a network comes before the keys
	params  []notation.Param
	make    func(g game.Game, v *notation.Values) (Player, error)
	// abstracts means that the player can search an abstraction of its game.
	abstracts bool
}

var kinds = []kind{
	{"random", "legal actions, drawn uniformly", false, nil,
		func(game.Game, *notation.Values) (Player, error) { return Random{}, nil }, false},
	{"uct", "Multiplayer UCT with random playouts; over information sets if information is hidden",
		false, uctParams, newUCT, true},
	{"az", "PUCT guided by a network; PATH is a run, a checkpoint or a model file",
		true, azParams, newNetwork, true},
	{"policy",
		"The policy of a network, without search; PATH is a run, a checkpoint or a model file",
		true, []notation.Param{
			{Key: "temperature", Default: "1", Help: "actions are drawn in proportion to probability^(1/temperature); 0: the most probable one"},
		}, newRawPolicy, false},
	{"cfr", "The average policy of CFR+, in games small enough to enumerate, such as kuhn", false,
		[]notation.Param{
			{Key: "iterations", Default: "1000", Help: "iterations before the game"},
		}, newCFR, false},
	{"solver", "Perfect play, by the exact solver of the game, such as connect-four",
		false, solverParams, newSolver, false},
	{"minimax", "Full-width search to a depth with the game's heuristic values",
		false, minimaxParams, newMinimax("minimax"), true},
	{"alphabeta", "The same choices with alpha-beta pruning",
		false, minimaxParams, newMinimax("alphabeta"), true},
	{"expectiminimax", "The same with expected values at chance nodes, alpha-beta and Star pruning",
		false, expectiminimaxParams, newMinimax("expectiminimax"), true},
	{"ubfm", "Unbounded best-first minimax with a network's values; time=1s limits the time",
		true, descentParams, newDescent(true), false},
	{"descent", "The same with Descent, whose iterations continue to the end of the game",
		true, descentParams, newDescent(false), false},
}

// timeParam is the key of the time limit.
var timeParam = notation.Param{
	Key: "time", Help: "time a move, such as 1s or 250ms; default: no limit",
}

// Kind describes one kind of player, for help texts.
type Kind struct {
	Name, Summary string
	Path          bool // the path of a network comes before the keys
	Params        []notation.Param
}

// Kinds lists what Parse knows.
func Kinds() []Kind {
	list := make([]Kind, len(kinds))
	for i, k := range kinds {
		list[i] = Kind{k.name, k.summary, k.path, k.keys()}
	}
	return list
}

// keys returns all keys of the kind.
func (k *kind) keys() []notation.Param {
	if !k.abstracts {
		return k.params
	}
	params := slices.Concat(k.params, abstractionParams)
	if !k.path { // with a network, root says how the root is searched
		params = append(params, rootParam, openParam)
	}
	return params
}

// Parse reads a player of g written as in "uct:simulations=180,c=0.8". It reads the files
// that a network player names; paths.go says how paths are written.
func Parse(g game.Game, text string) (Player, error) {
	parsed, err := read(text)
	if err != nil {
		return nil, fmt.Errorf("player %.200q: %w", text, err)
	}
	k := kindOf(parsed.Name)
	if k == nil {
		names := make([]string, len(kinds))
		for i, k := range kinds {
			names[i] = k.name
		}
		return nil, fmt.Errorf("no player is called %.200q%s; there are %s",
			parsed.Name, notation.DidYouMean(parsed.Name, names), strings.Join(names, ", "))
	}
	p, err := k.parse(g, parsed)
	if err != nil {
		return nil, fmt.Errorf("player %.200q: %w", text, err)
	}
	return p, nil
}

func (k *kind) parse(g game.Game, s *notation.Spec) (Player, error) {
	switch {
	case k.path && s.Bare == "":
		return nil,
			fmt.Errorf("a path is wanted: %s:PATH of a run, a checkpoint or a model file", k.name)
	case !k.path && s.Bare != "":
		return nil, fmt.Errorf("%q is not key=value; %s has no network", s.Bare, k.name)
	}
	v, err := s.Values(k.keys())
	if err != nil {
		return nil, err
	}
	build := k.make
	if k.abstracts {
		build = k.makeAbstracted
		if !k.path {
			build = laidOpen(build)
		}
	}
	p, err := build(g, v)
	if err != nil {
		return nil, err
	}
	return p, v.Err()
}
