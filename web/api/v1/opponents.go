package v1

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"tengen/descent"
	"tengen/game"
	"tengen/player"
)

// opponentKeys are the keys that a person may set for a player on the page, by its kind. Left out
// are those that name files or other networks, and those that take much memory or time. A kind that
// is not here can't play on the page: the solver's first move may take minutes, in which nothing
// can stop it.
var opponentKeys = map[string][]string{
	"random": nil,
	"uct": {
		"simulations", "time", "c", "utility", "rollout", "epsilon", "choice", "lcb_z",
		"lcb_fraction",
		"temperature", "plies", "reuse_tree", "observers",
	},
	"az": append(player.SearchKeys(), "simulations", "time", "lcb_z", "lcb_fraction", "temperature",
		"plies", "virtual_loss"),
	"policy":         {"temperature"},
	"cfr":            {"iterations"},
	"minimax":        minimaxKeys,
	"alphabeta":      minimaxKeys,
	"expectiminimax": append(slices.Clone(minimaxKeys), "prune", "star"),
	"ubfm":           {"iterations", "time", "safe"},
	"descent":        {"iterations", "time", "safe"},
}

var minimaxKeys = []string{
	"depth", "time", "nodes", "strategy", "opponents", "determinizations", "samples", "ties",
}

// Limits of what a key may be, beside those of the player.
const (
	maxCFRIterations    = 10_000
	maxDeterminizations = 100
)

// opponentView is a kind of player that can play on the page.
type opponentView struct {
	Kind    string      `json:"kind"`
	Summary string      `json:"summary"`
	Network bool        `json:"network"` // it plays with a network of the run
	Keys    []paramView `json:"keys"`
}

// paramView is a key of a player or a game.
type paramView struct {
	Key     string `json:"key"`
	Default string `json:"default,omitempty"`
	Help    string `json:"help"`
}

// opponents returns the kinds of players that can play g on the page with a network of a run, which
// has a policy or not.
func opponents(g game.Game, policy bool) []opponentView {
	list := []opponentView{}
	for _, k := range player.Kinds() {
		keys, ok := opponentKeys[k.Name]
		switch {
		case !ok, (k.Name == "az" || k.Name == "policy") && !policy:
			continue
		case k.Name == "cfr":
			if _, hidden := g.NewState().(game.ImperfectInformation); !hidden {
				continue
			}
		case k.Name == "ubfm" || k.Name == "descent":
			if descent.Check(g, descent.Options{
				BestFirst: k.Name == "ubfm", Iterations: 1,
			}) != nil {
				continue
			}
		case !k.Path:
			if _, err := player.Parse(g, k.Name); err != nil {
				continue // such as a game without heuristic values
			}
		}
		v := opponentView{Kind: k.Name, Summary: k.Summary, Network: k.Path, Keys: []paramView{}}
		for _, p := range k.Params {
			if slices.Contains(keys, p.Key) {
				v.Keys = append(v.Keys, paramView{p.Key, p.Default, p.Help})
			}
		}
		list = append(list, v)
	}
	return list
}

// opponent makes the player that a person has written for a seat, as KIND or KIND:KEY=VALUE,…; with
// network, a checkpoint's path, where it needs one.
func opponent(
	g game.Game, text string, simulations int, network func() (path string, err error),
) (player.Player, error) {
	kind, given, _ := strings.Cut(text, ":")
	allowed, ok := opponentKeys[kind]
	i := slices.IndexFunc(player.Kinds(), func(k player.Kind) bool { return k.Name == kind })
	if !ok || i < 0 {
		return nil, refusef("%q can't sit down: %s, %s, %s, %s or a kind of player such as alphabeta:depth=4 is wanted", text, byPerson, byNetwork, byUCT, byRandom)
	}
	var keys []string
	has := map[string]bool{}
	for _, pair := range strings.FieldsFunc(given, func(r rune) bool { return r == ',' }) {
		key, value, _ := strings.Cut(strings.TrimSpace(pair), "=")
		if !slices.Contains(allowed, key) {
			return nil, refusef("%s on the page has no key %q; it has %s",
				kind, key, strings.Join(allowed, ", "))
		}
		if err := bounded(key, value); err != nil {
			return nil, err
		}
		has[key] = true
		keys = append(keys, key+"="+value)
	}
	// Every search is bounded in time, and those with trees in what they hold.
	add := func(key, value string) {
		if slices.Contains(allowed, key) && !has[key] {
			keys = append(keys, key+"="+value)
		}
	}
	timed := has["time"]
	add("simulations", strconv.Itoa(simulations))
	if kind == "ubfm" || kind == "descent" {
		add("iterations", strconv.Itoa(simulations))
		keys = append(keys, "max_nodes="+strconv.Itoa(treeBytes/256))
	}
	if slices.Contains(allowed, "depth") && !has["depth"] && !timed && !has["nodes"] {
		add("depth", "3")
	}
	add("time", maxMoveTime.String())
	if player.Kinds()[i].Path {
		path, err := network()
		if err != nil {
			return nil, err
		}
		if strings.ContainsAny(path, ",=[]") {
			return nil,
				refusef("the path of this run, %s, has a character that the name of a player can't have", path)
		}
		keys = append([]string{path}, keys...)
	}
	if len(keys) > 0 {
		kind += ":" + strings.Join(keys, ",")
	}
	p, err := player.Parse(g, kind)
	if err != nil {
		return nil, refused{err}
	}
	return p, nil
}

// bounded returns an error for a value that takes more than the page has.
func bounded(key, value string) error {
	most := 0
	switch key {
	case "time":
		if d, err := time.ParseDuration(value); err != nil || d <= 0 || d > maxMoveTime {
			return refusef("time=%s: a duration up to %v is wanted", value, maxMoveTime)
		}
		return nil
	case "simulations":
		most = maxSimulations
	case "iterations":
		most = maxCFRIterations
	case "determinizations", "samples", "inference":
		most = maxDeterminizations
	default:
		return nil
	}
	if n, err := strconv.Atoi(value); err != nil || n < 0 || n > most {
		return refusef("%s=%s: a number up to %d is wanted", key, value, most)
	}
	return nil
}

// rulesView tells how a game is played.
type rulesView struct {
	Family  string      `json:"family"`
	Summary string      `json:"summary"`
	Guide   string      `json:"guide"` // in lines; "" if the game has none
	Keys    []paramView `json:"keys"`  // of the family
}

// rulesOf tells how g is played.
func rulesOf(g game.Game) rulesView {
	name, _, _ := strings.Cut(g.Name(), ":")
	v := rulesView{Family: name, Keys: []paramView{}}
	for _, f := range game.Families() {
		if f.Name != name {
			continue
		}
		v.Summary = f.Summary
		for _, p := range f.Params {
			v.Keys = append(v.Keys, paramView{p.Key, p.Default, p.Help})
		}
	}
	if guide, ok := g.(game.Guided); ok {
		v.Guide = guide.Guide()
	}
	return v
}

// networkPath is the path of a checkpoint as the name of a player has it.
func networkPath(dir string, iteration int) string { return fmt.Sprintf("%s/%06d", dir, iteration) }
