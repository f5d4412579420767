package minimax

import (
	"tengen/game"
	"tengen/internal/random"
)

// frame holds one position of the line being searched and the scratch memory of
// its node. With undo, all frames share one state.
type frame struct {
	state    game.State
	turned   game.Turned // the state, where it counts turns
	actions  []game.Action
	scores   []int32       // of actions, for their order
	passed   []game.Action // scratch, of BestReply
	outcomes []game.Outcome
	low      []float64     // [outcomes] bounds of the values of the positions after them
	high     []float64     // [outcomes]
	vector   []float64     // [players] of MaxN
	best     []float64     // [players] of MaxN
	line     []game.Action // the principal variation from here
	killers  [2]game.Action
}

// context is what a node depends on besides its state.
type context struct {
	left int // turns left to search; 0 makes a leaf
	// whose turn is in progress, Nobody where it is not known; not used where the game counts turns
	owner   game.Player
	replier game.Player // in BestReply: who has the reply of this phase; Nobody yet
	skipped game.Player // in BestReply: whose turn is being passed over
}

// frame returns frame number ply. It makes the frame the first time.
func (w *Searcher) frame(ply int) *frame {
	if ply < len(w.frames) {
		return w.frames[ply]
	}
	f := &frame{
		killers: [2]game.Action{game.NoAction, game.NoAction},
		vector:  make([]float64, w.players), best: make([]float64, w.players),
		line: make([]game.Action, 0, 16),
	}
	if w.undo && ply > 0 {
		f.state = w.frames[0].state
	} else {
		f.state = w.g.NewState()
	}
	f.turned, _ = f.state.(game.Turned)
	w.frames = append(w.frames, f)
	return f
}

// enter puts the position after action a of player m, or outcome a, into the next
// frame, and returns its context.
func (w *Searcher) enter(ply int, a game.Action, m game.Player, c context) context {
	f, child := w.frames[ply], w.frame(ply+1)
	w.nodes++
	if w.replies {
		return w.enterReply(f, child, a, m, c)
	}
	if !w.undo {
		child.state.CopyFrom(f.state)
	}
	child.state.Apply(a)
	if w.players == 1 && m >= 0 {
		c.owner = game.Nobody // the next action begins a turn
	}
	return c
}

// leave undoes enter.
func (w *Searcher) leave(ply int) {
	if w.undo {
		w.frames[ply].state.(game.Undoer).Undo()
	}
}

// arrive returns the context of a position in which m is to move, with the turns
// counted.
func (w *Searcher) arrive(f *frame, m game.Player, c context) context {
	switch {
	case w.turned:
		c.left = w.limit - f.turned.Turn()
	case m >= 0 && m != c.owner:
		if w.replies {
			return w.arriveReply(m, c)
		}
		c.left--
		c.owner = m
	}
	return c
}

// expand returns the actions of player m to search.
func (w *Searcher) expand(f *frame, m game.Player, c context) []game.Action {
	f.actions = f.actions[:0]
	if w.replies && m != w.me {
		f.actions = w.expandReply(f, m, c)
	} else {
		f.actions = f.state.LegalActions(f.actions)
	}
	return f.actions
}

// gain returns what the player at the root gains by action a of player m.
func (w *Searcher) gain(f *frame, a game.Action, m game.Player) float64 {
	if w.h.Gain == nil || m < 0 {
		return 0
	}
	if a < game.NoAction {
		return w.gainReply(f, m)
	}
	return w.h.Gain(f.state, a, w.me)
}

// gainOf returns what player p gains by action a.
func (w *Searcher) gainOf(f *frame, a game.Action, p game.Player) float64 {
	if w.h.Gain == nil {
		return 0
	}
	return w.h.Gain(f.state, a, p)
}

// outcomes returns the outcomes at a chance node, or a sample of them.
func (w *Searcher) outcomes(f *frame) []game.Outcome {
	chancer := f.state.(game.Chancer)
	f.outcomes = f.outcomes[:0]
	if w.o.Samples == 0 {
		f.outcomes = chancer.Outcomes(f.outcomes)
		return f.outcomes
	}
	random.Reseed(w.pcg, w.seed, f.state.Hash())
	share := 1 / float64(w.o.Samples)
	for range w.o.Samples {
		f.outcomes = append(f.outcomes, game.Outcome{
			Action: chancer.Sample(w.chance), Probability: share,
		})
	}
	return f.outcomes
}

// key returns the position's key in the transposition table.
func (w *Searcher) key(f *frame, c context) uint64 {
	k := f.state.Hash() ^ w.salt
	if !w.turned {
		k ^= random.Mix(uint64(c.owner+2)<<16 | uint64(c.replier+2)<<8 | uint64(c.skipped+2))
	}
	return k
}

// value returns the heuristic value of a leaf.
func (w *Searcher) value(f *frame) float64 {
	w.leaves++
	return w.h.Value(f.state, w.me)
}

// flat asks the game for the value of frame ply, with m to move, where the last turn to search
// ends with any action and only gains count. A full-width search counts the positions that it
// would visit; one that prunes counts none of them, as where a bound decides, and the frame's own
// as a leaf.
func (w *Searcher) flat(ply int, f *frame, m game.Player) (v float64, best game.Action, ok bool) {
	v, best, leaves, ok := w.short.Flat(f.state, w.me)
	if !ok {
		return 0, game.NoAction, false
	}
	w.cut = true
	if w.o.Prune {
		w.leaves++
	} else {
		w.leaves += leaves
		w.nodes += leaves
	}
	if m == game.Chance {
		if !w.o.Prune {
			w.nodes++
		}
		return v, game.NoAction, true
	}
	child := w.frame(ply + 1)
	child.line = child.line[:0]
	w.extend(f, ply, best)
	return v, best, true
}

// lastTurn asks the game for the value of a position whose turn is the last one searched.
func (w *Searcher) lastTurn(f *frame, alpha, beta float64) (v float64, ok bool) {
	v, leaves, ok := w.short.LastTurn(f.state, w.me, alpha, beta)
	if ok {
		w.leaves += leaves
		w.nodes += leaves
		w.cut = true
	}
	return v, ok
}

// This file declares abilities of games whose states are game.Turned: information about the
// positions below a state without a search. Each method returns the function for the heuristic of
// that name, or nil if there is none. The functions modify nothing, do not allocate, and are safe
// for concurrent use.

// Ranged is a Game that bounds the value of a state s to p after a number of turns, the current
// one included, whatever players and chance do: the sum of the gains until then plus the Value of
// the position in which Turned.Turn has increased by turns, or the game is over. The bounds help
// if they cost much less than searching a turn, above all with chance: pruning at chance nodes
// needs such bounds.
type Ranged interface {
	Range(heuristic string) func(s game.State, p game.Player, turns int) (low, high float64)
}

// Flat is a Game that values a state s for p, if the current turn is the last one searched and
// only gains count: every action completes the turn and leads to a position that is not over and
// has the Value 0 for all players. value is p's greatest gain if p itself is to move, else its
// least; best is the first of LegalActions that has it, and leaves the number of actions. Chance
// may be to move in s, if each of its outcomes leads to a state with the same result. ok is false
// if s is no such state; it may always be.
type Flat interface {
	Flat(heuristic string) func(s game.State, p game.Player) (value float64, best game.Action,
		leaves int64, ok bool)
}

// LastTurned is a Game that values a state s for p if the current turn is the last one searched.
// The current player, not chance, plays the rest of its turn to a position in which Turned.Turn
// has increased, or the game is over; it maximises the Value of that position for p if it is p
// itself, and minimises it otherwise; outcomes of chance within the turn are averaged. The value
// must equal, to the bit, the one found by following LegalActions, Outcomes and Apply to every
// such position. If that value is at most alpha (at least beta), the function may return any
// upper (lower) bound of it that is itself at most alpha (at least beta); alpha is less than
// beta, and infinite ones request the exact value. leaves is the number of positions valued. ok
// is false if the state must be searched. The function is not used with a heuristic that has a
// Gain.
type LastTurned interface {
	LastTurn(heuristic string) func(s game.State, p game.Player,
		alpha, beta float64) (value float64, leaves int64, ok bool)
}

// Shortcuts are a game's functions for one heuristic; nil for abilities that it lacks.
type Shortcuts struct {
	Range func(s game.State, p game.Player, turns int) (low, high float64)
	Flat  func(s game.State, p game.Player) (value float64, best game.Action,
		leaves int64, ok bool)
	LastTurn func(s game.State, p game.Player, alpha, beta float64) (value float64,
		leaves int64, ok bool)
}

// ShortcutsOf returns the shortcuts of a game for a heuristic.
func ShortcutsOf(g game.Game, h game.Heuristic) (s Shortcuts) {
	if x, ok := g.(Ranged); ok {
		s.Range = x.Range(h.Name)
	}
	if x, ok := g.(Flat); ok {
		s.Flat = x.Flat(h.Name)
	}
	if x, ok := g.(LastTurned); ok {
		s.LastTurn = x.LastTurn(h.Name)
	}
	return s
}
