package planning

import (
	"fmt"
	"time"

	"tengen/clock"
	"tengen/game"
	"tengen/search"
)

// Wait is the kind of state whose evaluation a search waits for.
type Wait uint8

const (
	Nothing   Wait = iota
	Leaf           // a state whose node is in the tree already, or had no room
	Expansion      // the node just added
	AtRoot         // the root, before the first simulation
	Collision      // none: a node whose evaluation another simulation waits for
)

// Steps are the functions of a tree that a Loop calls. They read and write the Loop's states
// and Values. A slot is the number of a simulation among those under way.
type Steps struct {
	// Slots makes room for a number of simulations under way at once.
	Slots func(n int)
	// Begin adds the root if it is missing, and reports whether it must be evaluated before the
	// first simulation.
	Begin func() (evaluate bool)
	// Ready is called before the first simulation, after any evaluation of the root.
	Ready func()
	// Select walks from the root to a new node or to the end of the game. It
	// leaves the state to evaluate in Work, or returns Nothing and leaves the
	// result in Values, or returns Collision. In the first and the last case the
	// simulation is under way until Backup or Drop.
	Select func(slot int) Wait
	// Expand gives the node that a slot's simulation has added, or the root, its evaluation: a
	// row of evaluations.
	Expand func(slot int, w Wait, evaluations search.Evaluations, row int)
	// Backup adds Values to the nodes of the path of a slot, and returns its length in
	// actions. The simulation is no longer under way.
	Backup func(slot int) (depth int)
	// Drop ends a simulation that collided.
	Drop func(slot int)
	// Onward, if not nil, reports whether the simulation of a slot goes on now that its evaluation
	// has come, after Expand. If it does, Resume follows before any Select, and it has no Backup
	// before.
	Onward func(slot int) bool
	// Resume goes on with the simulation of slot from in slot to, which is no greater, and returns
	// what Select would.
	Resume func(to, from int) Wait
	// Decided reports whether the choice is the same however left more simulations end.
	Decided func(left int) bool
}

// Loop makes the simulations of one search after another.
type Loop struct {
	Root   game.State // the position to search
	Work   game.State // the position reached by the current simulation
	Values []float64  // [players] its result
	Left   int        // simulations to make
	Stats  search.Stats
	clock.Timer

	steps       Steps
	early       early
	simulations int
	extended    int    // simulations of the last Extend since Reset
	begun       bool   // the first Advance since Reset has been
	ended       bool   // End has been called since
	batchSize   int    // simulations that may wait for an evaluation at once; Auto
	pace        pace   // for Auto
	waits       []Wait // of the simulations under way, by slot
	asked       int    // of these, those that wait for an evaluation
	onward      []int  // slots of simulations that go on, ascending
	depths      int    // sum of the depths of all simulations of this search
	scores      []float32
	playouts    playouts
}

// playouts are played from every state that is evaluated.
type playouts struct {
	from    *search.Playouts
	n       int // of each state; 0 for none
	weight  float64
	results search.Evaluations // n rows for each row of the evaluations at hand
}

// SetPlayouts mixes results of playouts into the utilities of every evaluation: n playouts from its
// state, whose mean has a weight in (0, 1]. The evaluation has the rest.
func (l *Loop) SetPlayouts(from *search.Playouts, n int, weight float64) {
	l.playouts = playouts{from: from, n: n, weight: weight}
}

// collect takes the results of the playouts since the last call.
func (p *playouts) collect() { p.results, _ = p.from.Evaluate() } // playouts never fail

// mix mixes the mean of the playouts of a row into its utilities.
func (p *playouts) mix(utilities []float64, row int) {
	for player, u := range utilities {
		sum := 0.0
		for i := row * p.n; i < (row+1)*p.n; i++ {
			sum += float64(p.results.Utilities(i)[player])
		}
		utilities[player] = float64((1-p.weight)*u) + float64(p.weight*sum/float64(p.n))
	}
}

// New makes a Loop for games of g with a budget of simulations a search, and batchSize evaluations
// under way at once, at least 1, or Auto.
func New(g game.Game, simulations, batchSize int, steps Steps) Loop {
	n := g.Players()
	l := Loop{
		Root: g.NewState(), Work: g.NewState(), Values: make([]float64, n),
		Timer: clock.Timer{Now: time.Now},
		steps: steps, simulations: simulations, batchSize: batchSize, scores: make([]float32, n),
	}
	slots := 2 * MaxBatchSize(batchSize) // each that waits, and as many that collide
	l.waits, l.onward = make([]Wait, 0, slots), make([]int, 0, slots)
	steps.Slots(slots)
	return l
}

// maxSimulations keeps the visit counts of all searches of a game within an int32.
const maxSimulations = 1 << 24

// CheckBudget returns an error if n is not a possible number of simulations.
func CheckBudget(n int) error {
	if n < 0 || n > maxSimulations {
		return fmt.Errorf("search: simulations is %d; a number from 0 to %d is wanted",
			n, maxSimulations)
	}
	return nil
}

// SetSimulations changes the budget of the searches that begin later. It panics if CheckBudget
// returns an error.
func (l *Loop) SetSimulations(n int) {
	if err := CheckBudget(n); err != nil {
		panic("mcts: " + err.Error())
	}
	l.simulations = n
}

// Simulations returns the budget of the searches that begin later.
func (l *Loop) Simulations() int { return l.simulations }

// Budget returns the number of simulations of this search, 0 if it may make more or fewer: it has
// a limit of time, or was extended.
func (l *Loop) Budget() int {
	if l.Timed() || l.extended > 0 {
		return 0
	}
	return l.simulations
}

// Reset ends the search. The next Advance begins another.
func (l *Loop) Reset() {
	l.begun, l.extended, l.waits, l.onward, l.asked, l.depths, l.Stats = false, 0, l.waits[:0],
		l.onward[:0], 0, 0, search.Stats{}
}

// Extend replaces what is left of the search's budget, of time too, by n simulations. It must
// not be called while evaluations are awaited.
func (l *Loop) Extend(n int) {
	l.extended = n
	if l.begun {
		l.Left = n
	}
}

// End ends the search: no more simulations begin.
func (l *Loop) End() { l.ended = true }

// Waiting reports whether Deliver must be called next.
func (l *Loop) Waiting() bool { return l.asked > 0 }

// Selects reports whether the next Advance is to begin with Select, unless the time is over or the
// choice is made.
func (l *Loop) Selects() bool {
	return l.begun && !l.ended && l.asked == 0 && len(l.onward) == 0 && l.Left > 0
}

// Summary returns Stats with the mean depth.
func (l *Loop) Summary() search.Stats {
	s := l.Stats
	if s.Simulations > 0 {
		s.MeanDepth = float64(l.depths) / float64(s.Simulations)
	}
	return s
}

// Advance implements search.Search.
func (l *Loop) Advance(requests search.Requests) (done bool) {
	if l.asked > 0 {
		panic("mcts: Advance is called before Deliver")
	}
	if !l.begun && l.begin() {
		l.ask(AtRoot, l.Root, requests)
		return false
	}
	for _, from := range l.onward {
		if w := l.steps.Resume(len(l.waits), from); w == Nothing {
			l.finish(len(l.waits))
		} else {
			l.ask(w, l.Work, requests)
		}
	}
	l.onward = l.onward[:0]
	if l.ended || l.decided() {
		l.Left = l.asked
	}
	size := l.width() // that may wait at once
	for collisions := 0; l.Left > l.asked && l.asked < size && collisions < size && !l.late(); {
		slot := len(l.waits)
		switch w := l.steps.Select(slot); w {
		case Nothing:
			if l.finish(slot); l.ended || l.decided() {
				l.Left = l.asked
			}
		case Collision:
			collisions++
			l.waits = append(l.waits, w)
		default:
			l.ask(w, l.Work, requests)
		}
	}
	return l.asked == 0
}

func (l *Loop) begin() (evaluate bool) {
	l.begun, l.ended, l.Left, l.pace.size, l.early.at = true, false, l.simulations, -1, 1
	if l.extended > 0 {
		l.Left = l.extended
	}
	l.Timer.Begin()
	if l.playouts.n > 0 {
		l.playouts.collect() // those of a search that was given up
	}
	if evaluate = l.steps.Begin(); !evaluate {
		l.steps.Ready()
	}
	return evaluate
}

func (l *Loop) ask(w Wait, s game.State, requests search.Requests) {
	requests.Add(s)
	for range l.playouts.n {
		l.playouts.from.Add(s)
	}
	l.waits = append(l.waits, w)
	l.asked++
	l.Stats.Evaluations++
}

// late reports whether the time of this search is over. The clock is read after each simulation,
// so a search makes at least one.
func (l *Loop) late() bool { return l.extended == 0 && l.Stats.Simulations > 0 && l.Late() }

// Deliver takes the evaluations of the states that Advance added, in their order. It panics if
// a utility is NaN.
func (l *Loop) Deliver(evaluations search.Evaluations) {
	if l.asked == 0 {
		panic("mcts: Deliver is called before Advance")
	}
	if l.playouts.n > 0 {
		l.playouts.collect()
	}
	row := 0
	for slot, w := range l.waits {
		if w == Collision {
			l.steps.Drop(slot)
			continue
		}
		for p, u := range evaluations.Utilities(row) {
			if u != u {
				panic("mcts: the evaluator gave a utility that is not a number")
			}
			l.Values[p] = float64(u)
		}
		if l.playouts.n > 0 {
			l.playouts.mix(l.Values, row)
		}
		if w != Leaf {
			l.steps.Expand(slot, w, evaluations, row)
		}
		row++
		switch {
		case w == AtRoot:
			l.steps.Backup(slot)
			l.steps.Ready()
		case l.steps.Onward != nil && l.steps.Onward(slot):
			l.onward = append(l.onward, slot)
		default:
			l.finish(slot)
		}
	}
	l.waits, l.asked = l.waits[:0], 0
}

// Ended writes the result of Work, a finished game, to Values.
func (l *Loop) Ended() {
	l.Work.Returns(l.scores)
	for p, u := range l.scores {
		l.Values[p] = float64(u)
	}
}

// finish backs up a simulation's result.
func (l *Loop) finish(slot int) {
	depth := l.steps.Backup(slot)
	l.Left--
	l.depths += depth
	l.Stats.Simulations++
	l.Stats.MaxDepth = max(l.Stats.MaxDepth, depth)
}

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

// Controls are the methods that a tree has by its Loop. Trees embed them.
type Controls struct{ loop *Loop }

// Controls returns those of l.
func (l *Loop) Controls() Controls { return Controls{l} }

// SetTime also limits the time of searches that begin later; 0 removes the limit. The clock is
// read after each simulation, so a search makes at least one.
func (c Controls) SetTime(d time.Duration) { c.loop.SetTime(d) }

// SetDeadline sets when searches that begin later end, besides SetTime; the zero value removes
// it. A search makes at least one simulation.
func (c Controls) SetDeadline(d clock.Deadline) { c.loop.SetDeadline(d) }

// SetEarlyStop makes searches that begin later end once the final selection is decided
// (mcts.FinalSelection.Decided). With a limit in simulations Best is the same as without it, though
// not the tree; with one in time the number of simulations left is estimated. It has no effect with
// Gumbel, nor with PUCT.Proofs.
func (c Controls) SetEarlyStop(on bool) { c.loop.SetEarlyStop(on) }

// SetPlayouts mixes results of playouts into the utilities of every evaluation: n playouts from its
// state, whose mean has the given weight in (0, 1]; the evaluation has the rest (Silver et al.
// 2016, "Mastering the game of Go with deep neural networks and tree search"). n 0 plays none. The
// playouts draw from their own source. In searches of information sets they know what the
// determinization at hand has drawn, which a network does not see.
func (c Controls) SetPlayouts(from *search.Playouts, n int, weight float64) {
	c.loop.SetPlayouts(from, n, weight)
}

// Advance makes simulations until as many as PUCT.BatchSize says, or one, wait for an evaluation,
// or the budget is spent. It adds the states to evaluate to requests.
func (c Controls) Advance(requests search.Requests) (done bool) { return c.loop.Advance(requests) }

// Deliver takes the evaluations of the states that Advance added, in their order. It panics if
// a utility or a logit is NaN.
func (c Controls) Deliver(evaluations search.Evaluations) { c.loop.Deliver(evaluations) }
