package game

import (
	"fmt"
	"sort"
	"sync"

	"tengen/internal/notation"
)

// Param describes a key that may follow a family's name. Values holds the parameters
// of a parsed name and reads them by type. They are aliases so that games outside this
// module can use them.
type (
	Param  = notation.Param
	Values = notation.Values
)

// Family is a game with parameters, from which New makes one Game.
type Family struct {
	Name    string  // "go"
	Summary string  // one line for `tengen games`
	Params  []Param // the keys that may follow the name, in printing order
	// New makes the game. Keys that the user left out have their defaults in v. An error
	// says which key is wrong and what is accepted.
	New func(v *Values) (Game, error)
	// Drawn returns the game that the drawing of a position fits. It is nil if drawings do
	// not determine games of the family.
	Drawn func(text string) (Game, error)
}

var (
	mu       sync.RWMutex
	families = map[string]Family{}
)

// Register adds a family for New to find. It is called from init functions and panics
// if the name is taken.
func Register(f Family) {
	mu.Lock()
	defer mu.Unlock()
	if _, taken := families[f.Name]; taken {
		panic("game: " + f.Name + " is registered twice")
	}
	families[f.Name] = f
}

// Families lists the registered families by name.
func Families() []Family {
	mu.RLock()
	defer mu.RUnlock()
	list := make([]Family, 0, len(families))
	for _, f := range families {
		list = append(list, f)
	}
	sort.Slice(list, func(i, j int) bool { return list[i].Name < list[j].Name })
	return list
}

// New makes the game that text names: a family's name, optionally followed by a colon
// and parameters, as in "go:size=5,players=3". An error says which part is wrong and
// what is accepted.
func New(text string) (Game, error) {
	parsed, err := notation.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("game %.200q: %w", text, err)
	}
	mu.RLock()
	f, ok := families[parsed.Name]
	names := make([]string, 0, len(families))
	for name := range families {
		names = append(names, name)
	}
	mu.RUnlock()
	if !ok {
		return nil, fmt.Errorf("no game is called %q%s; `%s` lists them",
			parsed.Name, notation.DidYouMean(parsed.Name, names), notation.Command("games"))
	}
	if parsed.Bare != "" {
		return nil, fmt.Errorf("game %.200q: %q is not key=value", text, parsed.Bare)
	}
	v, err := parsed.Values(f.Params)
	if err != nil {
		return nil, fmt.Errorf("game %.200q: %w", text, err)
	}
	g, err := f.New(v)
	if err == nil {
		err = v.Err()
	}
	if err != nil {
		return nil, fmt.Errorf("game %.200q: %w", text, err)
	}
	return g, nil
}
