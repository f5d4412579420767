package lab

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"tengen/configs"
	"tengen/internal/notation"
)

// File is what a lab's file says.
type File struct {
	Path    string
	Title   string
	Base    string // a preset, or the path of a configuration
	Seeds   []uint64
	Arms    []ArmKeys
	Match   Match
	Against []Opponent
	// Exploit measures the NashConv of every network, in a game small enough to enumerate.
	Exploit bool

	common configs.Layer
}

// ArmKeys is an arm as the file has it.
type ArmKeys struct {
	Name string
	Base string // "": the file's
	keys configs.Layer
	line int
}

// Match is how networks of two arms play each other.
type Match struct {
	Games       int    // a pairing, rounded up to whole rounds of all seatings
	Simulations int    // a move; 0: evaluation.simulations of the first arm
	Opening     int    // decisions drawn at the start of each round; -1: as many as suit the game
	Seed        uint64 // of the games
	All         bool   // every two arms play each other, not only the first and each other
	// networks play with the search of their arm's configuration, not all with the first arm's
	OwnSearch bool
	None      bool // no two arms play each other
}

// Opponent is a fixed player against which every arm's networks play alone: in one seat, with
// copies of the opponent in all others.
type Opponent struct {
	Player string
	Games  int // for each network
	line   int
}

// Limits of a lab.
const (
	maxSeeds = 100
	maxArms  = 50
	maxGames = 1_000_000
)

// maxIterations stands for a run that ends by its time or its evaluations alone.
const maxIterations = 1_000_000

// Read reads a lab's file. Its errors are one line with the file and the line.
func Read(path string) (*File, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("lab: %w", err)
	}
	return Parse(path, text)
}

// Parse reads the text of a lab's file.
func Parse(path string, text []byte) (*File, error) {
	top, err := notation.ParseYAML(path, text, "title: Gumbel at the root")
	if err != nil {
		return nil, err
	}
	f := &File{
		Path: path, Base: configs.DefaultPreset, Seeds: numbered(5),
		Match: Match{Games: 40, Opening: -1, Seed: 1},
	}
	r := reader{path}
	err = r.each("", top, map[string]func(at ast.Node, n ast.Node) error{
		"title": func(at, n ast.Node) (err error) { f.Title, err = r.text(at, n, "title"); return },
		"base":  func(at, n ast.Node) (err error) { f.Base, err = r.base(at, n); return },
		"set":   func(at, n ast.Node) (err error) { f.common, err = r.layer(at, n, "set"); return },
		"seeds": func(at, n ast.Node) (err error) { f.Seeds, err = r.seeds(at, n); return },
		"arms":  func(at, n ast.Node) (err error) { f.Arms, err = r.arms(at, n); return },
		"match": func(at, n ast.Node) error { return r.match(at, n, &f.Match) },
		"exploit": func(at, n ast.Node) error {
			text, _ := plain(n)
			if text != "true" && text != "false" {
				return r.errorf(at,
					"exploit: true (the networks' NashConv is measured) or false is wanted")
			}
			f.Exploit = text == "true"
			return nil
		},
		"against": func(at, n ast.Node) (err error) {
			f.Against, err = r.against(at, n)
			return
		},
	})
	switch {
	case err != nil:
		return nil, err
	case f.Match.None && !f.Exploit && len(f.Against) == 0:
		return nil,
			fmt.Errorf(
				"%s: match.pairs is none, and neither exploit nor against measures the networks",
				path)
	case len(f.Arms) < 2 && len(f.Against) == 0 && !f.Exploit || len(f.Arms) == 0:
		return nil, fmt.Errorf("%s: two arms or more are wanted, in a list as in \"arms: [{name: a}, {name: b, set: {search.c_puct: 1}}]\"", path)
	}
	if f.Title == "" {
		f.Title = strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	}
	return f, nil
}

// numbered returns the seeds from 1 to n.
func numbered(n int) []uint64 {
	seeds := make([]uint64, n)
	for i := range seeds {
		seeds[i] = uint64(i) + 1
	}
	return seeds
}

// reader reads the nodes of a file.
type reader struct{ path string }

func (r reader) errorf(n ast.Node, form string, args ...any) error {
	return notation.ErrorAt(r.path, n, form, args...)
}

// each calls the function of every key of a mapping. what is the mapping's own key, "" at the top.
func (r reader) each(what string, m ast.MapNode, keys map[string]func(at, n ast.Node) error) error {
	if what != "" {
		what += "."
	}
	seen := map[string]int{}
	for entries := m.MapRange(); entries.Next(); {
		at := entries.Key()
		key, _ := plain(at)
		read, ok := keys[key]
		if !ok {
			var names []string
			for name := range keys {
				names = append(names, name)
			}
			slices.Sort(names)
			return r.errorf(at, "unknown key %q%s; the keys are %s",
				what+notation.OneLine(at.String()), notation.DidYouMean(key, names),
				strings.Join(names, ", "))
		}
		if first, twice := seen[key]; twice {
			return r.errorf(at, "%s is given twice, first on line %d", what+key, first)
		}
		seen[key] = notation.LineOf(at)
		if err := read(at, entries.Value()); err != nil {
			return err
		}
	}
	return nil
}

// plain returns a scalar's text; it reports false if n is none.
func plain(n ast.Node) (string, bool) {
	switch s := n.(type) {
	case *ast.StringNode:
		return s.Value, true
	case *ast.LiteralNode:
		return strings.TrimSpace(s.Value.Value), true
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.InfinityNode, *ast.NanNode:
		return strings.TrimSpace(n.GetToken().Value), true
	}
	return "", false
}

func (r reader) text(at, n ast.Node, key string) (string, error) {
	text, ok := plain(n)
	if !ok || text == "" {
		return "", r.errorf(at, "%s: a text is wanted", key)
	}
	return text, nil
}

// number reads a whole number.
func (r reader) number(at, n ast.Node, key string, least, most int) (int, error) {
	text, ok := plain(n)
	x, err := strconv.Atoi(text)
	if !ok || err != nil || x < least || x > most {
		return 0, r.errorf(at, "%s: a whole number from %d to %d is wanted", key, least, most)
	}
	return x, nil
}

// base reads a preset or the path of a configuration, which is relative to the file.
func (r reader) base(at, n ast.Node) (string, error) {
	text, err := r.text(at, n, "base")
	if err != nil || slices.Contains(configs.PresetNames(), text) {
		return text, err
	}
	path := text
	if !filepath.IsAbs(path) {
		path = filepath.Join(filepath.Dir(r.path), path)
	}
	if _, err := os.Stat(path); err != nil {
		return "", r.errorf(at, "base: no file or preset is called %q%s; the presets are %s", text,
			notation.DidYouMean(text, configs.PresetNames()),
			strings.Join(configs.PresetNames(), ", "))
	}
	return path, nil
}

// layer reads keys of the configuration.
func (r reader) layer(at, n ast.Node, key string) (configs.Layer, error) {
	l := configs.Layer{File: r.path, Keys: &ast.MappingNode{}}
	switch keys := n.(type) {
	case nil, *ast.NullNode:
	case ast.MapNode:
		l.Keys = keys
	default:
		return l, r.errorf(at,
			"%s: keys of the configuration are wanted, as in \"search.c_puct: 1\"", key)
	}
	for entries := l.Keys.MapRange(); entries.Next(); {
		if key, _ := plain(entries.Key()); key == "seed" {
			return l, r.errorf(entries.Key(), "seed: the lab trains each arm from each of its seeds; see the key seeds of the file")
		}
	}
	return l, nil
}

func (r reader) seeds(at, n ast.Node) ([]uint64, error) {
	list, ok := n.(*ast.SequenceNode)
	if !ok {
		count, err := r.number(at, n, "seeds", 1, maxSeeds)
		if err != nil {
			return nil, r.errorf(at,
				"seeds: a number from 1 to %d is wanted, or a list as in [1, 2, 3]", maxSeeds)
		}
		return numbered(count), nil
	}
	var seeds []uint64
	for _, element := range list.Values {
		text, _ := plain(element)
		seed, err := strconv.ParseUint(text, 10, 64)
		if err != nil || slices.Contains(seeds, seed) {
			return nil, r.errorf(element,
				"seeds: different whole numbers from 0 are wanted, not %q",
				notation.OneLine(element.String()))
		}
		seeds = append(seeds, seed)
	}
	if len(seeds) == 0 || len(seeds) > maxSeeds {
		return nil, r.errorf(at, "seeds: 1 to %d seeds are wanted", maxSeeds)
	}
	return seeds, nil
}

// names are those that can be a part of a folder's name.
var names = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._+=-]{0,63}$`)

func (r reader) arms(at, n ast.Node) ([]ArmKeys, error) {
	list, ok := n.(*ast.SequenceNode)
	if !ok {
		return nil, r.errorf(at,
			"arms: a list is wanted, with a line such as \"- name: a\" for each arm")
	}
	if len(list.Values) > maxArms {
		return nil, r.errorf(at, "arms: at most %d are wanted", maxArms)
	}
	var arms []ArmKeys
	for _, element := range list.Values {
		body, ok := element.(ast.MapNode)
		if !ok {
			return nil, r.errorf(element, "arms: an arm is a mapping, as in \"- name: a\"")
		}
		arm := ArmKeys{
			line: notation.LineOf(element),
			keys: configs.Layer{File: r.path, Keys: &ast.MappingNode{}},
		}
		err := r.each("arms", body, map[string]func(at, n ast.Node) error{
			"name": func(at, n ast.Node) (err error) {
				if arm.Name, err = r.text(at, n, "name"); err == nil &&
					!names.MatchString(arm.Name) {
					err = r.errorf(at, "name: the arm %q is to be a part of a folder's name: letters, digits and ._+=- are wanted, 64 at most", arm.Name)
				}
				return err
			},
			"base": func(at, n ast.Node) (err error) { arm.Base, err = r.base(at, n); return },
			"set": func(at, n ast.Node) (err error) {
				arm.keys, err = r.layer(at, n, "set")
				return
			},
		})
		if err != nil {
			return nil, err
		}
		if arm.Name == "" {
			return nil, r.errorf(element, "an arm has no name")
		}
		for _, other := range arms {
			if strings.EqualFold(other.Name, arm.Name) {
				return nil, r.errorf(element, "two arms are called %s; the first is on line %d",
					arm.Name, other.line)
			}
		}
		arms = append(arms, arm)
	}
	return arms, nil
}

func (r reader) match(at, n ast.Node, m *Match) error {
	body, ok := n.(ast.MapNode)
	if !ok {
		return r.errorf(at, "match: keys are wanted, as in \"games: 40\"")
	}
	return r.each("match", body, map[string]func(at, n ast.Node) error{
		"games": func(at, n ast.Node) (err error) {
			m.Games, err = r.number(at, n, "games", 2, maxGames)
			return
		},
		"simulations": func(at, n ast.Node) (err error) {
			m.Simulations, err = r.number(at, n, "simulations", 1, configs.MaxSimulations)
			return
		},
		"opening": func(at, n ast.Node) (err error) {
			m.Opening, err = r.number(at, n, "opening", 0, 1000)
			return
		},
		"seed": func(at, n ast.Node) error {
			seed, err := r.number(at, n, "seed", 0, 1<<31-1)
			m.Seed = uint64(seed)
			return err
		},
		"pairs": func(at, n ast.Node) error {
			text, _ := plain(n)
			if text != "first" && text != "all" && text != "none" {
				return r.errorf(at,
					"pairs: first (each arm plays the first one), all or none is wanted%s",
					notation.DidYouMean(text, []string{"first", "all", "none"}))
			}
			m.All, m.None = text == "all", text == "none"
			return nil
		},
		"search": func(at, n ast.Node) error {
			text, _ := plain(n)
			if text != "first" && text != "own" {
				return r.errorf(at, "search: first (all networks play with the search of the first arm) or own is wanted%s", notation.DidYouMean(text, []string{"first", "own"}))
			}
			m.OwnSearch = text == "own"
			return nil
		},
	})
}

func (r reader) against(at, n ast.Node) ([]Opponent, error) {
	list, ok := n.(*ast.SequenceNode)
	if !ok {
		return nil, r.errorf(at,
			"against: a list is wanted, with a line such as \"- player: uct\" for each opponent")
	}
	var all []Opponent
	for _, element := range list.Values {
		body, ok := element.(ast.MapNode)
		if !ok {
			return nil, r.errorf(element,
				"against: an opponent is a mapping, as in \"- player: uct\"")
		}
		o := Opponent{Games: 40, line: notation.LineOf(element)}
		err := r.each("against", body, map[string]func(at, n ast.Node) error{
			"player": func(at, n ast.Node) (err error) {
				o.Player, err = r.text(at, n, "player")
				return
			},
			"games": func(at, n ast.Node) (err error) {
				o.Games, err = r.number(at, n, "games", 2, maxGames)
				return
			},
		})
		if err != nil {
			return nil, err
		}
		if o.Player == "" {
			return nil, r.errorf(element, "an opponent has no player")
		}
		for _, other := range all {
			if other.Player == o.Player {
				return nil, r.errorf(element, "%s is given twice, first on line %d",
					o.Player, other.line)
			}
		}
		all = append(all, o)
	}
	return all, nil
}
