package web

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"math/big"
	rand2 "math/rand/v2"
	"slices"
	"sync"
	"time"

	"tengen/game"
	"tengen/internal/stream"
	"tengen/player"
	"tengen/search"
	"tengen/web/board"
)

// Bounds on games played on the page.
const (
	maxSessions = 8
	sessionIdle = 30 * time.Minute
	maxMoves    = 5000
)

// Who may sit on a seat of a game on the page.
const (
	byPerson  = "human"
	byNetwork = "network"
	byUCT     = "uct"
	byRandom  = "random"
)

// setup is what a person asks for.
type setup struct {
	Seats       []string `json:"seats"` // by seat, one of the four above
	Simulations int      `json:"simulations"`
	Iteration   *int     `json:"iteration"` // of the network; the newest one without
}

// sessions are the games that are played on the page. It is safe for concurrent use.
type sessions struct {
	game   game.Game
	drawer board.Drawer
	models *models
	now    func() time.Time

	mu   sync.Mutex
	open map[string]*session
	// thinking lets one search run at a time, so that a page takes one core at most.
	thinking chan struct{}
}

func newSessions(g game.Game, d board.Drawer, m *models, now func() time.Time) *sessions {
	return &sessions{game: g, drawer: d, models: m, now: now, open: map[string]*session{}, thinking: make(chan struct{}, 1)}
}

// session is one game. Its fields but for used belong to whoever holds mu.
type session struct {
	id    string
	seed  uint64
	seats []sitting

	mu     sync.Mutex
	scribe *scribe
	chance *rand2.Rand
	people []int // the plies that persons decided

	used time.Time // guarded by sessions.mu
}

// sitting is a seat of a session: a person's where it has no mind.
type sitting struct {
	by        string
	mind      *player.ObservingAgent
	evaluator search.Evaluator
}

// Errors that a person can do something about.
var (
	errNoSession = errors.New("this game is no longer there: begin a new one")
	errNotYours  = errors.New("it is not a person's turn")
	errNoUndo    = errors.New("there is no move of yours to take back")
	errBusy      = errors.New("another search is still thinking; try again in a moment")
)

// refused is an error in what a person asked for.
type refused struct{ error }

func refusef(form string, args ...any) error { return refused{fmt.Errorf(form, args...)} }

// begin starts a game. The one that was used least recently makes way for it
// where there are too many.
func (x *sessions) begin(o setup) (*session, error) {
	players := x.game.Players()
	people := 0
	if len(o.Seats) != players {
		return nil, refusef("%d seats are wanted, not %d", players, len(o.Seats))
	}
	if o.Simulations < 1 || o.Simulations > maxSimulations {
		return nil, refusef("simulations: a number from 1 to %d is wanted", maxSimulations)
	}
	var network *model
	s := &session{id: rand.Text(), seats: make([]sitting, players)}
	for i, by := range o.Seats {
		var p player.Player
		var err error
		s.seats[i].by = by
		switch by {
		case byPerson:
			s.seats[i].by = "you"
			people++
			continue
		case byNetwork:
			if network == nil {
				iteration := -1
				if o.Iteration != nil {
					iteration = max(0, *o.Iteration)
				}
				if network, err = x.models.load(iteration); err != nil {
					return nil, err
				}
			}
			s.seats[i].by = fmt.Sprintf("network %d", network.iteration)
			if p, err = network.player(x.game, o.Simulations); err != nil {
				return nil, refused{err}
			}
		case byUCT:
			s.seats[i].by = "UCT"
			p = player.UCT{Simulations: o.Simulations, Time: maxThinking, C: 0.8, Utility: player.Unit}
		case byRandom:
			p = player.Random{}
		default:
			return nil, refusef("%q can't sit down: %s, %s, %s or %s is wanted", by, byPerson, byNetwork, byUCT, byRandom)
		}
		s.seats[i].mind, s.seats[i].evaluator = player.NewObservingAgent(p.NewAgent(x.game), x.game), p.NewEvaluator(x.game, 1)
	}
	viewer := game.Nobody
	if _, hidden := x.game.NewState().(game.ImperfectInformation); hidden {
		if people > 1 {
			return nil, refusef("this game has hidden information, which one page can't keep from several persons")
		}
		if people == 1 {
			viewer = game.Player(slices.IndexFunc(s.seats, func(s sitting) bool { return s.mind == nil }))
		}
	}
	seed, err := rand.Int(rand.Reader, big.NewInt(1<<62))
	if err != nil {
		return nil, err
	}
	s.seed = seed.Uint64()
	s.replay(x.game, x.drawer, viewer, nil)

	x.mu.Lock()
	defer x.mu.Unlock()
	x.sweep()
	for len(x.open) >= maxSessions {
		var oldest *session
		for _, other := range x.open {
			if oldest == nil || other.used.Before(oldest.used) {
				oldest = other
			}
		}
		delete(x.open, oldest.id)
	}
	s.used = x.now()
	x.open[s.id] = s
	return s, nil
}

// sweep ends the games that nobody has looked at for long.
func (x *sessions) sweep() {
	for id, s := range x.open {
		if x.now().Sub(s.used) > sessionIdle {
			delete(x.open, id)
		}
	}
}

// find is the game with this id, which counts as used.
func (x *sessions) find(id string) (*session, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.sweep()
	s := x.open[id]
	if s == nil {
		return nil, errNoSession
	}
	s.used = x.now()
	return s, nil
}

// end forgets a game.
func (x *sessions) end(id string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	delete(x.open, id)
}

// replay begins the game afresh and plays moves, of which every mind is told as
// if they had just happened.
func (s *session) replay(g game.Game, d board.Drawer, viewer game.Player, moves []moveView) {
	s.scribe = newScribe(g, d, viewer)
	for i := range s.seats {
		s.scribe.record.Seats[i].By = s.seats[i].by
		if s.seats[i].mind != nil {
			s.seats[i].mind.Begin(s.seed, 0, game.Player(i))
		}
	}
	// Another stream for every length, so that chance does not repeat itself after a move was taken back.
	s.chance = stream.New(s.seed, stream.Arena, 0, 0, uint64(len(moves)))
	for _, m := range moves {
		s.apply(m)
	}
}

func (s *session) apply(m moveView) {
	for _, seat := range s.seats {
		if seat.mind != nil {
			seat.mind.Played(s.scribe.state, m.Action)
		}
	}
	s.scribe.play(m)
}

// person says whether a person is to choose.
func (s *session) person() bool {
	mover := s.scribe.state.CurrentPlayer()
	return mover >= 0 && s.seats[mover].mind == nil && !s.forced()
}

// forced says whether there is but one action, one that has no place in a policy.
func (s *session) forced() bool {
	return len(s.scribe.legal) == 1 && int(s.scribe.legal[0]) >= s.scribe.game.Actions()
}

// move plays a person's action at a ply, which is to be the present one, so that
// a click that was sent twice is played once.
func (s *session) move(ply int, a game.Action) error {
	if ply != len(s.scribe.record.Moves) {
		return refusef("the game has gone on: this is ply %d, not %d", len(s.scribe.record.Moves), ply)
	}
	if !s.person() {
		return refused{errNotYours}
	}
	if err := s.scribe.replayer.Check(a); err != nil {
		return refused{err}
	}
	s.people = append(s.people, ply)
	s.apply(moveView{Action: a})
	return nil
}

// undo goes back to where a person decided last.
func (s *session) undo() error {
	n := len(s.people)
	if n == 0 {
		return refused{errNoUndo}
	}
	ply := s.people[n-1]
	s.people = s.people[:n-1]
	x := s.scribe
	s.replay(x.game, x.drawer, x.viewer, slices.Clone(x.record.Moves[:ply]))
	return nil
}

// step makes the next move that is not a person's, if there is one.
func (s *session) step(ctx context.Context) error {
	x := s.scribe
	mover := x.state.CurrentPlayer()
	switch {
	case mover == game.Nobody || s.person():
		return nil
	case len(x.record.Moves) >= maxMoves:
		return refusef("the game ends here: %d moves are as many as the page keeps", maxMoves)
	case mover == game.Chance:
		s.apply(moveView{Action: x.state.(game.Chancer).Sample(s.chance)})
		return nil
	case len(x.legal) == 1:
		s.apply(moveView{Action: x.legal[0]})
		return nil
	}
	seat := &s.seats[mover]
	for {
		a, decided := seat.mind.Think(x.state, seat.evaluator)
		if decided {
			m := moveView{Action: a}
			// What it thought would tell of what it holds, where that is hidden.
			if v, ok := seat.mind.Analyzer(); ok && x.viewer == game.Nobody {
				thought(x.game, x.state, &m, v.Analysis())
			}
			s.apply(m)
			return nil
		}
		seat.mind.Deliver(seat.evaluator.Evaluate())
		if ctx.Err() != nil {
			// The search is given up; the game is taken up again where it stands.
			moves := slices.Clone(x.record.Moves)
			s.replay(x.game, x.drawer, x.viewer, moves)
			return ctx.Err()
		}
	}
}

// view is the game for a page that has its first kept moves and the positions
// up to the one after them; the whole for a negative number.
func (s *session) view(kept int) *playView {
	r := s.scribe.record
	v := &playView{record: r, Ready: s.scribe.state.CurrentPlayer() == game.Nobody || s.person(), Undo: len(s.people) > 0}
	v.ID, v.Moves = s.id, s.scribe.seen()
	if kept >= 0 {
		v.From = min(kept, len(r.Moves))
		v.Layout, v.Frames, v.Moves = nil, r.Frames[v.From+1:], v.Moves[v.From:]
	}
	if s.person() {
		for _, a := range s.scribe.legal {
			v.Legal = append(v.Legal, choice{a, game.ActionName(s.scribe.game, s.scribe.state, a)})
		}
	}
	return v
}

// playView is a game that is being played.
type playView struct {
	record
	Ready bool     `json:"ready"` // a person is to move, or the game is over; else somebody thinks
	Undo  bool     `json:"undo"`  // there is a move to take back
	Legal []choice `json:"legal"` // what the person may do
}

// choice is an action that a person may choose.
type choice struct {
	Action game.Action `json:"action"`
	Name   string      `json:"name"`
}
