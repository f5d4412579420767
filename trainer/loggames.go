package trainer

import (
	"slices"

	"tengen/arena"
	"tengen/run"
)

// logReport returns the games of a report against UCT for the game log. name is the
// player's name in it.
func logReport(r *arena.Report, name string) []run.EvaluationGame {
	names := []string{name, run.UCTName}
	alone := make([]int, len(r.Seats))
	for seat := range alone {
		alone[seat] = 1
	}
	var list []run.EvaluationGame
	for _, g := range r.Results {
		seating := slices.Clone(alone)
		seating[g.Seating] = 0
		list = append(list, logGame(g, seating, names, len(list)))
	}
	for _, g := range r.BaseResults {
		list = append(list, logGame(g, alone, names, len(list)))
	}
	return list
}

func logGame(r arena.Result, seating []int, names []string, number int) run.EvaluationGame {
	g := run.EvaluationGame{Number: number, Scores: r.Scores}
	for _, p := range seating {
		g.Players = append(g.Players, names[p])
	}
	return g
}

// log returns the games of the match of two players for the game log. They are numbered from first,
// and the rounds from round+1. A round that repeats an earlier one has the number of that one.
func (r *pairedResult) log(names []string, first, round int) []run.EvaluationGame {
	var list []run.EvaluationGame
	for i, games := range r.rounds {
		for s, g := range games {
			x := logGame(g, r.seatings[s], names, first+len(list))
			x.Round = round + r.first[i] + 1
			list = append(list, x)
		}
	}
	return list
}
