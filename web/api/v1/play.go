package v1

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"

	"tengen/game"
	"tengen/internal/random"
	"tengen/player"
	"tengen/search"
)

// postPlay starts a game.
func (api *API) postPlay(w http.ResponseWriter, r *http.Request) {
	var o setup
	if err := read(r, &o); err != nil {
		api.fail(w, err)
		return
	}
	if slices.ContainsFunc(o.Seats, func(by string) bool {
		return !slices.Contains([]string{byPerson, byNetwork, byUCT, byRandom}, by)
	}) {
		// Some players do work before they play.
		release, err := api.sessions.wait(r.Context())
		if err != nil {
			api.fail(w, err)
			return
		}
		defer release()
	}
	s, err := api.sessions.begin(o)
	if err != nil {
		api.fail(w, err)
		return
	}
	api.answer(w, r, s.view(-1), nil)
}

// hold returns the game that the request names, locked, or answers why not and returns nil.
func (api *API) hold(w http.ResponseWriter, r *http.Request) *session {
	s, err := api.sessions.find(r.PathValue("id"))
	if err == nil && !s.mu.TryLock() {
		err = errBusy
	}
	if err != nil {
		api.fail(w, err)
		return nil
	}
	return s
}

// with has change work on the game that the request names, and answers with what
// the page lacks of it.
func (api *API) with(w http.ResponseWriter, r *http.Request, change func(*session) error) {
	s := api.hold(w, r)
	if s == nil {
		return
	}
	defer s.mu.Unlock()
	if s.ended {
		api.fail(w, errNoSession)
		return
	}
	if err := change(s); err != nil {
		api.fail(w, err)
		return
	}
	api.answer(w, r, s.view(keptOf(r)), nil)
}

// keptOf returns the number of moves that the client has, or -1 if the request does not say.
func keptOf(r *http.Request) int {
	n, err := strconv.Atoi(r.URL.Query().Get("kept"))
	if err != nil || n < 0 {
		return -1
	}
	return n
}

func (api *API) getPlay(w http.ResponseWriter, r *http.Request) {
	api.with(w, r, func(*session) error { return nil })
}

func (api *API) deletePlay(w http.ResponseWriter, r *http.Request) {
	api.sessions.end(r.PathValue("id"))
	w.WriteHeader(http.StatusNoContent)
}

// postMove plays a person's move.
func (api *API) postMove(w http.ResponseWriter, r *http.Request) {
	var o struct {
		Ply    int         `json:"ply"`
		Action game.Action `json:"action"`
	}
	if err := read(r, &o); err != nil {
		api.fail(w, err)
		return
	}
	api.with(w, r, func(s *session) error { return s.move(o.Ply, o.Action) })
}

// postStep has the next player that is not a person move.
func (api *API) postStep(w http.ResponseWriter, r *http.Request) {
	api.with(w, r, func(s *session) error {
		release, err := api.sessions.wait(r.Context())
		if err != nil {
			return err
		}
		defer release()
		return api.sessions.step(r.Context(), s)
	})
}

func (api *API) postUndo(w http.ResponseWriter, r *http.Request) {
	// The page does not know how far back that is: the answer says what it may keep.
	api.with(w, r, (*session).undo)
}

func (api *API) postResign(w http.ResponseWriter, r *http.Request) {
	api.with(w, r, (*session).resign)
}

// postHint answers with the move that the newest network would make, or UCT if there is none, in
// place of the person to move.
func (api *API) postHint(w http.ResponseWriter, r *http.Request) {
	s := api.hold(w, r)
	if s == nil {
		return
	}
	defer s.mu.Unlock()
	var err error
	switch {
	case s.ended:
		err = errNoSession
	case !s.waiting():
		err = refused{errNotYours}
	}
	if err != nil {
		api.fail(w, err)
		return
	}
	release, err := api.sessions.wait(r.Context())
	if err != nil {
		api.fail(w, err)
		return
	}
	defer release()
	h, err := api.sessions.hint(r.Context(), s)
	api.answer(w, r, h, err)
}

// getPlayRecord answers with the game as a file that `tengen play --continue` reads.
func (api *API) getPlayRecord(w http.ResponseWriter, r *http.Request) {
	s := api.hold(w, r)
	if s == nil {
		return
	}
	defer s.mu.Unlock()
	if s.recorder.viewer != game.Nobody && !s.game.Over() {
		api.fail(w,
			refusef("the file would tell what is hidden: it can be had once the game is over"))
		return
	}
	names := make([]string, len(s.seats))
	for i, seat := range s.seats {
		names[i] = seat.name
	}
	api.download(w, &s.recorder.record, names)
}

// getPlayAnalysis answers with the newest network's analysis of the current position.
func (api *API) getPlayAnalysis(w http.ResponseWriter, r *http.Request) {
	s := api.hold(w, r)
	if s == nil {
		return
	}
	state := api.game.NewState()
	state.CopyFrom(s.recorder.state)
	viewer := s.recorder.viewer
	s.mu.Unlock()
	if viewer != game.Nobody && state.CurrentPlayer() != viewer {
		api.fail(w, refusef("what another player thinks would tell what it holds"))
		return
	}
	api.think(w, r, state)
}

// wait waits until no other search is running; release lets the next one start.
func (x *sessions) wait(ctx context.Context) (release func(), err error) {
	x.searches.waiting.Add(1)
	defer x.searches.waiting.Add(-1)
	select {
	case x.searches.running <- struct{}{}:
		used, err := x.budget.wait(ctx)
		if err != nil {
			<-x.searches.running
			return nil, busy(err)
		}
		return func() { used(); <-x.searches.running }, nil
	case <-ctx.Done():
		return nil, busy(ctx.Err())
	}
}

// busy is what a request is told that has waited in vain.
func busy(err error) error {
	if errors.Is(err, context.DeadlineExceeded) {
		return errBusy
	}
	return err
}

// hintView is a player's advice to the person to move.
type hintView struct {
	Action game.Action `json:"action"`
	Name   string      `json:"name"`
	By     string      `json:"by"`              // who was asked
	Value  []float32   `json:"value,omitempty"` // utilities by seat that it expects
}

// hint asks the newest network, or UCT if there is none, what it would do in place of the person to
// move. It sees what that person sees. The caller holds s.mu, and searches.
func (x *sessions) hint(ctx context.Context, s *session) (*hintView, error) {
	h := &hintView{By: "UCT"}
	var p player.Player = player.UCT{
		Simulations: s.simulations, Time: maxMoveTime, C: 0.8, Utility: player.Unit,
	}
	network, err := x.models.load(-1)
	switch {
	case err == nil:
		if p, err = network.player(x.game, s.simulations); err != nil {
			return nil, refused{err}
		}
		h.By = network.title()
	case !errors.Is(err, errNoNetwork):
		return nil, err
	}
	mover := s.recorder.state.CurrentPlayer()
	moved := false
	g := player.NewGame(x.game)
	g.OnMove = func(m player.Move) {
		moved = true
		h.Action, h.Name = m.Action, game.ActionName(x.game, g.State(), m.Action)
		if a, ok := m.Agent.(player.Analyzer); ok {
			h.Value = a.Analysis().Value
		}
	}
	seats := make([]player.Seat, x.game.Players())
	seats[mover] = player.Seat{
		Agent: p.NewAgent(x.game),
		Rand:  random.New(s.seed, random.Arena, 1, uint64(len(s.recorder.record.Moves))),
	}
	g.Start(player.Setup{
		Seed: s.seed, Purpose: random.Arena, Number: 1, Seats: seats, State: s.recorder.state,
	})
	evaluator := p.NewEvaluator(x.game, 1)
	if evaluator != nil {
		defer search.Close(evaluator)
	}
	if _, err := g.Next(ctx, []search.Evaluator{evaluator}); err != nil {
		return nil, err
	}
	if !moved {
		return nil, refused{errNotYours}
	}
	return h, nil
}
