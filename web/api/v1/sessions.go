package v1

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"tengen/game"
	"tengen/internal/random"
	"tengen/player"
	"tengen/search"
	"tengen/web/board"
)

// Bounds on games played on the page.
const (
	maxSessions = 8
	sessionIdle = 30 * time.Minute
	// treeIdle is the time after which the trees of a game that is not used go.
	treeIdle = time.Minute
	maxMoves = 5000
)

// Who may play for a player of a game on the page.
const (
	byPerson  = "human"
	byNetwork = "network"
	byUCT     = "uct"
	byRandom  = "random"
)

// setup is the request for a new game.
type setup struct {
	// by seat, one of the four above, or a player such as alphabeta:depth=4: see opponent
	Seats       []string `json:"seats"`
	Simulations int      `json:"simulations"`
	Iteration   *int     `json:"iteration"` // of the network; the newest one without
}

// sessions are the games that are played on the page. Its methods are safe for concurrent use.
type sessions struct {
	game   game.Game
	drawer board.Drawer
	models *models
	now    func() time.Time

	mu       sync.Mutex
	open     map[string]*session
	closed   bool
	ending   sync.WaitGroup // of dropped games
	searches *Searches
	budget   *budget // of all searches; nil: no bound
	// awake has the games whose agents have trees: the one that searches, one that waits for it, or
	// the last.
	awake map[*session]bool
	timer *time.Timer // sweeps; nil before the first game
}

func newSessions(
	g game.Game, d board.Drawer, m *models, now func() time.Time, s *Searches,
) *sessions {
	return &sessions{
		game: g, drawer: d, models: m, now: now, open: map[string]*session{},
		awake: map[*session]bool{}, searches: s,
	}
}

// Searches lets one search run at a time, so that pages use at most one core. It is safe for
// concurrent use.
type Searches struct {
	running chan struct{} // one element while a search runs
	waiting atomic.Int32  // requests that wait for it
}

// NewSearches returns one for APIs to share: see [Options].
func NewSearches() *Searches { return &Searches{running: make(chan struct{}, 1)} }

// session is one game. mu guards all fields but used.
type session struct {
	id         string
	seed       uint64
	seats      []sessionSeat
	evaluators []search.Evaluator // of the agents, by seat; nil while it is not awake

	mu       sync.Mutex
	ended    bool // it was dropped
	awake    bool // its agents are there; otherwise others, which have no trees, keep their seats
	game     *player.Game
	recorder *recorder
	people   []int // the plies that persons decided
	resigned bool  // the person to move has resigned

	simulations int // of hints

	used time.Time // guarded by sessions.mu
}

// sessionSeat says who plays for one player: a person, where agent is nil.
type sessionSeat struct {
	by     string
	name   string // as `tengen play` has it
	player player.Player
	agent  player.Agent
}

// Errors in requests.
var (
	errNoSession = errors.New("this game is no longer there: begin a new one")
	errNotYours  = errors.New("it is not a person's turn")
	errNoUndo    = errors.New("there is no move of yours to take back")
	errBusy      = errors.New("another search is still thinking; try again in a moment")
)

// refused is an error in a request.
type refused struct{ error }

func refusef(form string, args ...any) error { return refused{fmt.Errorf(form, args...)} }

// begin starts a game. Where there are too many, it drops the one that was used least
// recently.
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
	s := &session{
		id: rand.Text(), simulations: o.Simulations, seats: make([]sessionSeat, players),
		evaluators: make([]search.Evaluator, players),
	}
	kept := false
	defer func() {
		if !kept {
			s.end()
		}
	}()
	for i, by := range o.Seats {
		var p player.Player
		var err error
		s.seats[i].by = by
		switch by {
		case byPerson:
			s.seats[i].by, s.seats[i].name = "you", byPerson
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
			s.seats[i].by = network.title()
			if p, err = network.player(x.game, o.Simulations); err != nil {
				return nil, refused{err}
			}
		case byUCT:
			s.seats[i].by = "UCT"
			p = player.UCT{
				Simulations: o.Simulations, Time: maxMoveTime, C: 0.8, Utility: player.Unit,
			}
		case byRandom:
			p = player.Random{}
		default:
			p, err = opponent(x.game, by, o.Simulations, func() (string, error) {
				if o.Iteration != nil {
					return networkPath(x.models.dir, max(0, *o.Iteration)), nil
				}
				list := x.models.iterations()
				if len(list) == 0 {
					return "", errNoNetwork
				}
				return networkPath(x.models.dir, list[len(list)-1]), nil
			})
			if err == nil {
				err = player.On(p, x.models.place)
			}
			if err != nil {
				return nil, err
			}
			s.seats[i].by = x.models.shown(p.Name())
		}
		s.seats[i].player, s.seats[i].agent = p, asleep(x.game)
		s.seats[i].name = p.Name()
		if by == byNetwork {
			s.seats[i].name = x.models.named(network, o.Simulations)
		}
	}
	viewer := game.Nobody
	if _, hidden := x.game.NewState().(game.ImperfectInformation); hidden {
		if people > 1 {
			return nil,
				refusef("this game has hidden information, which one page can't keep from several persons")
		}
		if people == 1 {
			viewer = game.Player(slices.IndexFunc(s.seats, func(s sessionSeat) bool {
				return s.player == nil
			}))
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
	if x.closed {
		return nil, errNoSession
	}
	x.sweep()
	for len(x.open) >= maxSessions {
		var oldest *session
		for _, other := range x.open {
			if oldest == nil || other.used.Before(oldest.used) {
				oldest = other
			}
		}
		x.drop(oldest)
	}
	s.used = x.now()
	x.open[s.id] = s
	if x.timer == nil {
		x.timer = time.AfterFunc(treeIdle, x.tick)
	}
	kept = true
	return s, nil
}

// sweep drops the games that have not been used for sessionIdle.
func (x *sessions) sweep() {
	for _, s := range x.open {
		if x.now().Sub(s.used) > sessionIdle {
			x.drop(s)
		}
	}
}

// tick sweeps, lets the trees of games go that were not used for treeIdle, and comes again.
func (x *sessions) tick() {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.closed {
		return
	}
	x.sweep()
	for s := range x.awake {
		if x.now().Sub(s.used) >= treeIdle && s.mu.TryLock() {
			x.sleep(s)
			s.mu.Unlock()
		}
	}
	x.timer.Reset(treeIdle)
}

// asleep returns an agent that keeps the seat of one that is not awake.
func asleep(g game.Game) player.Agent { return player.Random{}.NewAgent(g) }

// wake gives a game the agents of its players, whose trees take memory, and takes them from others:
// only the game that searches has them, and one that waits for it. The caller holds s.mu, and
// searches. It is an error if the game was dropped.
func (x *sessions) wake(s *session) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	for other := range x.awake {
		if other != s && other.mu.TryLock() {
			x.sleep(other)
			other.mu.Unlock()
		}
	}
	switch {
	case x.open[s.id] != s:
		return errNoSession
	case s.awake:
		return nil
	}
	s.awake, x.awake[s] = true, true
	for i := range s.seats {
		if p := s.seats[i].player; p != nil {
			s.seats[i].agent, s.evaluators[i] = p.NewAgent(x.game), p.NewEvaluator(x.game, 1)
		}
	}
	s.again()
	return nil
}

// step makes a game's next move that is not a person's, if there is one. The caller holds s.mu, and
// searches.
func (x *sessions) step(ctx context.Context, s *session) error {
	if err := x.wake(s); err != nil {
		return err
	}
	defer x.rest(s)
	return s.step(ctx)
}

// rest lets a game's trees go if another request waits to search. The caller holds s.mu.
func (x *sessions) rest(s *session) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.searches.waiting.Load() > 0 {
		x.sleep(s)
	}
}

// sleep lets a game's trees go. x.mu and s.mu are held.
func (x *sessions) sleep(s *session) {
	delete(x.awake, s)
	if !s.awake || s.ended {
		return
	}
	s.awake = false
	s.closeEvaluators()
	for i := range s.seats {
		if s.seats[i].player != nil {
			s.seats[i].agent = asleep(x.game)
		}
	}
	s.again()
}

// again plays the game again up to where it stands, with the agents of its seats.
func (s *session) again() {
	r := s.recorder
	s.replay(r.game, r.drawer, r.viewer, slices.Clone(r.record.Moves))
}

// drop drops a game, whose search may still be running. x.mu is held.
func (x *sessions) drop(s *session) {
	delete(x.open, s.id)
	delete(x.awake, s)
	x.ending.Go(s.end)
}

// close drops all games and waits until they have ended.
func (x *sessions) close() {
	x.mu.Lock()
	x.closed = true
	if x.timer != nil {
		x.timer.Stop()
	}
	for _, s := range x.open {
		x.drop(s)
	}
	x.mu.Unlock()
	x.ending.Wait()
}

// end closes the evaluators, after the search in progress.
func (s *session) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closeEvaluators()
	for i := range s.seats {
		s.seats[i].agent = nil
	}
	s.ended, s.awake = true, false
}

func (s *session) closeEvaluators() {
	for i, e := range s.evaluators {
		if e != nil {
			search.Close(e)
		}
		s.evaluators[i] = nil
	}
}

// find returns the game with this id and marks it as used.
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

// end drops a game.
func (x *sessions) end(id string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if s := x.open[id]; s != nil {
		x.drop(s)
	}
}

// replay starts the game again and plays moves, which are those of a game before.
func (s *session) replay(g game.Game, d board.Drawer, viewer game.Player, moves []moveView) {
	s.recorder = newRecorder(g, d, viewer)
	s.game = player.NewGame(g)
	o := player.Setup{
		Seed: s.seed, Purpose: random.Arena,
		// Another stream for every length, so that chance does not repeat itself after a move was
		// taken back.
		Chance: random.New(s.seed, random.Arena, 0, 0, uint64(len(moves))),
	}
	for i, seat := range s.seats {
		s.recorder.record.Seats[i].By = seat.by
		o.Seats = append(o.Seats, player.Seat{
			Agent: seat.agent, Rand: random.New(s.seed, random.Arena, 0, uint64(i)+1), Evaluator: i,
		})
	}
	s.game.Start(o)
	for _, m := range moves {
		if err := s.game.Play(m.Action); err != nil {
			panic("web: a move that was played can't be played again: " + err.Error())
		}
		s.recorder.play(m)
	}
	s.game.OnMove = s.made
}

// made records a move.
func (s *session) made(m player.Move) {
	v := moveView{Action: m.Action}
	// An analysis would tell what its player holds, where that is hidden.
	if a, ok := m.Agent.(player.Analyzer); ok && s.recorder.viewer == game.Nobody {
		analyzed(s.recorder.game, s.recorder.state, &v, a.Analysis())
	}
	s.recorder.play(v)
}

// move plays a person's action at a ply, which is to be the present one, so that
// a click that was sent twice is played once.
func (s *session) move(ply int, a game.Action) error {
	if ply != len(s.recorder.record.Moves) {
		return refusef("the game has gone on: this is ply %d, not %d",
			len(s.recorder.record.Moves), ply)
	}
	if !s.waiting() {
		return refused{errNotYours}
	}
	if err := s.game.Play(a); err != nil {
		return refused{err}
	}
	s.people = append(s.people, ply)
	return nil
}

// waiting reports whether a person is to move.
func (s *session) waiting() bool { return s.game.Waiting() && !s.resigned }

// resign ends the game for the person to move.
func (s *session) resign() error {
	if !s.waiting() {
		return refused{errNotYours}
	}
	s.resigned = true
	return nil
}

// undo goes back to where a person decided last. A resignation counts as a decision.
func (s *session) undo() error {
	if s.resigned {
		s.resigned = false
		return nil
	}
	n := len(s.people)
	if n == 0 {
		return refused{errNoUndo}
	}
	if s.revealed() {
		return refusef("what was hidden is known now, and would be the same: begin another game")
	}
	ply := s.people[n-1]
	s.people = s.people[:n-1]
	x := s.recorder
	s.replay(x.game, x.drawer, x.viewer, slices.Clone(x.record.Moves[:ply]))
	return nil
}

// revealed reports whether the game has shown what it hid.
func (s *session) revealed() bool { return s.recorder.viewer != game.Nobody && s.game.Over() }

// step makes the next move that is not a person's, if there is one, with the agents that are there:
// see sessions.step.
func (s *session) step(ctx context.Context) error {
	if s.resigned {
		return nil
	}
	x := s.recorder
	if len(x.record.Moves) >= maxMoves && !s.game.Over() && !s.game.Waiting() {
		return refusef("the game ends here: %d moves are as many as the page keeps", maxMoves)
	}
	_, err := s.game.Next(ctx, s.evaluators)
	if err != nil {
		s.again() // the search is given up
	}
	return err
}

// view is the game for a page that has its first kept moves and the positions
// up to the one after them; the whole for a negative number.
func (s *session) view(kept int) *playView {
	r := s.recorder.record
	v := &playView{
		transcript: r, Ready: s.game.Over() || s.game.Waiting(),
		Undo: s.resigned || len(s.people) > 0 && !s.revealed(),
	}
	if s.resigned {
		by := s.recorder.state.CurrentPlayer()
		v.Resigned = &by
	}
	v.ID, v.Moves = s.id, s.recorder.seen()
	if kept >= 0 {
		v.From = min(kept, len(r.Moves))
		v.Layout, v.Frames, v.Moves = nil, r.Frames[v.From+1:], v.Moves[v.From:]
	}
	if s.waiting() {
		for _, a := range s.recorder.legal {
			v.Legal = append(v.Legal,
				choice{a, game.ActionName(s.recorder.game, s.recorder.state, a)})
		}
	}
	return v
}

// playView is a game that is being played.
type playView struct {
	transcript
	Ready bool     `json:"ready"` // a person is to move, or the game is over; else somebody thinks
	Undo  bool     `json:"undo"`  // there is a move to take back
	Legal []choice `json:"legal"` // what the person may do
	// Resigned is the player who has resigned, at whose turn the game then stands.
	Resigned *game.Player `json:"resigned,omitempty"`
}

// choice is an action that a person may choose.
type choice struct {
	Action game.Action `json:"action"`
	Name   string      `json:"name"`
}
