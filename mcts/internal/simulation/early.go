package simulation

// early ends searches whose choice is made.
type early struct {
	on bool
	at int // simulations of this search at which Decided is asked next
}

const (
	// everySimulations is the number of simulations between two questions.
	everySimulations = 8
	// firstTimed is the number of simulations after which the rate of a search with a limit of time
	// is taken for known.
	firstTimed = 16
	// rateMargin multiplies the number of simulations that a search with a limit of time is
	// expected to make still: it may become faster.
	rateMargin = 2
)

// SetEarlyStop makes searches that begin later end once Steps.Decided says that the simulations
// left can't change the choice. With a limit of time their number is estimated, with a margin.
func (l *Loop) SetEarlyStop(on bool) { l.early.on = on }

// decided reports whether the simulations left can't change the choice. Those under way count as
// left.
func (l *Loop) decided() bool {
	n := l.Stats.Simulations
	if !l.early.on || l.extended > 0 || n < l.early.at {
		return false
	}
	l.early.at = n + everySimulations
	left := l.Left
	if l.Timed() {
		if n < firstTimed {
			return false
		}
		spent, remaining := l.Progress()
		if rate := float64(n) / max(spent.Seconds(), 1e-9); float64(left) >
			rateMargin*rate*remaining.Seconds() {
			left = int(rateMargin*rate*remaining.Seconds()) + l.asked + 1
		}
	}
	return l.steps.Decided(left)
}
