package player

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"

	"tengen/checkpoints"
	"tengen/checkpoints/pretrained"
	"tengen/game"
	"tengen/internal/notation"
	"tengen/run"
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

// Paths within players. A path is as it is on disk: of az:a,c=2 that is a,c=2, where there is such
// a file or folder. Where there are both a,c=2 and a, the text says neither, and is refused;
// az:"a,c=2" and az:"a",c=2 are always clear, and players are named so.

// The keys whose values are paths.
const (
	beliefKey = "belief"
	tableKey  = "table"
)

var fileKeys = []string{beliefKey, tableKey}

// kindOf returns the kind of player with a name, nil if there is none.
func kindOf(name string) *kind {
	for i := range kinds {
		if kinds[i].name == name {
			return &kinds[i]
		}
	}
	return nil
}

// read parses the text of a player. Paths in it that are on disk as they are written need no
// quotation marks.
func read(text string) (*notation.Spec, error) {
	text, err := quoted(text)
	if err != nil {
		return nil, err
	}
	return notation.Parse(text)
}

// quoted returns the text of a player with quotation marks around the paths in it that need them
// and are on disk.
func quoted(text string) (string, error) {
	name, rest, ok := strings.Cut(text, ":")
	k := kindOf(strings.TrimSpace(name))
	if k == nil || !ok {
		return text, nil
	}
	var b strings.Builder
	b.WriteString(name)
	keys := slices.Clone(fileKeys)
	for separator, bare := byte(':'), k.path; ; separator, bare = ',', false {
		b.WriteByte(separator)
		value := rest
		path := bare
		for i, key := range keys {
			if after, found := strings.CutPrefix(strings.TrimLeft(rest, " "), key+"="); found {
				value, path = after, true
				keys = slices.Delete(keys, i, i+1) // Parse refuses a second one
				break
			}
		}
		longer := ""
		if path {
			longer = onDisk(value)
		}
		b.WriteString(rest[:len(rest)-len(value)])
		word, _, _ := strings.Cut(value, ",")
		if within, err := strconv.QuotedPrefix(value); err == nil && within[0] == '"' {
			word = within
		} else if longer != "" && notation.Quote(longer) != longer {
			if shorter := strings.TrimSpace(word); shorter != longer &&
				!(bare && strings.Contains(shorter, "=")) && exists(shorter) {
				return "", fmt.Errorf("there are both %.200q and %.200q: write %s, or %s",
					longer, shorter,
					name+":"+notation.Quote(longer),
					name+":"+strconv.Quote(shorter)+value[len(word):])
			}
			b.WriteString(notation.Quote(longer))
			value, word = value[len(longer):], ""
		}
		b.WriteString(word)
		value = value[len(word):]
		end := strings.IndexByte(value, ',')
		if end < 0 {
			b.WriteString(value)
			return b.String(), nil
		}
		b.WriteString(value[:end])
		rest = value[end+1:]
	}
}

// Bounds on what is looked for on disk, since a player's text may come from a file that somebody
// else has made: no system has longer paths, and one with more commas needs quotation marks.
const (
	longestPath = 4096
	mostCommas  = 16
)

// onDisk returns the longest beginning of text, up to a comma or its end, that is a path on disk;
// "" if there is none.
func onDisk(text string) (found string) {
	for end, commas := -1, 0; end < len(text) && commas <= mostCommas; commas++ {
		if next := strings.IndexByte(text[end+1:], ','); next >= 0 {
			end += 1 + next
		} else {
			end = len(text)
		}
		if end > longestPath {
			break
		}
		if exists(text[:end]) {
			found = text[:end]
		}
	}
	return found
}

// exists reports whether there is something at a path, or a network of a name.
func exists(path string) bool {
	if _, ok := pretrained.Find(path); ok {
		return true
	}
	_, err := os.Stat(run.Path(path))
	return path != "" && err == nil
}

// OnDisk reports whether there is a network on disk at path, as LoadModel takes it, or a run, which
// may have none yet.
func OnDisk(path string) bool {
	path = run.Path(path)
	return run.Folder(path).Exists() || checkpoints.Holds(path)
}

// shipped returns the network that comes with the program and has a name, unless there is one of
// the name on disk.
func shipped(name string) (pretrained.Network, bool) {
	n, ok := pretrained.Find(name)
	return n, ok && !OnDisk(name)
}

// unknown adds to the error for a path at which there is nothing what may have been meant.
func unknown(path string, err error) error {
	if _, missing := os.Lstat(run.Path(path)); !errors.Is(missing, fs.ErrNotExist) {
		return err
	}
	names := make([]string, len(pretrained.Networks))
	for i, n := range pretrained.Networks {
		names[i] = n.Name
	}
	return fmt.Errorf("%w%s", err, run.DidYouMean(path, names...))
}
