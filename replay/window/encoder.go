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
	// Checked means that samples come from a Window, which has checked and replayed their games:
	// moves are then not checked again.
	Checked bool
	// Auxiliary is that of the Window that the samples come from; nil if Encoder.Auxiliary is not
	// called.
	Auxiliary *AuxiliaryTargets
}

// Encoder turns samples into training rows: observations and targets.
type Encoder struct {
	config     EncoderConfig
	replay     *record.Replayer
	symmetries []game.Symmetry // empty: the identity only
	scratch    []float32       // an observation before the symmetry
	returns    *returns        // nil if the target is of the result and the ply's own value alone
	last       final           // of the game that finish has replayed

	hidden       []game.HiddenFact // of the game
	at           Sample            // whose position is in replay.State; none after an error
	hiddenBuf    []int8            // [facts] scratch
	hiddenPriors []float32         // [classes of all facts] scratch
}

// NewEncoder returns an encoder for records of g.
func NewEncoder(g game.Game, config EncoderConfig) (*Encoder, error) {
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
		config: config, replay: record.NewReplayer(g), scratch: make([]float32, g.Planes().Size()),
	}
	if e.hidden = game.HiddenFactsOf(g); len(e.hidden) > 0 {
		e.hiddenBuf, e.hiddenPriors = make([]int8, len(e.hidden)),
			make([]float32, game.HiddenFactClasses(e.hidden))
	}
	if config.Bootstrap > 0 {
		e.returns = newReturns(g.Players(), config.Bootstrap)
		e.returns.checked = config.Checked
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
// Row checks every step to a position of the game against the rules. If it returns an
// error, the row is undefined. Window.Add has checked the steps to a tree's state.
// Row does not allocate once the encoder's buffers have grown.
func (e *Encoder) Row(
	s Sample, symmetry int, obs, policy []float32, weight *float32, value []float32,
) error {
	if symmetry < 0 || symmetry >= e.Symmetries() {
		return fmt.Errorf("symmetry %d; must be 0 to %d", symmetry, e.Symmetries()-1)
	}
	t := e.symmetry(symmetry)
	e.at = Sample{}
	if weight != nil {
		*weight = 0
	}
	if len(policy) > 0 {
		policy = policy[:e.replay.Game.Actions()]
		clear(policy)
	}
	if s.tree != nil {
		if err := e.seekState(s); err != nil {
			return err
		}
		e.observe(t, obs)
		return e.stateValue(s, t, value)
	}
	rec := s.Game
	if s.Ply < 0 || int(s.Ply) >= len(rec.Moves) {
		return fmt.Errorf("game %d has %d plies, but the sample is of ply %d",
			rec.Number, len(rec.Moves), s.Ply)
	}
	if err := e.seek(rec, int(s.Ply)); err != nil {
		return err
	}
	e.observe(t, obs)
	e.at = s
	m := &rec.Moves[s.Ply]
	if len(policy) > 0 {
		if err := e.policy(m, t, policy, weight); err != nil {
			return fmt.Errorf("game %d, ply %d: %w", rec.Number, s.Ply, err)
		}
	}
	return e.plyValue(rec, int(s.Ply), t, value)
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

// seek replays up to the position before ply. It is an error if there is no choice in it, and it is
// no afterstate.
func (e *Encoder) seek(rec *record.Game, ply int) error {
	r := e.replay
	if err := r.Begin(rec); err != nil {
		return err
	}
	for k := range ply {
		if e.config.Checked {
			r.Apply(rec.Moves[k].Action)
		} else if err := r.Step(rec); err != nil {
			return err
		}
	}
	if err := r.CheckMover(rec); err != nil {
		return err
	}
	if game.ObservesAfterstates(r.Game) && afterstate(rec, ply) {
		return nil
	}
	if len(r.LegalActions()) < 2 {
		return fmt.Errorf("game %d, ply %d: there was no choice, so there is nothing to learn",
			rec.Number, ply)
	}
	return nil
}

// seekState replays up to a state of a tree. Window.Add has checked these steps.
func (e *Encoder) seekState(s Sample) error {
	if err := e.replay.Begin(s.Game); err != nil {
		return err
	}
	return e.replay.SeekState(s.Game, s.tree, s.State)
}
