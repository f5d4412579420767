package window

import (
	"fmt"

	"tengen/game"
	"tengen/replay/record"
)

// EncoderConfig describes an Encoder.
type EncoderConfig struct {
	// Support lists the utilities, ascending, of the value head's categorical
	// distributions; nil means a linear head.
	Support []float32
	// Mix is the weight of the recorded root value in the value target, in [0, 1];
	// the rest is the game's result (Outcome if there is one, otherwise Returns). The
	// target of a ply without a recorded value is the result. An afterstate's value is that of
	// the first decision after it, if it has one. The target of a tree's
	// state is its value, whatever Mix is.
	Mix float32
	// Bootstrap is 1 - λ, in [0, 1]: with more than 0 the λ-return of the network's searches takes
	// the place of the result:
	//
	//	(1-λ)·Σ λ^k·v_k + λ^n·result
	//
	// v_k are the root values recorded at the ply and later in the game by seats of kind
	// Network, n of them. Mix is the weight of the ply's own value beside it.
	Bootstrap float64
}

// Encoder turns samples of a window into training rows: observations and targets.
type Encoder struct {
	config     EncoderConfig
	window     *Window
	game       record.Packed // of the sample at hand
	replay     *record.Replayer
	symmetries []game.Symmetry // empty: the identity only
	scratch    []float32       // an observation before the symmetry
	target     record.Target
	found      []float32 // [Players] root values
	returns    *returns  // nil if the target is of the result and the ply's own value alone
	cells      []int8    // auxiliary targets before the symmetry
	seats      []float32

	hidden       []game.HiddenFact // of the game
	at           Sample            // whose position is in replay.State; of no game after an error
	hiddenBuf    []int8            // [facts] scratch
	hiddenPriors []float32         // [classes of all facts] scratch
}

// none is a sample of no game.
var none = Sample{Game: -1}

// NewEncoder returns an encoder for samples of w.
func NewEncoder(w *Window, config EncoderConfig) (*Encoder, error) {
	g := w.game
	if !(config.Mix >= 0 && config.Mix <= 1) {
		return nil,
			fmt.Errorf("replay encoder: a root value weight of %v; must be in [0, 1]", config.Mix)
	}
	if !(config.Bootstrap >= 0 && config.Bootstrap <= 1) {
		return nil, fmt.Errorf("replay encoder: 1 - λ is %v; must be in [0, 1]", config.Bootstrap)
	}
	if n := len(config.Support); n == 1 {
		return nil, fmt.Errorf("replay encoder: a support of one utility; must be at least two, or none for a linear head")
	}
	for i := 1; i < len(config.Support); i++ {
		if !(config.Support[i] > config.Support[i-1]) {
			return nil, fmt.Errorf("replay encoder: the support is not ascending: %v",
				config.Support)
		}
	}
	e := &Encoder{
		config: config, window: w, replay: record.NewReplayer(g), at: none,
		scratch: make([]float32, g.Planes().Size()), found: make([]float32, g.Players()),
		cells: make([]int8, w.auxiliary.size),
		seats: make([]float32, w.auxiliary.seats*g.Players()),
	}
	if e.hidden = game.HiddenFactsOf(g); len(e.hidden) > 0 {
		e.hiddenBuf, e.hiddenPriors = make([]int8, len(e.hidden)),
			make([]float32, game.HiddenFactClasses(e.hidden))
	}
	if config.Bootstrap > 0 {
		e.returns = newReturns(g.Players(), config.Bootstrap)
	}
	if s, ok := g.(game.Symmetric); ok {
		e.symmetries = s.Symmetries()
	}
	return e, nil
}

// Symmetries returns the number of symmetries that Row accepts, at least 1;
// symmetry 0 is the identity.
func (e *Encoder) Symmetries() int { return max(1, len(e.symmetries)) }

// Outputs returns the number of values in each player's value target.
func (e *Encoder) Outputs() int { return max(1, len(e.config.Support)) }

// Row replays the sample's game up to its position and writes the row, transformed by
// the symmetry:
//
//	obs     [C·H·W]             the observation before the move, or of the tree's state
//	policy  [Actions]           the recorded policy, or else the visits, divided by their sum; all zero
//	                            without visits and for a tree's state
//	weight                      1 with a policy target, 0 without
//	value   [Players, Outputs]  each player's target utility: projected on the support, or unchanged for a linear head
//
// For a network without a policy head policy may be empty: then no policy is written,
// and the weight, whose pointer may be nil, is 0.
//
// A utility between two neighbours of the support is divided between them such that
// the expectation is the utility (the two-hot projection of categorical value
// learning: Bellemare, Dabney, Munos 2017, section 4). A utility outside the support
// has all weight on the nearest end.
//
// The game must still be in the window, which must not change meanwhile. If Row returns an error,
// the row is undefined. Row does not allocate once the encoder's buffers have grown.
func (e *Encoder) Row(
	s Sample, symmetry int, obs, policy []float32, weight *float32, value []float32,
) error {
	if symmetry < 0 || symmetry >= e.Symmetries() {
		return fmt.Errorf("symmetry %d; must be 0 to %d", symmetry, e.Symmetries()-1)
	}
	t := e.symmetry(symmetry)
	if weight != nil {
		*weight = 0
	}
	if len(policy) > 0 {
		policy = policy[:e.replay.Game.Actions()]
		clear(policy)
	}
	if err := e.seek(s); err != nil {
		return err
	}
	e.observe(t, obs)
	if s.tree >= 0 {
		return e.stateValue(t, value)
	}
	if len(policy) > 0 && e.game.HasTarget(int(s.Ply)) {
		if err := e.policy(int(s.Ply), t, policy); err != nil {
			return fmt.Errorf("game %d, ply %d: %w", e.game.Number, s.Ply, err)
		}
		*weight = 1
	}
	return e.plyValue(int(s.Ply), t, value)
}

// observe writes the position's observation, transformed by a symmetry; nil is the identity.
func (e *Encoder) observe(t *game.Symmetry, obs []float32) {
	size := e.replay.Game.Planes().Size()
	if t == nil {
		e.replay.State().Observation(obs[:size])
		return
	}
	e.replay.State().Observation(e.scratch)
	t.Transform(obs[:size], e.scratch)
}

// open opens the game of a sample, and returns its auxiliary targets.
func (e *Encoder) open(s Sample) (auxiliary []byte, err error) {
	i := s.Game - e.window.first
	if i < 0 || i >= len(e.window.entries) {
		return nil, fmt.Errorf("the sample is of game %d of the window, which holds %d to %d",
			s.Game, e.window.first, e.window.first+len(e.window.entries)-1)
	}
	return e.window.open(i, &e.game), nil
}

// seek replays up to a sample's position.
func (e *Encoder) seek(s Sample) error {
	e.at = none
	if _, err := e.open(s); err != nil {
		return err
	}
	g, r := &e.game, e.replay
	if s.tree >= 0 {
		return r.SeekState(g, int(s.tree), int(s.State), e.found)
	}
	if s.Ply < 0 || int(s.Ply) >= g.Plies() {
		return fmt.Errorf("game %d has %d plies, but the sample is of ply %d",
			g.Number, g.Plies(), s.Ply)
	}
	r.Reset()
	for ply := range int(s.Ply) {
		r.Apply(g.Action(ply))
	}
	e.at = s
	return nil
}
