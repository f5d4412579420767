package web

import (
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"tengen/configs"
	"tengen/game"
	"tengen/internal/serve"
	"tengen/run"
	"tengen/run/history"
	"tengen/web/board"
)

// Options say what a page shows.
type Options struct {
	Folder string // of the run
	// Config is the run's configuration; nil: the one in its folder.
	Config *configs.Config
	// Status is the run at this moment; nil where nobody trains in this process.
	Status func() run.Status
	// Metrics answers /metrics; nil: nobody does.
	Metrics http.Handler
	// Token is asked of everybody, but for /metrics and /healthz; "": nobody is asked.
	Token string
	Now   func() time.Time // nil: time.Now
	Log   *slog.Logger     // nil: nothing is logged
}

// Page shows one run. It is safe for concurrent use.
type Page struct {
	options  Options
	folder   run.Folder
	config   *configs.Config
	game     game.Game
	drawer   board.Drawer
	games    *games
	models   *models
	sessions *sessions
	streams  chan struct{} // as many as may listen at a time

	mu      sync.Mutex
	watched watched

	reading sync.Mutex
	told    *history.Run // guarded by reading: see Page.history
}

// New makes the page of a run. The folder need not hold the run yet where
// Options.Config is given.
func New(o Options) (*Page, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	var err error
	p := &Page{options: o, folder: run.Folder(o.Folder), config: o.Config, streams: make(chan struct{}, maxStreams)}
	if p.config == nil {
		if !p.folder.Exists() {
			return nil, fmt.Errorf("%s holds no run: a folder with a config.yaml, as `tengen train --run` makes it, is wanted", o.Folder)
		}
		if p.config, err = p.folder.ReadConfig(); err != nil {
			return nil, err
		}
	}
	if p.game, err = game.New(p.config.Game); err != nil {
		return nil, err
	}
	p.drawer = board.For(p.game)
	p.told = history.New(o.Folder)
	p.games = &games{dir: p.folder.Replay()}
	p.models = &models{game: p.game, run: func() (*configs.Config, error) { return p.config, nil }, dir: p.folder.Checkpoints()}
	p.sessions = newSessions(p.game, p.drawer, p.models, o.Now)
	return p, nil
}

// Limits of what one request may take.
const (
	answerTimeout = serve.RequestTimeout - 5*time.Second
	maxBody       = 8 << 10
	maxRequests   = 64 // at a time, streams included
	maxStreams    = 32
)

// Handler answers for the page: / and what it is made of, /api, /metrics,
// /healthz and /readyz.
func (p *Page) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", p.index)
	mux.HandleFunc("GET /static/{file...}", static)
	mux.HandleFunc("GET /favicon.ico", favicon)
	mux.HandleFunc("GET /api/v1/run", p.getRun)
	mux.HandleFunc("GET /api/v1/history", p.getHistory)
	mux.HandleFunc("GET /api/v1/games", p.getGames)
	mux.HandleFunc("GET /api/v1/games/{id}", p.getGame)
	mux.HandleFunc("GET /api/v1/games/{id}/analysis", p.getGameAnalysis)
	mux.HandleFunc("POST /api/v1/play", p.postPlay)
	mux.HandleFunc("GET /api/v1/play/{id}", p.getPlay)
	mux.HandleFunc("DELETE /api/v1/play/{id}", p.deletePlay)
	mux.HandleFunc("POST /api/v1/play/{id}/move", p.postMove)
	mux.HandleFunc("POST /api/v1/play/{id}/step", p.postStep)
	mux.HandleFunc("POST /api/v1/play/{id}/undo", p.postUndo)
	mux.HandleFunc("GET /api/v1/play/{id}/analysis", p.getPlayAnalysis)
	mux.HandleFunc("GET /readyz", p.ready)
	bounded := limited(mux)

	whole := http.NewServeMux()
	whole.Handle("/", p.guard(bounded))
	whole.HandleFunc("GET /healthz", healthy)
	whole.HandleFunc("GET /api/v1/stream", func(w http.ResponseWriter, r *http.Request) {
		p.guard(http.HandlerFunc(p.stream)).ServeHTTP(w, r)
	})
	if p.options.Metrics != nil {
		whole.Handle("GET /metrics", p.options.Metrics)
	}
	return headers(whole)
}
