package connectfour

// Labels implements game.LabeledState.
func (s *State) Labels(cells []int8, _ []float32) { s.g.LabelCells(cells, s.at) }
