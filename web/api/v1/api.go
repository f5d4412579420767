package v1

import (
	"fmt"
	"log/slog"
	"net/http"
	"runtime"
	"sync"
	"time"

	"tengen/configs"
	"tengen/game"
	"tengen/internal/machine"
	"tengen/internal/notation"
	"tengen/nn"
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
