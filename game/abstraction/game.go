package abstraction

import (
	"fmt"
	"strconv"

	"tengen/game"
)

// Options configures an Abstraction.
type Options struct {
	// Full is the number of turns in which all actions stay legal, counting the turn in
	// progress when a position is abstracted. A turn is what game.Turned counts, or else
	// lasts until another player is to move.
	Full int
}

// Abstraction is the game.Abstraction given by classes. It is safe for concurrent use.
type Abstraction struct {
	original game.Game
	features game.Features
	classes  *Classes
	full     int
	derived  game.Game
}

// New makes the abstraction of g by classes of its actions. It returns an error if the
// classes are of other features than g has.
func New(g game.Game, c *Classes, o Options) (*Abstraction, error) {
	f, ok := g.(game.Features)
	switch {
	case !ok:
		return nil,
			fmt.Errorf("%s does not describe actions by features, which classes are made of",
				g.Name())
	case len(f.FeatureNames()) != len(c.Scale):
		return nil, fmt.Errorf("classes by %d features for %s, which has %d",
			len(c.Scale), g.Name(), len(f.FeatureNames()))
	case o.Full < 0:
		return nil, fmt.Errorf("abstraction: full is %d; at least 0 is wanted", o.Full)
	}
	x := &Abstraction{original: g, features: f, classes: c, full: o.Full}
	d := &derived{Game: g, x: x}
	s := g.NewState()
	_, d.turned = s.(game.Turned)
	_, d.hidden = s.(game.ImperfectInformation)
	x.derived = d
	if c, ok := g.(game.ConstantSum); ok {
		x.derived = &constantSum{d, c.UtilitySum()}
	}
	return x, nil
}

// Game is the derived game.
func (x *Abstraction) Game() game.Game { return x.derived }

// Abstract makes dst the image of src.
func (x *Abstraction) Abstract(dst, src game.State) {
	d := dst.(inner).inner()
	d.state.CopyFrom(src)
	d.begin()
}

// Realise returns a: actions of the derived game are actions of the original.
func (x *Abstraction) Realise(_ game.State, a game.Action) game.Action { return a }

// derived is the game whose actions are representatives. It embeds the original as a
// game.Game, so that no optional abilities are promoted.
type derived struct {
	game.Game
	x              *Abstraction
	turned, hidden bool // whether the original's states have these abilities
}

// constantSum is a derived game whose utilities have a constant sum.
type constantSum struct {
	*derived
	sum float64
}

// UtilitySum returns the original's constant.
func (c *constantSum) UtilitySum() float64 { return c.sum }

// Name is the original's name with the number of classes.
func (d *derived) Name() string {
	return fmt.Sprintf("%s by %d classes of actions", d.Game.Name(), d.x.classes.K)
}

// NewState returns the image of the original's initial position.
func (d *derived) NewState() game.State {
	n := len(d.x.features.FeatureNames())
	s := state{
		x: d.x, state: d.Game.NewState(),
		legal: make([]game.Action, 0, d.Actions()+1), of: make([]int, d.Actions()+1),
		keep: make([]bool, d.Actions()+1),
		rows: make([]float32, n*(d.Actions()+1)), mean: make([]float32, n),
	}
	switch {
	case d.turned && d.hidden:
		t := &hiddenTurnedState{turnedState{s}}
		t.begin()
		return t
	case d.turned:
		t := &turnedState{s}
		t.begin()
		return t
	case d.hidden:
		t := &hiddenState{s}
		t.begin()
		return t
	}
	s.begin()
	return &s
}

// HasChance reports whether the original has chance.
func (d *derived) HasChance() bool { return game.HasChance(d.Game) }

// PointsPerUtility is the original's.
func (d *derived) PointsPerUtility() float64 { return game.PointsPerUtility(d.Game) }

// ActionName is the original's.
func (d *derived) ActionName(s game.State, a game.Action) string {
	return game.ActionName(d.Game, s.(inner).inner().state, a)
}

// ParseAction reads what ActionName writes.
func (d *derived) ParseAction(s game.State, text string) (game.Action, error) {
	if n, ok := d.Game.(game.Notated); ok {
		return n.ParseAction(s.(inner).inner().state, text)
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 || strconv.Itoa(n) != text {
		return game.NoAction, fmt.Errorf("%q is no action: the number of one is wanted", text)
	}
	return game.Action(n), nil
}

// Heuristics returns the original's, without the last one, the result, which
// game.Heuristics adds to every game.
func (d *derived) Heuristics() []game.Heuristic {
	list := game.Heuristics(d.Game)
	list = list[:len(list)-1]
	for i := range list {
		h := &list[i]
		value, gain := h.Value, h.Gain
		h.Value = func(s game.State, p game.Player) float64 {
			return value(s.(inner).inner().state, p)
		}
		if gain != nil {
			h.Gain = func(s game.State, a game.Action, p game.Player) float64 {
				return gain(s.(inner).inner().state, a, p)
			}
		}
	}
	return list
}

// Range returns the original's bounds (minimax.Ranged), if it has any. Other shortcuts
// of the original would consider actions that the derived game leaves out.
func (d *derived) Range(
	heuristic string,
) func(s game.State, p game.Player, turns int) (low, high float64) {
	original, ok := d.Game.(interface {
		Range(heuristic string) func(s game.State, p game.Player, turns int) (low, high float64)
	})
	if !ok {
		return nil
	}
	bounds := original.Range(heuristic)
	if bounds == nil {
		return nil
	}
	return func(s game.State, p game.Player, turns int) (low, high float64) {
		return bounds(s.(inner).inner().state, p, turns)
	}
}
