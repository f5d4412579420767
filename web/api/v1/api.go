package v1

import (
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"runtime"
	"strconv"
	"sync"
	"time"

	"tengen/configs"
	"tengen/game"
	"tengen/internal/machine"
	"tengen/internal/notation"
	"tengen/internal/serve"
	"tengen/nn"
	"tengen/replay"
	"tengen/replay/record"
	"tengen/run"
	"tengen/run/history"
	"tengen/web/board"
)

// Options says which run an API answers for.
type Options struct {
	Folder string          // of the run
	Config *configs.Config // of the run; nil: read from Folder
	// the present status; nil: no run is trained in this process
	Status func() run.Status
	// workers on other machines; nil: there can be none
	Cluster func() run.Cluster
	Load    func(*nn.Params) (nn.Network, error) // loads a network; nil: on the processor
	// readings of the accelerators; nil: there are none
	Devices func() []Device
	// Searches lets one search run at a time among all APIs that share it; nil: one of this API
	// alone.
	Searches *Searches
	// closed when the server ends, which streams tell their pages; nil: that is not known
	Ending <-chan struct{}
	Now    func() time.Time // nil: time.Now
	Log    *slog.Logger     // nil: nothing is logged
}

// API answers requests about one run. It is safe for concurrent use.
type API struct {
	options  Options
	folder   run.Folder
	config   *configs.Config
	game     game.Game
	drawer   board.Drawer
	games    *games
	models   *models
	sessions *sessions
	machine  *sampler
	kinds    sync.Once
	kindsOf  []opponentView // guarded by kinds
	streams  chan struct{}  // one element for each open stream

	mu      sync.Mutex
	watched watched

	reading sync.Mutex
	events  *history.Run // guarded by reading: see API.history
}

// New returns the API of a run. The folder need not hold the run yet if Options.Config is given.
func New(o Options) (*API, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Load == nil {
		o.Load = func(p *nn.Params) (nn.Network, error) { return nn.Fold(p), nil }
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	var err error
	api := &API{
		options: o, folder: run.Folder(o.Folder), config: o.Config,
		streams: make(chan struct{}, maxStreams),
	}
	if api.config == nil {
		if !api.folder.Exists() {
			return nil,
				fmt.Errorf(
					"%s holds no run: a folder with a config.yaml, as `%s` makes it, is wanted",
					o.Folder, notation.Command("train"))
		}
		if api.config, err = api.folder.ReadConfig(); err != nil {
			return nil, err
		}
	}
	if api.game, err = game.New(api.config.Game); err != nil {
		return nil, err
	}
	api.drawer = board.For(api.game)
	api.events = history.New(o.Folder)
	api.games = &games{dir: api.folder.Replay()}
	api.models = &models{
		game: api.game, run: func() (*configs.Config, error) {
			return api.config, nil
		}, dir: api.folder.Checkpoints(), place: o.Load,
	}
	if o.Searches == nil {
		o.Searches = NewSearches()
	}
	api.sessions = newSessions(api.game, api.drawer, api.models, o.Now, o.Searches)
	api.machine = &sampler{now: o.Now, usage: machine.UsageOf, devices: o.Devices}
	if o.Status != nil { // a run is trained
		api.sessions.budget = newBudget(searchShare*float64(runtime.GOMAXPROCS(0)), searchSaved)
	}
	return api, nil
}

// Close drops all games that are played and waits until their searches have ended. It refuses new
// games.
func (api *API) Close() { api.sessions.close() }

// Handler returns the handler of all paths but that of the stream (see [API.Stream]).
func (api *API) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/v1/run", api.getRun)
	mux.HandleFunc("GET /api/v1/cluster", api.getCluster)
	mux.HandleFunc("GET /api/v1/history", api.getHistory)
	mux.HandleFunc("GET /api/v1/history.csv", api.getCSV)
	mux.HandleFunc("GET /api/v1/config", api.getConfig)
	mux.HandleFunc("GET /api/v1/log", api.getLog)
	mux.HandleFunc("GET /api/v1/machine", api.getMachine)
	mux.HandleFunc("GET /api/v1/notes", api.getNotes)
	mux.HandleFunc("PUT /api/v1/notes", api.putNotes)
	mux.HandleFunc("GET /api/v1/games", api.getGames)
	mux.HandleFunc("GET /api/v1/games/{id}", api.getGame)
	mux.HandleFunc("GET /api/v1/games/{id}/analysis", api.getGameAnalysis)
	mux.HandleFunc("GET /api/v1/games/{id}/record", api.getGameRecord)
	mux.HandleFunc("POST /api/v1/play", api.postPlay)
	mux.HandleFunc("GET /api/v1/play/{id}", api.getPlay)
	mux.HandleFunc("DELETE /api/v1/play/{id}", api.deletePlay)
	mux.HandleFunc("POST /api/v1/play/{id}/move", api.postMove)
	mux.HandleFunc("POST /api/v1/play/{id}/step", api.postStep)
	mux.HandleFunc("POST /api/v1/play/{id}/undo", api.postUndo)
	mux.HandleFunc("POST /api/v1/play/{id}/hint", api.postHint)
	mux.HandleFunc("POST /api/v1/play/{id}/resign", api.postResign)
	mux.HandleFunc("GET /api/v1/play/{id}/analysis", api.getPlayAnalysis)
	mux.HandleFunc("GET /api/v1/play/{id}/record", api.getPlayRecord)
	return mux
}

// opponents returns the kinds of players that can play on the page.
func (api *API) opponents(policy bool) []opponentView {
	api.kinds.Do(func() { api.kindsOf = opponents(api.game, policy) })
	return api.kindsOf
}

// reply sends JSON, compressed if it is large.
func reply(w http.ResponseWriter, r *http.Request, b []byte) {
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", "no-store")
	if len(b) > 2048 && serve.AcceptsGzip(r) {
		h.Set("Content-Encoding", "gzip")
		b = serve.Gzip(b, gzip.BestSpeed)
	}
	_, _ = w.Write(b) // the reader may have gone
}

// answer sends v as JSON, or err.
func (api *API) answer(w http.ResponseWriter, r *http.Request, v any, err error) {
	if err == nil {
		var b []byte
		if b, err = json.Marshal(v); err == nil {
			reply(w, r, b)
			return
		}
	}
	api.fail(w, err)
}

// fail sends an error as one line of JSON with a fitting status.
func (api *API) fail(w http.ResponseWriter, err error) {
	status := http.StatusInternalServerError
	var asked refused
	var tooLarge *http.MaxBytesError
	var damage *replay.Damage
	switch {
	case errors.As(err, &asked):
		status = http.StatusBadRequest
	case errors.As(err, &tooLarge):
		status = http.StatusRequestEntityTooLarge
	case errors.As(err, &damage), errors.Is(err, errNoGame), errors.Is(err, errNoRun),
		errors.Is(err, errNoSession), errors.Is(err, errNoNetwork), errors.Is(err, fs.ErrNotExist):
		status = http.StatusNotFound
	case errors.Is(err, errBusy), errors.Is(err, errNotBegun), errors.Is(err, run.ErrNotesChanged):
		status = http.StatusConflict
	default:
		api.options.Log.Warn("the live page could not answer", "reason", err)
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	// the reader may have gone
	_ = json.NewEncoder(w).Encode(map[string]string{"error": err.Error()})
}

func (api *API) getRun(w http.ResponseWriter, r *http.Request) {
	api.answer(w, r, api.run(r.Context()), nil)
}

// getHistory answers with all curves.
func (api *API) getHistory(w http.ResponseWriter, r *http.Request) {
	b, err := api.curves(r.Context())
	if err != nil {
		api.fail(w, err)
		return
	}
	reply(w, r, b)
}

// getCSV answers with the history as a table, as tengen export does.
func (api *API) getCSV(w http.ResponseWriter, r *http.Request) {
	h := history.New(string(api.folder)) // else the page would wait for the client
	if err := h.Refresh(r.Context()); err != nil && !errors.Is(err, history.ErrNone) {
		api.fail(w, err)
		return
	}
	w.Header().Set("Content-Type", "text/csv; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	if err := h.WriteCSV(r.Context(), w); err != nil {
		panic(http.ErrAbortHandler) // the client sees that the table is not whole
	}
}

// getConfig answers with the run's configuration as YAML.
func (api *API) getConfig(w http.ResponseWriter, _ *http.Request) {
	text, err := api.config.YAML()
	api.file(w, "text/plain; charset=utf-8", text, err)
}

// file sends a file, or err.
func (api *API) file(w http.ResponseWriter, kind string, data []byte, err error) {
	if err != nil {
		api.fail(w, err)
		return
	}
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Cache-Control", "no-store")
	_, _ = w.Write(data) // the reader may have gone
}

// gamesPage is the maximum number of games in a list.
const gamesPage = 24

// getGames answers with the newest games, those before one (before), or those up to one (number).
func (api *API) getGames(w http.ResponseWriter, r *http.Request) {
	before := uint64(noGame)
	var err error
	q := r.URL.Query()
	switch {
	case q.Has("before"):
		before, err = parseNumber(q.Get("before"))
	case q.Has("number"):
		before, err = parseNumber(q.Get("number"))
		before++
	}
	if err != nil {
		api.fail(w, err)
		return
	}
	list, err := api.games.list(before, gamesPage)
	if err == nil && len(list) == 0 && q.Has("number") {
		err = errNoGame
	}
	views := make([]gameView, 0, len(list))
	for _, g := range list {
		views = append(views, gameViewOf(g))
	}
	api.answer(w, r, map[string]any{"games": views}, err)
}

// logged returns the game that a request names.
func (api *API) logged(r *http.Request) (*record.Game, error) {
	number, err := parseNumber(r.PathValue("id"))
	if err != nil {
		return nil, err
	}
	return api.games.read(number)
}

func (api *API) getGame(w http.ResponseWriter, r *http.Request) {
	x, err := api.logged(r)
	if err != nil {
		api.fail(w, err)
		return
	}
	rec, err := recordOf(api.game, api.drawer, x)
	api.answer(w, r, rec, err)
}

// getGameAnalysis answers with the newest network's analysis of a position of a game.
func (api *API) getGameAnalysis(w http.ResponseWriter, r *http.Request) {
	x, err := api.logged(r)
	if err != nil {
		api.fail(w, err)
		return
	}
	ply, err := plyOf(r, len(x.Moves))
	if err != nil {
		api.fail(w, err)
		return
	}
	s := newRecorder(api.game, api.drawer, game.Nobody)
	for _, m := range x.Moves[:ply] {
		if err := s.replayer.Check(m.Action); err != nil {
			api.fail(w, refused{err})
			return
		}
		s.play(moveView{Action: m.Action})
	}
	api.think(w, r, s.state)
}

func plyOf(r *http.Request, plies int) (int, error) {
	ply, err := strconv.Atoi(r.URL.Query().Get("ply"))
	if err != nil || ply < 0 || ply > plies {
		return 0, refusef("ply=%q: a number from 0 to %d is wanted",
			r.URL.Query().Get("ply"), plies)
	}
	return ply, nil
}

// think answers with the newest network's analysis of s.
func (api *API) think(w http.ResponseWriter, r *http.Request, s game.State) {
	if s.CurrentPlayer() < 0 {
		api.fail(w, refusef("nobody is to move in this position"))
		return
	}
	m, err := api.models.load(-1)
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
	o, err := m.think(r.Context(), api.game, s)
	api.answer(w, r, o, err)
}

// read decodes the JSON of a request.
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
