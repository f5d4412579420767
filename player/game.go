package player

import (
	"context"
	"math/rand/v2"
	"slices"

	"tengen/game"
	"tengen/internal/random"
	"tengen/search"
)

// By says how a move was decided.
type By uint8

const (
	ByChance  By = iota // an outcome of chance
	ByForce             // the only legal action
	ByOpening           // drawn as a part of the opening
	ByAgent             // an agent's decision
	ByCaller            // by Game.Play: of a person, of another program, or recorded
)

// Move is one action of a game, or one outcome of chance.
type Move struct {
	Player game.Player // who moves, or game.Chance
	Action game.Action
	By     By
	Agent  Agent // who decided; nil unless By is ByAgent
}

// Seat is one player of a game and the agent that decides for it.
type Seat struct {
	// Agent decides. If it is nil, decisions come by Game.Play. One agent may hold several
	// seats; it is begun once, and told of each action once.
	Agent Agent
	// Rand is passed to the agent's Begin. An agent with several seats gets that of the first.
	Rand *rand.Rand
	// Evaluator is the index of the agent's evaluator among those of the driver. If there is
	// none of this index, the agent's requests are nil.
	Evaluator int
}

// Opening is the random start of a game: decisions drawn uniformly from the legal actions.
type Opening struct {
	Rand      *rand.Rand
	Decisions int  // to draw; forced moves and outcomes of chance do not count
	Chance    bool // outcomes of chance before the last of them are drawn from Rand too
}

// Setup describes a game to start.
type Setup struct {
	// Seed, Purpose and Number identify the game's streams of Observer, which draws what
	// is hidden.
	Seed, Purpose, Number uint64

	Seats   []Seat     // by player
	Chance  *rand.Rand // draws outcomes of chance; may be nil in games without
	Opening Opening
	State   game.State // the position to start from, which is copied; nil: the initial one
	// Whole has agents decide where a single action is legal, too: then they have an analysis to
	// tell.
	Whole bool
}

// Game plays one game after another. It is used by one goroutine at a time.
type Game struct {
	// OnMove, if not nil, is called with every move before agents are told of it and
	// before it is applied to State. Agents still hold the analysis that led to it.
	OnMove func(Move)
	// Stop, if not nil, is asked before each move that Advance makes. Once it returns true Advance
	// makes no more.
	Stop func() bool

	game      game.Game
	position  *game.Replayer
	observers []*Observer // by player
	setup     Setup
	audience  []listener
	drawn     int  // decisions of the opening so far
	thinking  bool // the agent to move waits for evaluations
	requests  []search.Requests
}

// listener is an agent of the game.
type listener struct {
	agent Agent
	all   bool // it sees everything: nothing is hidden, or SeesAll
}

// NewGame makes a Game for games of g. Start must be called before all other methods.
func NewGame(g game.Game) *Game {
	x := &Game{game: g, position: game.NewReplayer(g)}
	for range g.Players() {
		x.observers = append(x.observers, NewObserver(g))
	}
	return x
}

// Start starts a game and begins its agents. It drops a game in progress.
func (x *Game) Start(s Setup) {
	x.setup, x.drawn, x.thinking = s, 0, false
	x.position.Reset()
	if s.State != nil {
		x.position.Start(s.State)
	}
	x.audience = x.audience[:0]
	for i, seat := range s.Seats {
		x.observers[i].Begin(s.Seed, s.Purpose, s.Number, game.Player(i))
		if seat.Agent == nil ||
			slices.ContainsFunc(x.audience, func(l listener) bool {
				return l.agent == seat.Agent
			}) {
			continue
		}
		x.audience = append(x.audience,
			listener{seat.Agent, !x.observers[i].Hides() || SeesAll(seat.Agent)})
		seat.Agent.Begin(seat.Rand)
	}
}

// State is the true state. It belongs to the Game and must not be changed; see Edit.
func (x *Game) State() game.State { return x.position.State() }

// LegalActions returns the legal actions in ascending order, none if chance is to move or the
// game is over. The slice is valid until the position changes.
func (x *Game) LegalActions() []game.Action { return x.position.LegalActions() }

// Ply is the number of moves made since Start.
func (x *Game) Ply() int { return x.position.Ply() }

// Over reports whether the game is over.
func (x *Game) Over() bool { return x.State().CurrentPlayer() == game.Nobody }

// Waiting reports whether the game waits for Play: a player without an agent has to decide. A
// forced move that is outside the policy (a pass if no other move is legal) is made without
// waiting.
func (x *Game) Waiting() bool {
	mover := x.State().CurrentPlayer()
	return mover >= 0 && x.setup.Seats[mover].Agent == nil && !x.forced(mover) &&
		x.drawn >= x.setup.Opening.Decisions
}

// forced reports whether the player to move has one action, which is made without a decision.
func (x *Game) forced(mover game.Player) bool {
	legal := x.position.LegalActions()
	if x.setup.Seats[mover].Agent != nil {
		return len(legal) == 1 && !x.setup.Whole
	}
	return len(legal) == 1 && int(legal[0]) >= x.game.Actions()
}

// Advance implements search.Task: it plays until an agent needs evaluations, and returns the
// index of its evaluator. It returns search.Done if the game is Over or Waiting, or if Stop says
// so.
func (x *Game) Advance(requests []search.Requests) int {
	for {
		if x.Stop != nil && x.Stop() {
			return search.Done
		}
		if evaluator, moved := x.step(requests); !moved {
			return evaluator
		}
	}
}

// Deliver implements search.Task.
func (x *Game) Deliver(evaluations search.Evaluations) {
	x.setup.Seats[x.State().CurrentPlayer()].Agent.Deliver(evaluations)
}

// Next makes one move, if the game is neither Over nor Waiting. It returns the error of an
// evaluator that fails, and the context's error if ctx ends between two evaluations, or while an
// Interruptible agent thinks; after an error the game must be started again.
func (x *Game) Next(ctx context.Context, evaluators []search.Evaluator) (moved bool, err error) {
	x.requests = x.requests[:0]
	for _, e := range evaluators {
		x.requests = append(x.requests, e)
	}
	if mover := x.State().CurrentPlayer(); mover >= 0 {
		if agent, ok := x.setup.Seats[mover].Agent.(Interruptible); ok {
			agent.StopIf(func() bool { return ctx.Err() != nil })
			defer agent.StopIf(nil)
		}
	}
	for {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		evaluator, moved := x.step(x.requests)
		if moved || evaluator == search.Done {
			return moved, nil
		}
		if err := ctx.Err(); err != nil {
			return false, err
		}
		evaluations, err := evaluators[evaluator].Evaluate()
		if err != nil {
			return false, err
		}
		x.Deliver(evaluations)
	}
}

// step makes one move, or returns the index of the evaluator that is needed for it, or
// search.Done if there is no move to make.
func (x *Game) step(requests []search.Requests) (evaluator int, moved bool) {
	s := x.State()
	mover := s.CurrentPlayer()
	opening := &x.setup.Opening
	switch {
	case mover == game.Nobody:
		return search.Done, false
	case mover == game.Chance:
		rng := x.setup.Chance
		if opening.Chance && x.drawn < opening.Decisions {
			rng = opening.Rand
		}
		x.make(Move{Player: mover, Action: s.(game.Chancer).Sample(rng)})
		return 0, true
	}
	seat := &x.setup.Seats[mover]
	if !x.thinking {
		switch legal := x.position.LegalActions(); {
		case x.forced(mover):
			x.make(Move{Player: mover, Action: legal[0], By: ByForce})
			return 0, true
		case x.drawn < opening.Decisions:
			x.drawn++
			x.make(Move{Player: mover, Action: legal[opening.Rand.IntN(len(legal))], By: ByOpening})
			return 0, true
		case seat.Agent == nil:
			return search.Done, false
		}
	}
	var own search.Requests
	if seat.Evaluator < len(requests) {
		own = requests[seat.Evaluator]
	}
	a, decided := seat.Agent.Think(x.seen(mover), own)
	if x.thinking = !decided; x.thinking {
		return seat.Evaluator, false
	}
	x.make(Move{Player: mover, Action: a, By: ByAgent, Agent: seat.Agent})
	return 0, true
}

// CanPonder reports whether the agent of a player can search while another player decides: it can
// ponder, and nothing is hidden from it.
func (x *Game) CanPonder(p game.Player) bool {
	agent := x.setup.Seats[p].Agent
	return agent != nil && CanPonder(agent) && x.seesAll(agent)
}

// Ponder lets the agent of a player search the position in which another player is to decide, by up
// to n simulations. It is for players that CanPonder, while the game is Waiting. e is the evaluator
// of the agent, whose error it returns. It returns false if the agent can do no more.
func (x *Game) Ponder(p game.Player, e search.Evaluator, n int) (more bool, err error) {
	return x.setup.Seats[p].Agent.(Ponderer).Ponder(x.State(), e, n)
}

// seesAll reports whether nothing is hidden from an agent of the game.
func (x *Game) seesAll(agent Agent) bool {
	for _, l := range x.audience {
		if l.agent == agent {
			return l.all
		}
	}
	return false
}

// seen returns what the agent of a player may see of the state.
func (x *Game) seen(p game.Player) game.State {
	if x.seesAll(x.setup.Seats[p].Agent) {
		return x.State()
	}
	return x.observers[p].Observe(x.State(), x.Ply())
}

// make reports a move to OnMove and the agents, and applies it.
func (x *Game) make(m Move) {
	if x.OnMove != nil {
		x.OnMove(m)
	}
	x.Tell(m.Action)
	x.position.Apply(m.Action)
}

// Play makes a move that was decided elsewhere: a person's, another program's, or a
// recorded one, outcomes of chance included. It returns an error if the action is not
// possible. It must not be called while an agent waits for evaluations.
func (x *Game) Play(a game.Action) error {
	if err := x.position.Check(a); err != nil {
		return err
	}
	x.make(Move{Player: x.State().CurrentPlayer(), Action: a, By: ByCaller})
	return nil
}

// Edit changes the position without an action, for instance by giving the turn to another
// player. Agents are not told; see Tell.
func (x *Game) Edit(change func(game.State) error) error { return x.position.Edit(change) }

// Tell tells all agents that a was played, without playing it. Agents that don't see everything
// are told game.NoAction.
func (x *Game) Tell(a game.Action) {
	for _, l := range x.audience {
		if l.all {
			l.agent.Played(a)
		} else {
			l.agent.Played(game.NoAction)
		}
	}
}

// Observer shows a game as one player sees it. Where information is hidden it turns the
// true state into a determinized copy: what the player sees is as it is, and the rest is
// drawn anew at each ply (game.ImperfectInformation). What is drawn comes from streams of
// the observer's own, one a ply, so two histories that the player can't tell apart give
// equal copies. In a game without hidden information it shows the state itself and draws
// nothing. It is used by one goroutine.
type Observer struct {
	player game.Player
	// purpose is random.Arena or random.SelfPlay, of which number is a game.
	seed, purpose, number uint64

	view   game.State                // nil where nothing is hidden
	hidden game.ImperfectInformation // the same
	drawn  int                       // the ply that view is of, -1 for none
	pcg    *rand.PCG
	rng    *rand.Rand
}

// NewObserver makes an observer for games of g.
func NewObserver(g game.Game) *Observer {
	v := &Observer{}
	state := g.NewState()
	if hidden, ok := state.(game.ImperfectInformation); ok {
		v.view, v.hidden = state, hidden
		v.pcg = rand.NewPCG(0, 0)
		v.rng = rand.New(v.pcg)
	}
	return v
}

// Hides says whether information is hidden in the game.
func (v *Observer) Hides() bool { return v.view != nil }

// Begin starts game number, as p sees it, of the match (purpose random.Arena) or the
// self-play (random.SelfPlay) with this seed.
func (v *Observer) Begin(seed, purpose, number uint64, p game.Player) {
	v.seed, v.purpose, v.number, v.player, v.drawn = seed, purpose, number, p, -1
}

// Observe returns what the player may see of s, the true state after ply actions. It is
// valid until Observe is called for another ply, and must not be changed.
func (v *Observer) Observe(s game.State, ply int) game.State {
	if v.view == nil {
		return s
	}
	if v.drawn != ply {
		v.drawn = ply
		v.view.CopyFrom(s)
		random.Reseed(v.pcg, v.seed, random.Views, v.purpose, v.number, uint64(v.player),
			uint64(ply))
		v.hidden.Determinize(v.rng, v.player)
	}
	return v.view
}
