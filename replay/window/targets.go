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
