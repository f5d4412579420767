package web

import (
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"strconv"

	"tengen/game"
	"tengen/replay"
)

// reply sends JSON, packed where that is worth it.
func reply(w http.ResponseWriter, r *http.Request, b []byte) {
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", "no-store")
	if len(b) > 2048 && unpacks(r) {
		h.Set("Content-Encoding", "gzip")
		b = pack(b, gzip.BestSpeed)
	}
	_, _ = w.Write(b) // the reader may have gone
}

// answer sends v, or says what is wrong.
func (p *Page) answer(w http.ResponseWriter, r *http.Request, v any, err error) {
	if err == nil {
		var b []byte
		if b, err = json.Marshal(v); err == nil {
			reply(w, r, b)
			return
		}
	}
	p.fail(w, err)
}

// fail says what is wrong, in one line.
func (p *Page) fail(w http.ResponseWriter, err error) {
	status := http.StatusInternalServerError
	var asked refused
	var tooLarge *http.MaxBytesError
	var damage *replay.Damage
	switch {
	case errors.As(err, &asked):
		status = http.StatusBadRequest
	case errors.As(err, &tooLarge):
		status = http.StatusRequestEntityTooLarge
	case errors.As(err, &damage), errors.Is(err, errNoGame), errors.Is(err, errNoSession), errors.Is(err, errNoNetwork), errors.Is(err, fs.ErrNotExist):
		status = http.StatusNotFound
	case errors.Is(err, errBusy):
		status = http.StatusConflict
	default:
		p.options.Log.Warn("the live page could not answer", "reason", err)
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]string{"error": err.Error()}) // the reader may have gone
}

func (p *Page) getRun(w http.ResponseWriter, r *http.Request) { p.answer(w, r, p.run(), nil) }

// getHistory answers with all curves.
func (p *Page) getHistory(w http.ResponseWriter, r *http.Request) {
	b, err := p.curves()
	if err != nil {
		p.fail(w, err)
		return
	}
	reply(w, r, b)
}

// gamesPage is how many games a list holds.
const gamesPage = 24

// getGames lists the newest games, those before a place (before), or those up to
// a number (number).
func (p *Page) getGames(w http.ResponseWriter, r *http.Request) {
	var before *place
	q := r.URL.Query()
	switch {
	case q.Has("before"):
		x, err := parsePlace(q.Get("before"))
		if err != nil {
			p.fail(w, refused{err})
			return
		}
		before = &x
	case q.Has("number"):
		n, err := strconv.ParseUint(q.Get("number"), 10, 64)
		if err != nil {
			p.fail(w, refusef("number=%q: the number of a game is wanted", q.Get("number")))
			return
		}
		x, err := p.games.find(n)
		if err != nil {
			p.fail(w, err)
			return
		}
		x.index++
		before = &x
	}
	list, err := p.games.list(before, gamesPage)
	views := make([]gameView, 0, len(list))
	for _, x := range list {
		views = append(views, gameViewOf(x))
	}
	p.answer(w, r, map[string]any{"games": views}, err)
}

// logged is the game that a request names.
func (p *Page) logged(r *http.Request) (found, error) {
	at, err := parsePlace(r.PathValue("id"))
	if err != nil {
		return found{}, refused{err}
	}
	g, err := p.games.read(at)
	return found{at, g}, err
}

func (p *Page) getGame(w http.ResponseWriter, r *http.Request) {
	x, err := p.logged(r)
	if err != nil {
		p.fail(w, err)
		return
	}
	rec, err := recordOf(p.game, p.drawer, x)
	p.answer(w, r, rec, err)
}

// getGameAnalysis says what the newest network thinks of a position of a game.
func (p *Page) getGameAnalysis(w http.ResponseWriter, r *http.Request) {
	x, err := p.logged(r)
	if err != nil {
		p.fail(w, err)
		return
	}
	ply, err := plyOf(r, len(x.game.Moves))
	if err != nil {
		p.fail(w, err)
		return
	}
	s := newRecorder(p.game, p.drawer, game.Nobody)
	for _, m := range x.game.Moves[:ply] {
		if err := s.replayer.Check(m.Action); err != nil {
			p.fail(w, refused{err})
			return
		}
		s.play(moveView{Action: m.Action})
	}
	p.think(w, r, s.state)
}

func plyOf(r *http.Request, plies int) (int, error) {
	ply, err := strconv.Atoi(r.URL.Query().Get("ply"))
	if err != nil || ply < 0 || ply > plies {
		return 0, refusef("ply=%q: a number from 0 to %d is wanted", r.URL.Query().Get("ply"), plies)
	}
	return ply, nil
}

// think answers with the newest network's opinion of s.
func (p *Page) think(w http.ResponseWriter, r *http.Request, s game.State) {
	if s.CurrentPlayer() < 0 {
		p.fail(w, refusef("nobody is to move in this position"))
		return
	}
	m, err := p.models.load(-1)
	if err != nil {
		p.fail(w, err)
		return
	}
	release, err := p.sessions.wait(r.Context())
	if err != nil {
		p.fail(w, err)
		return
	}
	defer release()
	o, err := m.think(r.Context(), p.game, s)
	p.answer(w, r, o, err)
}

// read reads the JSON that a request brings.
func read(r *http.Request, v any) error {
	if r.Header.Get("Content-Type") != "application/json" {
		return refusef("Content-Type: application/json is wanted")
	}
	d := json.NewDecoder(r.Body)
	d.DisallowUnknownFields()
	err := d.Decode(v)
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return err
	case err != nil:
		return refusef("the request can't be read: %w", err)
	}
	if _, err := d.Token(); err != io.EOF {
		return refusef("the request holds more than one value")
	}
	return nil
}
