package mnk

// AuxiliaryTargets implements game.AuxiliaryTargetState.
func (s *State) AuxiliaryTargets(cells []int8, _ []float32) { s.g.CellClasses(cells, s.at) }
