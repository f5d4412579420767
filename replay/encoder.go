package replay

import (
	"fmt"
	"slices"

	"tengen/game"
)

// EncoderConfig describes an Encoder.
type EncoderConfig struct {
	// Support lists the utilities, ascending, on which the value head's
	// categorical distributions stand; nil: the head is linear.
	Support []float32
	// Mix is the weight of the recorded root value in the value target, in
	// [0, 1]; the rest is the game's result. Plies without a recorded value
	// take the result alone.
	Mix float32
	// Augment offers the game's symmetries; without it there is the identity only.
	Augment bool
}

// Encoder turns samples into training rows: observations and targets.
type Encoder struct {
	config     EncoderConfig
	replay     *replayer
	symmetries []game.Symmetry // empty: the identity only
	scratch    []float32       // an observation before its symmetry
}

// NewEncoder makes an encoder for records of one game.
func NewEncoder(g game.Game, config EncoderConfig) (*Encoder, error) {
	if !(config.Mix >= 0 && config.Mix <= 1) {
		return nil, fmt.Errorf("replay encoder: a root value weight of %v; it must lie in [0, 1]", config.Mix)
	}
	if n := len(config.Support); n == 1 {
		return nil, fmt.Errorf("replay encoder: a support of one utility; two at least are wanted, or none for a linear head")
	}
	for i := 1; i < len(config.Support); i++ {
		if !(config.Support[i] > config.Support[i-1]) {
			return nil, fmt.Errorf("replay encoder: the support is not ascending: %v", config.Support)
		}
	}
	e := &Encoder{config: config, replay: newReplayer(g), scratch: make([]float32, g.Planes().Size())}
	if s, ok := g.(game.Symmetric); ok && config.Augment {
		e.symmetries = s.Symmetries()
	}
	return e, nil
}

// Symmetries is the number of symmetries that Row accepts, at least 1;
// symmetry 0 is the identity.
func (e *Encoder) Symmetries() int { return max(1, len(e.symmetries)) }

// Outputs is the number of values in each player's value target.
func (e *Encoder) Outputs() int { return max(1, len(e.config.Support)) }

// Row replays the sample's game up to its position and writes the row as the
// symmetry sees it:
//
//	obs     [C·H·W]             the observation before the move
//	policy  [Actions]           visits divided by their sum; all zero without visits
//	weight                      1 with a policy target, 0 without
//	value   [Players, Outputs]  each player's target utility: projected on the support, or, for a linear head, itself
//
// A utility between two neighbours of the support is shared between them so
// that the expectation is the utility (the two-hot projection of categorical
// value learning: Bellemare, Dabney, Munos 2017, section 4); outside the
// support the nearest end takes all.
//
// Every step is checked against the rules: a record that breaks them is an
// error, and the row is then undefined. Row allocates nothing once the
// encoder's buffers have grown.
func (e *Encoder) Row(s Sample, symmetry int, obs, policy []float32, weight *float32, value []float32) error {
	rec, g := s.Game, e.replay.game
	if s.Ply < 0 || s.Ply >= len(rec.Moves) {
		return fmt.Errorf("game %d has %d plies, none of number %d", rec.Number, len(rec.Moves), s.Ply)
	}
	if symmetry < 0 || symmetry >= e.Symmetries() {
		return fmt.Errorf("symmetry %d; 0 to %d are possible", symmetry, e.Symmetries()-1)
	}
	if err := e.seek(rec, s.Ply); err != nil {
		return err
	}
	var t *game.Symmetry
	if symmetry > 0 {
		t = &e.symmetries[symmetry]
	}
	if size := g.Planes().Size(); t == nil {
		e.replay.state.Observe(obs[:size])
	} else {
		e.replay.state.Observe(e.scratch)
		t.Transform(obs[:size], e.scratch)
	}
	m := &rec.Moves[s.Ply]
	if err := e.policy(m, t, policy[:g.Actions()], weight); err != nil {
		return fmt.Errorf("game %d, ply %d: %w", rec.Number, s.Ply, err)
	}
	return e.value(rec, m, t, value)
}

// seek replays up to the position before ply, in which a player must have a choice.
func (e *Encoder) seek(rec *Game, ply int) error {
	r := e.replay
	if err := r.start(rec); err != nil {
		return err
	}
	for i := range ply {
		if err := r.look(rec, i); err != nil {
			return err
		}
		if err := r.step(rec, i); err != nil {
			return err
		}
	}
	if err := r.look(rec, ply); err != nil {
		return err
	}
	if len(r.legal) < 2 {
		return fmt.Errorf("game %d, ply %d: nobody had a choice, so there is nothing to learn", rec.Number, ply)
	}
	return nil
}

func (e *Encoder) policy(m *Move, t *game.Symmetry, dst []float32, weight *float32) error {
	clear(dst)
	*weight = 0
	var total uint64
	for _, v := range m.Visits {
		if _, legal := slices.BinarySearch(e.replay.legal, v.Action); !legal || int(v.Action) >= len(dst) {
			return fmt.Errorf("visits of action %d, which is not legal", v.Action)
		}
		total += uint64(v.N)
	}
	if total == 0 {
		return nil
	}
	for _, v := range m.Visits {
		a := v.Action
		if t != nil {
			a = t.Actions[a]
		}
		dst[a] += float32(float64(v.N) / float64(total))
	}
	*weight = 1
	return nil
}

func (e *Encoder) value(rec *Game, m *Move, t *game.Symmetry, dst []float32) error {
	players, outputs := e.replay.game.Players(), e.Outputs()
	if len(rec.Returns) != players || len(m.Value) != 0 && len(m.Value) != players {
		return fmt.Errorf("game %d: %d utilities and %d root values for %d players", rec.Number, len(rec.Returns), len(m.Value), players)
	}
	for p, target := range rec.Returns {
		if len(m.Value) > 0 {
			target = (1-e.config.Mix)*target + e.config.Mix*m.Value[p]
		}
		if !finite(target) {
			return fmt.Errorf("game %d: the target utility of player %d is %v", rec.Number, p, target)
		}
		q := p
		if t != nil {
			q = int(t.Players[p])
		}
		row := dst[q*outputs : (q+1)*outputs]
		if e.config.Support == nil {
			row[0] = target
		} else {
			project(row, e.config.Support, target)
		}
	}
	return nil
}

// project spreads a utility over the support: see Row.
func project(dst, support []float32, u float32) {
	clear(dst)
	last := len(support) - 1
	switch {
	case u <= support[0]:
		dst[0] = 1
		return
	case u >= support[last]:
		dst[last] = 1
		return
	}
	i, exact := slices.BinarySearch(support, u)
	if exact {
		dst[i] = 1
		return
	}
	below, above := support[i-1], support[i]
	share := (u - below) / (above - below)
	dst[i-1], dst[i] = 1-share, share
}
