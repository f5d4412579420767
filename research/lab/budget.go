package lab

import (
	"tengen/run"
)

// budget is what limits an arm's runs: evaluations, time or iterations.
type budget struct {
	unit string
	all  int
	done func(run.Status) int
}

// Units of budgets.
const (
	unitEvaluations = "evaluations"
	unitSeconds     = "seconds"
	unitIterations  = "iterations"
)

func (a *Arm) budget() budget {
	switch t := a.Config.Training; {
	case t.Evaluations > 0:
		return budget{unitEvaluations, t.Evaluations, func(s run.Status) int {
			if s.Last == nil {
				return 0
			}
			return min(int(s.Last.Asked), t.Evaluations)
		}}
	case t.Minutes > 0:
		return budget{unitSeconds, int(60 * t.Minutes), func(s run.Status) int {
			if s.Last == nil {
				return 0
			}
			return min(int(s.Last.Elapsed), int(60*t.Minutes))
		}}
	default:
		return budget{unitIterations, t.Iterations, func(s run.Status) int { return s.Iteration }}
	}
}
