package minimax

import (
	"math/rand/v2"
	"slices"
	"time"

	"tengen/game"
	"tengen/search"
)

// Searcher searches positions of one game with the same options.
type Searcher struct {
	g       game.Game
	o       Options
	h       game.Heuristic
	short   Shortcuts
	players int
	turned  bool // the game counts its turns itself
	undo    bool // actions are undone on one state, which is not copied
	replies bool // Opponents is BestReply
	hidden  bool
	dealer  search.Dealer // draws determinizations; nil: the game does
	rng     *rand.Rand

	frames  []*frame
	history [game.MaxPlayers][]int32 // [player][action] how often it caused a cutoff
	table   *table
	vectors *vectors
	chance  *rand.Rand // draws Samples, reseeded at every chance state
	pcg     *rand.PCG
	after   game.State     // scratch: the position after a player is passed over
	ahead   []game.Outcome // scratch of the same

	// Of the last Search.
	last  Result
	mover game.Player

	// Of the search in progress.
	me               game.Player
	root             context
	determinizations []determinization
	average          average
	moves            []rootMove
	values           []float64 // of all players, for MaxN, summed over the determinizations
	noted            []float64 // the same at the last depth completed
	vector           []float64
	line             []game.Action
	begun            time.Time
	iterations       []Iteration

	// Of the iteration, or the determinization, in progress.
	limit  int // Turn at which a position of a game.Turned is a leaf
	salt   uint64
	seed   uint64 // of Samples
	cut    bool   // a line was cut short by the depth
	slack  float64
	nodes  int64
	leaves int64
	// checkAt is the number of nodes at which the limits are checked next.
	checkAt int64
	limited bool // Options.Time and Nodes hold
	stopped bool

	stop func() bool // see StopIf; nil: none
}

// determinization is one sample of the information hidden from the player at the root.
type determinization struct {
	state game.State
	seed  uint64
}

// rootMove is an action at the root.
type rootMove struct {
	action game.Action
	place  int     // in ascending order
	exact  bool    // in all determinizations
	sum    float64 // of the determinizations
	last   float64 // mean value at the depth before
	nodes  int64
}

// New makes a searcher for positions of g. Until SetRand its random source, which
// some options use, has a constant seed.
func New(g game.Game, o Options) (*Searcher, error) {
	if o.Heuristic.Value == nil && o.Heuristic.Gain == nil {
		o.Heuristic = game.Heuristics(g)[0]
	}
	if err := o.Validate(g); err != nil {
		return nil, err
	}
	if o.Clock == nil {
		o.Clock = time.Now
	}
	if !o.Prune {
		o.Star = 0
	}
	s := &Searcher{
		g: g, o: o, h: o.Heuristic, short: ShortcutsOf(g, o.Heuristic), players: g.Players(),
		replies: o.Opponents == BestReply,
	}
	state := g.NewState()
	_, s.turned = state.(game.Turned)
	_, s.undo = state.(game.Undoer)
	_, s.hidden = state.(game.ImperfectInformation)
	if o.Longhand {
		s.undo, s.short = false, Shortcuts{}
	}
	if s.replies {
		// The player to move and the turns are then not those of the game.
		s.turned, s.undo = false, false
	}
	if !s.turned {
		s.short = Shortcuts{}
	}
	if s.h.Gain != nil || o.Opponents == MaxN {
		s.short.LastTurn = nil
	}
	s.slack = slackShare * (1 + max(-s.h.Low, s.h.High, -s.h.TurnLow, s.h.TurnHigh))
	s.after = g.NewState()
	s.values, s.vector = make([]float64, s.players), make([]float64, s.players)
	s.pcg = rand.NewPCG(0, 0)
	s.chance = rand.New(s.pcg)
	s.rng = rand.New(rand.NewPCG(1, 2))
	if o.Opponents == MaxN {
		s.vectors = newVectors(o.Table, s.players)
	} else {
		s.table = newTable(o.Table)
	}
	for p := range s.players {
		s.history[p] = make([]int32, g.Actions())
	}
	s.frame(0)
	return s, nil
}

// slackShare is the fraction of the greatest value by which windows are widened: far more than
// rounding errors, far less than differences of values.
const slackShare = 1e-9

// SetRand makes later searches draw determinizations, samples and ties from rng.
func (w *Searcher) SetRand(rng *rand.Rand) { w.rng = rng }

// SetDealer makes later searches draw determinizations from d; nil: from the game, uniformly.
func (w *Searcher) SetDealer(d search.Dealer) { w.dealer = d }

// Reset clears the memory of earlier searches. It affects only the counts of searches, and so
// the depths of those limited by Nodes or Time.
func (w *Searcher) Reset() {
	if w.table != nil {
		w.table.clear()
	}
	if w.vectors != nil {
		w.vectors.clear()
	}
	for p := range w.players {
		clear(w.history[p])
	}
	for _, f := range w.frames {
		f.killers = [2]game.Action{game.NoAction, game.NoAction}
	}
}

// StopIf makes later searches ask stop every 1,024 nodes. It must go on returning true once it has.
func (w *Searcher) StopIf(stop func() bool) { w.stop = stop }

// Search looks for the best action in s, in which a player is to move. It does
// not change s. The slices of the result are not changed later. If StopIf's function returns true,
// the result has the action NoAction alone.
func (w *Searcher) Search(s game.State) Result {
	w.begin(s)
	depth, last := 1, w.o.Depth
	if last == 0 {
		last = MaxDepth
	}
	if !w.o.iterates() {
		depth = last
	}
	var r Result
	for ; depth <= last; depth++ {
		w.setLimits(len(w.iterations) > 0)
		complete, ok := w.iterate(depth)
		if !ok && w.stop != nil && w.stop() {
			return Result{Action: game.NoAction}
		}
		if !ok {
			break
		}
		w.note(&r, depth, complete)
		if complete || w.spent() {
			break
		}
	}
	w.decide(&r)
	r.Leaves, r.Nodes, r.Elapsed = w.leaves, w.nodes, w.o.Clock().Sub(w.begun)
	r.Iterations = slices.Clone(w.iterations)
	w.last, w.mover = r, w.me
	return r
}

// Evaluate searches s to Options.Depth at once, and returns its value to p. Chance or another
// player may be to move in s. The result has no Action, Moves or Iterations, and is not the one
// that [Searcher.Value] and the other methods of search.Result describe; limits of time and
// nodes are ignored. Evaluate panics unless Options.Opponents is Paranoid.
func (w *Searcher) Evaluate(s game.State, p game.Player) Result {
	if w.o.Opponents != Paranoid {
		panic("minimax: Evaluate is called with opponents " + w.o.Opponents.String() +
			"; paranoid is wanted")
	}
	w.prepare(s, p)
	w.setLimits(false)
	depth := w.o.Depth
	if depth == 0 {
		depth = MaxDepth
	}
	r := Result{Action: game.NoAction, Depth: depth}
	n := max(1, w.o.Determinizations)
	w.cut = false
	for i := range n {
		w.enterDeterminization(i, depth)
		f := w.frames[0]
		c := w.root
		c.owner = f.state.CurrentPlayer()
		if c.owner < 0 && !w.turned {
			// no turn is in progress until a player is to move
			c.owner, c.left = game.Nobody, c.left+1
		}
		r.Value += w.alphaBeta(0, c, -inf, inf)
	}
	r.Value /= float64(n)
	if n == 1 {
		r.PrincipalVariation = slices.Clone(w.frames[0].line)
	}
	r.Complete, r.Leaves, r.Nodes, r.Elapsed = !w.cut, w.leaves, w.nodes, w.o.Clock().Sub(w.begun)
	return r
}

// begin prepares a search of s for the player to move.
func (w *Searcher) begin(s game.State) {
	w.prepare(s, s.CurrentPlayer())
	f := w.frames[0]
	f.actions = s.LegalActions(f.actions[:0])
	w.moves = w.moves[:0]
	for i, a := range f.actions {
		w.moves = append(w.moves, rootMove{action: a, place: i})
	}
}

// prepare draws the determinizations of s for player p.
func (w *Searcher) prepare(s game.State, p game.Player) {
	w.begun = w.o.Clock()
	w.me = p
	w.nodes, w.leaves, w.iterations = 0, 0, w.iterations[:0]
	w.root = context{owner: w.me, replier: game.Nobody, skipped: game.Nobody}
	if w.table != nil {
		w.table.next()
	}
	for p := range w.players {
		for i := range w.history[p] {
			w.history[p][i] >>= 3 // cutoffs of earlier searches count less
		}
	}
	n := max(1, w.o.Determinizations)
	for len(w.determinizations) < n {
		w.determinizations = append(w.determinizations, determinization{state: w.g.NewState()})
	}
	for i := range n {
		x := &w.determinizations[i]
		x.state.CopyFrom(s)
		if w.o.Determinizations > 0 && w.hidden {
			if w.dealer != nil {
				w.dealer.Deal(x.state, w.me, w.rng)
			} else {
				x.state.(game.ImperfectInformation).Determinize(w.rng, w.me)
			}
		}
		if w.o.Samples > 0 {
			x.seed = w.rng.Uint64()
		}
	}
}

// setLimits turns the limits of time and nodes on, or off for the first depth,
// which is always completed.
func (w *Searcher) setLimits(armed bool) {
	w.stopped = false
	w.checkAt = 1<<63 - 1
	w.limited = armed && (w.o.Nodes > 0 || w.o.Time > 0)
	if w.limited || w.stop != nil {
		w.checkAt = w.nodes
		w.check()
	}
}

// checkEvery is the number of nodes between two checks of the limits.
const checkEvery = 1024

// check stops the search if a limit is reached, or somebody wants it to stop.
func (w *Searcher) check() {
	w.stopped = w.stopped || w.limited && w.spent() || w.stop != nil && w.stop()
	w.checkAt = w.nodes + checkEvery
	if w.limited && w.o.Nodes > 0 {
		w.checkAt = min(w.checkAt, w.o.Nodes)
	}
}

func (w *Searcher) spent() bool {
	return w.o.Nodes > 0 && w.nodes >= w.o.Nodes ||
		w.o.Time > 0 && w.o.Clock().Sub(w.begun) >= w.o.Time
}

// note adds an iteration that is complete to the result.
func (w *Searcher) note(r *Result, depth int, complete bool) {
	n := float64(max(1, w.o.Determinizations))
	slices.SortFunc(w.moves, func(a, b rootMove) int { return a.place - b.place })
	best := 0
	for i := range w.moves {
		if m := &w.moves[i]; i == 0 || m.sum > w.moves[best].sum && m.exact {
			best = i
		}
	}
	r.Action, r.Value, r.Depth, r.Complete = w.moves[best].action, w.moves[best].sum/n,
		depth, complete
	r.Moves = r.Moves[:0]
	for i := range w.moves {
		m := &w.moves[i]
		m.last = m.sum / n
		move := Move{Action: m.action, Value: m.last, Nodes: m.nodes}
		if !m.exact {
			move.Bound = Upper
		}
		r.Moves = append(r.Moves, move)
	}
	w.noted = append(w.noted[:0], w.sums()...)
	r.PrincipalVariation = append(r.PrincipalVariation[:0], r.Action)
	if n == 1 && len(w.line) > 0 {
		r.PrincipalVariation = append(r.PrincipalVariation[:0], w.line...)
	}
	w.iterations = append(w.iterations, Iteration{
		Depth: depth, Action: r.Action, Value: r.Value,
		Leaves: w.leaves, Nodes: w.nodes, Elapsed: w.o.Clock().Sub(w.begun),
	})
	// The next depth tries the choice first, then the others in order of value.
	slices.SortStableFunc(w.moves, func(a, b rootMove) int {
		switch {
		case a.action == r.Action:
			return -1
		case b.action == r.Action:
			return 1
		case a.last > b.last:
			return -1
		case a.last < b.last:
			return 1
		}
		return a.place - b.place
	})
}

// decide makes the result's choice final: the first of the best actions at the
// last depth, or with RandomTies one drawn from them. There is one draw a search,
// whatever the number of depths, so that minimax and alpha-beta draw the same.
func (w *Searcher) decide(r *Result) {
	best, ties := 0, 0
	least := 0 // rank
	for i, m := range r.Moves {
		if m.Action == r.Action {
			best = i
		}
		if m.Bound != Exact || m.Value != r.Value {
			continue
		}
		if ties++; w.o.Ties != nil {
			if rank := w.o.Ties(m.Action); ties == 1 || rank < least {
				least = rank
			}
		}
	}
	equal := func(m *Move) bool {
		return m.Bound == Exact && m.Value == r.Value &&
			(w.o.Ties == nil || w.o.Ties(m.Action) == least)
	}
	if w.o.Ties != nil {
		ties = 0
		for i := len(r.Moves) - 1; i >= 0; i-- {
			if equal(&r.Moves[i]) {
				best = i
				ties++
			}
		}
	}
	if w.o.RandomTies && ties > 1 {
		skip := w.rng.IntN(ties)
		for i := range r.Moves {
			if equal(&r.Moves[i]) {
				if skip == 0 {
					best = i
					break
				}
				skip--
			}
		}
	}
	r.Action = r.Moves[best].Action
	if r.PrincipalVariation[0] != r.Action {
		r.PrincipalVariation = append(r.PrincipalVariation[:0], r.Action)
	}
	if w.o.Opponents == MaxN {
		n := float64(max(1, w.o.Determinizations))
		r.Values = r.Values[:0]
		for _, sum := range w.noted[best*w.players:][:w.players] {
			r.Values = append(r.Values, sum/n)
		}
	}
}
