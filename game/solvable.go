package game

import "cmp"

// Solvable is a Game for two players with a solver of its own, which is faster than a search of all
// positions.
type Solvable interface {
	// NewSolver makes a solver with tables of about the given size in bytes. An error says why
	// this game can't be solved.
	NewSolver(bytes int) (Solver, error)
}

// Tabled is a Game for two players whose exact values can be read from a file.
type Tabled interface {
	// OpenTable reads a file, for solvers that share it. An error says what is wrong with the file,
	// or why this game has none.
	OpenTable(path string) (Solvable, error)
}

// Solver finds the exact values of positions of one game. It is used by one goroutine, and keeps
// what it found for later positions.
type Solver interface {
	// Solve appends what each legal action of s is worth, in ascending order of the actions, and
	// returns the extended slice. A player is to move in s.
	Solve(s State, dst []Solved) []Solved
}

// Solved is what an action is worth if both players play perfectly afterwards: for the best result,
// then to win as soon as they can, or to lose as late as they can. In games with chance the value
// is the mean.
type Solved struct {
	Action    Action
	Value     [2]float32 // the utility of each player
	Plies     int        // until the game is over, the action included; 0 in games with chance
	Positions int64      // searched for the action
}

// Compare is positive if player p does better with a than with b, negative if worse, and 0 if both
// are worth the same. Of wins the sooner is better, of losses the later.
func (a *Solved) Compare(b *Solved, p Player) int {
	if c := cmp.Compare(a.Value[p], b.Value[p]); c != 0 {
		return c
	}
	switch own, other := a.Value[p], a.Value[1-p]; {
	case own > other:
		return cmp.Compare(b.Plies, a.Plies)
	case own < other:
		return cmp.Compare(a.Plies, b.Plies)
	}
	return 0
}

// BestSolved returns the best of solved for player p, the first of equal ones.
func BestSolved(solved []Solved, p Player) *Solved {
	best := &solved[0]
	for i := range solved {
		if solved[i].Compare(best, p) > 0 {
			best = &solved[i]
		}
	}
	return best
}
