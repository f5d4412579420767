package window

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"tengen/game"
	"tengen/replay/record"
)

// policy writes the policy target of a ply to dst, which must be all zero.
func (e *Encoder) policy(ply int, t *game.Symmetry, dst []float32) error {
	target := &e.target
	if err := e.game.Target(ply, target); err != nil {
		return err
	}
	// A sum of whole numbers below 2^53 is exact.
	total := 0.0
	for i := range target.Visits {
		total += target.Of(i)
	}
	for i, v := range target.Visits {
		a := v.Action
		if int(a) >= len(dst) {
			return fmt.Errorf("visits of action %d, which the game does not have", a)
		}
		if t != nil {
			a = t.Actions[a]
		}
		dst[a] += float32(target.Of(i) / total)
	}
	return nil
}

// plyValue writes the value target of a position of the game.
func (e *Encoder) plyValue(ply int, t *game.Symmetry, dst []float32) error {
	found := e.searched(ply)
	if e.returns != nil {
		return e.returnValue(ply, found, t, dst)
	}
	for p := range e.game.Players() {
		target := e.game.Result(game.Player(p))
		if found {
			target = (1-e.config.Mix)*target + e.config.Mix*e.found[p]
		}
		if err := e.value(p, target, t, dst); err != nil {
			return err
		}
	}
	return nil
}

// searched sets the utilities that the search of a ply found; of an outcome of chance those of
// the first decision after it. It returns false if none are recorded.
func (e *Encoder) searched(ply int) bool {
	g := &e.game
	if g.Mover(ply) == game.Chance {
		for ply < g.Plies()-1 && g.Forced(ply) {
			ply++
		}
	}
	if !g.HasValue(ply) {
		return false
	}
	g.Values(ply, e.found)
	return true
}

// returnValue writes the value target of a ply from its λ-return.
func (e *Encoder) returnValue(ply int, found bool, t *game.Symmetry, dst []float32) error {
	r := e.returns
	r.compute(&e.game, ply)
	mix := 0.0
	if found {
		mix = float64(e.config.Mix)
	}
	for p := range e.game.Players() {
		searched := (1 - mix) * r.searched[p]
		if mix > 0 {
			searched += mix * float64(e.found[p])
		}
		target := float32((1-mix)*r.left*float64(e.game.Result(game.Player(p))) + searched)
		if err := e.value(p, target, t, dst); err != nil {
			return err
		}
	}
	return nil
}

// stateValue writes the value target of a state of a tree, whose values seek has found.
func (e *Encoder) stateValue(t *game.Symmetry, dst []float32) error {
	for p, target := range e.found {
		if err := e.value(p, target, t, dst); err != nil {
			return err
		}
	}
	return nil
}

// value writes a player's target utility to the row of the player's image under the symmetry.
func (e *Encoder) value(p int, target float32, t *game.Symmetry, dst []float32) error {
	if !finite(target) {
		return fmt.Errorf("game %d: the target utility of player %d is %v",
			e.game.Number, p, target)
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

// auxiliary describes the targets of the ends of games (game.HasAuxiliaryTargets) that a window
// keeps; the zero value: none.
type auxiliary struct {
	cells    []game.CellTarget
	seats    int // targets of a seat
	size     int // cells of all targets
	cellsBuf []int8
	seatsBuf []float32
}

func auxiliaryOf(g game.Game) auxiliary {
	cells, seats := game.AuxiliaryTargetsOf(g)
	size := len(cells) * g.Planes().H * g.Planes().W
	return auxiliary{
		cells, len(seats), size, make([]int8, size), make([]float32, len(seats)*g.Players()),
	}
}

func (l *auxiliary) any() bool { return l.size+l.seats > 0 }

// append appends the targets of a game's last position to dst: a byte a cell, then the numbers.
func (l *auxiliary) append(dst []byte, end game.State) []byte {
	if !l.any() {
		return dst
	}
	end.(game.AuxiliaryTargetState).AuxiliaryTargets(l.cellsBuf, l.seatsBuf)
	for _, c := range l.cellsBuf {
		dst = append(dst, byte(c))
	}
	for _, x := range l.seatsBuf {
		dst = binary.LittleEndian.AppendUint32(dst, math.Float32bits(x))
	}
	return dst
}

// read reads what append has appended.
func (l *auxiliary) read(b []byte, cells []int8, seats []float32) {
	for i := range cells {
		cells[i] = int8(b[i])
	}
	for i := range seats {
		seats[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[len(cells)+4*i:]))
	}
}

// Auxiliary writes the targets of the end of the sample's game, transformed by the symmetry:
//
//	cells   [targets, H, W]     a class, or game.NoClass
//	seats   [Players, targets]  numbers in [0, 1]
//	weight  1; 0 for a state of a tree, which the game need not have reached, and in a game that ended by
//	        resignation: it has no targets
//
// The window must keep them (Config.Auxiliary). Auxiliary does not allocate.
func (e *Encoder) Auxiliary(
	s Sample, symmetry int, cells []int8, seats []float32, weight *float32,
) error {
	l := &e.window.auxiliary
	cells, seats = cells[:len(e.cells)], seats[:len(e.seats)]
	kept, err := e.open(s)
	if err != nil {
		return err
	}
	if *weight = 0; s.tree >= 0 || len(kept) == 0 {
		clear(seats)
		for i := range cells {
			cells[i] = game.NoClass
		}
		return nil
	}
	*weight = 1
	t := e.symmetry(symmetry)
	if t == nil {
		l.read(kept, cells, seats)
		return nil
	}
	l.read(kept, e.cells, e.seats)
	t.TransformCellTargets(l.cells, cells, e.cells)
	t.TransformSeatTargets(l.seats, seats, e.seats)
	return nil
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
	if *weight = 0; s.tree >= 0 {
		clear(priors)
		for i := range classes {
			classes[i] = game.NoClass
		}
		return nil
	}
	if e.at != s {
		if err := e.seek(s); err != nil {
			return err
		}
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
	searched []float64 // by player: Σ (1-λ)·λ^k·v_k
	left     float64   // λ^n
	values   []float32
}

func newReturns(players int, bootstrap float64) *returns {
	return &returns{
		lambda: 1 - bootstrap, searched: make([]float64, players), values: make([]float32, players),
	}
}

// compute computes the return from a ply on.
func (r *returns) compute(g *record.Packed, ply int) {
	clear(r.searched)
	r.left = 1
	for i := ply; i < g.Plies(); i++ {
		if !g.Judges(i) {
			continue
		}
		g.Values(i, r.values)
		share := (1 - r.lambda) * r.left
		for p, v := range r.values {
			r.searched[p] += share * float64(v)
		}
		r.left *= r.lambda
	}
}
