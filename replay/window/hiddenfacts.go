package window

import "tengen/game"

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
