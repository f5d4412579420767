package turtle

import "tengen/game"

// Symmetries are the 120 permutations of the colours: turtles, cards and tiles change
// colour together, and every player keeps its seat. The identity comes first.
func (g *Game) Symmetries() []game.Symmetry { return g.symmetries() }

// permutations makes the symmetries.
func (g *Game) permutations() []game.Symmetry {
	var list []game.Symmetry
	var colours [Turtles]int
	var extend func(n int, used herd)
	extend = func(n int, used herd) {
		if n == Turtles {
			list = append(list, g.permuted(colours))
			return
		}
		for t := range Turtles {
			if used>>t&1 == 0 {
				colours[n] = t
				extend(n+1, used|1<<t)
			}
		}
	}
	extend(0, 0)
	return list
}

// permuted returns the symmetry that gives turtle t the colour colours[t].
func (g *Game) permuted(colours [Turtles]int) game.Symmetry {
	s := game.Symmetry{Actions: []game.Action{}}
	for row := range rows {
		for _, t := range colours {
			s.Cells = append(s.Cells, row*Turtles+t)
			s.Actions = append(s.Actions, game.Action(row*Turtles+t))
		}
	}
	s.Actions = append(s.Actions, DiscardAny)
	for p := range g.shape.C {
		s.Planes = append(s.Planes, p)
	}
	s.HiddenFacts = g.permutedHiddenFacts(colours)
	for p := range game.Player(g.rules.Players) {
		s.Players = append(s.Players, p)
	}
	return s
}
