package window

import (
	"fmt"
	"math"
	"slices"

	"tengen/game"
	"tengen/replay/record"
)

// policy writes the policy target to dst, which must be all zero.
func (e *Encoder) policy(m *record.Move, t *game.Symmetry, dst []float32, weight *float32) error {
	if n := len(m.Policy); n != 0 && n != len(m.Visits) {
		return fmt.Errorf("%d probabilities for %d visited actions", n, len(m.Visits))
	}
	legal := e.replay.LegalActions()
	// A sum of whole numbers below 2^53 is exact.
	total := 0.0
	for i, v := range m.Visits {
		if _, found := slices.BinarySearch(legal, v.Action); !found || int(v.Action) >= len(dst) {
			return fmt.Errorf("visits of action %d, which is not legal", v.Action)
		}
		total += target(m, i)
	}
	if !finite(float32(total)) {
		return fmt.Errorf("the probabilities sum to %v", total)
	}
	if total == 0 {
		return nil
	}
	for i, v := range m.Visits {
		a := v.Action
		if t != nil {
			a = t.Actions[a]
		}
		dst[a] += float32(target(m, i) / total)
	}
	*weight = 1
	return nil
}

// target returns the policy target of the action of Visits[i], up to a common factor.
func target(m *record.Move, i int) float64 {
	if len(m.Policy) > 0 {
		return float64(m.Policy[i])
	}
	return float64(m.Visits[i].N)
}

// plyValue writes the value target of a position of the game.
func (e *Encoder) plyValue(rec *record.Game, ply int, t *game.Symmetry, dst []float32) error {
	players, found := e.replay.Game.Players(), searched(rec, ply)
	result := rec.Result()
	if len(result) != players || len(found) != 0 && len(found) != players {
		return fmt.Errorf("game %d: %d utilities and %d root values for %d players",
			rec.Number, len(result), len(found), players)
	}
	if e.returns != nil {
		return e.returnValue(rec, ply, t, dst)
	}
	for p, target := range result {
		if len(found) > 0 {
			target = (1-e.config.Mix)*target + e.config.Mix*found[p]
		}
		if err := e.value(rec, p, target, t, dst); err != nil {
			return err
		}
	}
	return nil
}

// searched returns the utilities that the search of a ply found; of an outcome of chance those of
// the first decision after it. It is empty if none are recorded.
func searched(rec *record.Game, ply int) []float32 {
	if rec.Moves[ply].Mover == game.Chance {
		for ply < len(rec.Moves)-1 && rec.Moves[ply].Forced(rec) {
			ply++
		}
	}
	return rec.Moves[ply].Value
}

// returnValue writes the value target of a ply from its λ-return.
func (e *Encoder) returnValue(rec *record.Game, ply int, t *game.Symmetry, dst []float32) error {
	r, found := e.returns, searched(rec, ply)
	if err := r.compute(rec, ply); err != nil {
		return fmt.Errorf("game %d: %w", rec.Number, err)
	}
	mix := 0.0
	if len(found) > 0 {
		mix = float64(e.config.Mix)
	}
	for p, z := range rec.Result() {
		searched := (1 - mix) * r.searched[p]
		if mix > 0 {
			searched += mix * float64(found[p])
		}
		target := float32((1-mix)*r.left*float64(z) + searched)
		if err := e.value(rec, p, target, t, dst); err != nil {
			return err
		}
	}
	return nil
}

// stateValue writes the value target of a state of a tree.
func (e *Encoder) stateValue(s Sample, t *game.Symmetry, dst []float32) error {
	players := e.replay.Game.Players()
	for p, target := range s.tree.Values[int(s.State)*players:][:players] {
		if err := e.value(s.Game, p, target, t, dst); err != nil {
			return err
		}
	}
	return nil
}

// value writes a player's target utility to the row of the player's image under the symmetry.
func (e *Encoder) value(
	rec *record.Game, p int, target float32, t *game.Symmetry, dst []float32,
) error {
	if !finite(target) {
		return fmt.Errorf("game %d: the target utility of player %d is %v", rec.Number, p, target)
	}
	if t != nil {
		p = int(t.Players[p])
	}
	outputs := e.Outputs()
	row := dst[p*outputs : (p+1)*outputs]
	if e.config.Support == nil {
		row[0] = target
	} else {
		project(row, e.config.Support, target)
	}
	return nil
}

// project writes the projection of a utility on the support; see Row.
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

func finite(x float32) bool {
	return !math.IsNaN(float64(x)) && !math.IsInf(float64(x), 0)
}

// AuxiliaryTargets holds the targets of the ends of games (game.HasAuxiliaryTargets) that a Window
// has replayed, so that encoders need not replay them. A Window writes it, and its encoders read
// it, not at the same time.
type AuxiliaryTargets struct {
	cells []game.CellTarget
	seats int // targets of a seat
	size  int // cells of all targets
	of    map[*record.Game]final
}

// final holds the targets of a game's end.
type final struct {
	cells []int8    // [targets, H, W]
	seats []float32 // [Players, targets]
}

// NewAuxiliaryTargets returns AuxiliaryTargets for games of g, nil if g has none.
func NewAuxiliaryTargets(g game.Game) *AuxiliaryTargets {
	cells, seats := game.AuxiliaryTargetsOf(g)
	if len(cells)+len(seats) == 0 {
		return nil
	}
	return &AuxiliaryTargets{
		cells, len(seats), len(cells) * g.Planes().H * g.Planes().W, map[*record.Game]final{},
	}
}

// add keeps the targets of a game, whose final position s is. One that ended by resignation has
// none.
func (l *AuxiliaryTargets) add(rec *record.Game, s game.State) {
	if l == nil || rec.Resigned {
		return
	}
	f := final{make([]int8, l.size), make([]float32, l.seats*len(rec.Seats))}
	s.(game.AuxiliaryTargetState).AuxiliaryTargets(f.cells, f.seats)
	l.of[rec] = f
}

// drop forgets a game.
func (l *AuxiliaryTargets) drop(rec *record.Game) {
	if l != nil {
		delete(l.of, rec)
	}
}

// Auxiliary writes the targets of the end of the sample's game, transformed by the symmetry:
//
//	cells   [targets, H, W]     a class, or game.NoClass
//	seats   [Players, targets]  numbers in [0, 1]
//	weight  1; 0 for a state of a tree, which the game need not have reached, and in a game that ended by
//	        resignation: it has no targets
//
// The encoder must have EncoderConfig.Auxiliary. A game that no Window has added to it is replayed
// to its end. Auxiliary does not allocate once the encoder's buffers have grown.
func (e *Encoder) Auxiliary(
	s Sample, symmetry int, cells []int8, seats []float32, weight *float32,
) error {
	l := e.config.Auxiliary
	cells, seats = cells[:l.size], seats[:l.seats*e.replay.Game.Players()]
	if *weight = 0; s.tree != nil || s.Game.Resigned {
		clear(seats)
		for i := range cells {
			cells[i] = game.NoClass
		}
		return nil
	}
	f, known := l.of[s.Game]
	if !known {
		var err error
		if f, err = e.finish(s.Game); err != nil {
			return err
		}
	}
	if t := e.symmetry(symmetry); t == nil {
		copy(cells, f.cells)
		copy(seats, f.seats)
	} else {
		t.TransformCellTargets(l.cells, cells, f.cells)
		t.TransformSeatTargets(l.seats, seats, f.seats)
	}
	*weight = 1
	return nil
}

// finish replays a game and returns the targets of its end, which are valid until the next call.
func (e *Encoder) finish(rec *record.Game) (final, error) {
	r := e.replay
	e.at = Sample{}
	if err := r.Begin(rec); err != nil {
		return final{}, err
	}
	for range rec.Moves {
		if err := r.Step(rec); err != nil {
			return final{}, err
		}
	}
	if err := r.Finish(rec); err != nil {
		return final{}, err
	}
	l := e.config.Auxiliary
	if e.last.cells == nil {
		e.last = final{make([]int8, l.size), make([]float32, l.seats*r.Game.Players())}
	}
	r.State().(game.AuxiliaryTargetState).AuxiliaryTargets(e.last.cells, e.last.seats)
	return e.last, nil
}

// symmetry returns a symmetry, nil for the identity.
func (e *Encoder) symmetry(i int) *game.Symmetry {
	if i == 0 {
		return nil
	}
	return &e.symmetries[i]
}

// HiddenFacts writes what is hidden from the player to move in the sample's position
// (game.HiddenFactState), transformed by the symmetry:
//
//	classes  [facts]                 the true class, or game.NoClass
//	priors   [classes of all facts]  the probability of each class without a belief
//	weight   1; 0 for a state of a tree, of which nothing is known
//
// It replays the game up to the position unless the last Row was of the same sample. HiddenFacts
// does not allocate once the encoder's buffers have grown.
func (e *Encoder) HiddenFacts(
	s Sample, symmetry int, classes []int8, priors []float32, weight *float32,
) error {
	classes, priors = classes[:len(e.hidden)], priors[:len(e.hiddenPriors)]
	if *weight = 0; s.tree != nil {
		clear(priors)
		for i := range classes {
			classes[i] = game.NoClass
		}
		return nil
	}
	if e.at != s {
		e.at = Sample{}
		if err := e.seek(s.Game, int(s.Ply)); err != nil {
			return err
		}
		e.at = s
	}
	state := e.replay.State()
	x, seat := state.(game.HiddenFactState), state.CurrentPlayer()
	*weight = 1
	t := e.symmetry(symmetry)
	if t == nil {
		x.HiddenFacts(seat, classes)
		x.HiddenFactPriors(seat, priors)
		return nil
	}
	x.HiddenFacts(seat, e.hiddenBuf)
	x.HiddenFactPriors(seat, e.hiddenPriors)
	t.TransformHiddenFacts(e.hidden, classes, e.hiddenBuf)
	t.TransformHiddenFactClasses(priors, e.hiddenPriors)
	return nil
}

// returns computes λ-returns: what a game from a ply on says about its value, as a weighted sum of
// the root values that the network's searches found at and after the ply and of the result
// (Sutton 1988; for tree search: Willemsen, Baier, Kaisers 2021). With λ and the recorded values
// v_0 (at the ply itself or the first after it), v_1, …, v_{n-1}, and the result z, it is
//
//	(1-λ)·Σ λ^k·v_k + λ^n·z
type returns struct {
	lambda   float64
	checked  bool      // the records are (EncoderConfig.Checked)
	searched []float64 // by player: Σ (1-λ)·λ^k·v_k
	left     float64   // λ^n
}

func newReturns(players int, bootstrap float64) *returns {
	return &returns{lambda: 1 - bootstrap, searched: make([]float64, players)}
}

// compute computes the return from a ply on.
func (r *returns) compute(rec *record.Game, ply int) error {
	clear(r.searched)
	r.left = 1
	for i := ply; i < len(rec.Moves); i++ {
		m := &rec.Moves[i]
		if !r.checked {
			if err := m.Check(len(r.searched)); err != nil {
				return fmt.Errorf("ply %d: %w", i, err)
			}
		}
		if len(m.Value) == 0 || rec.Seats[m.Mover].Kind != record.Network {
			continue
		}
		share := (1 - r.lambda) * r.left
		for p, v := range m.Value {
			r.searched[p] += share * float64(v)
		}
		r.left *= r.lambda
	}
	return nil
}
