package web

import (
	"log/slog"
	"net/http"
	"time"

	"tengen/configs"
	"tengen/internal/serve"
	"tengen/nn"
	"tengen/run"
	v1 "tengen/web/api/v1"
)

// Options configures a page.
type Options struct {
	Folder string // of the run
	// Config is the run's configuration; nil: read from Folder.
	Config *configs.Config
	// Status returns the present status; nil: this process trains no run.
	Status func() run.Status
	// Cluster returns what is known of workers on other machines; nil: this process has none.
	Cluster func() run.Cluster
	// Load loads the networks that play and analyze on the page; nil: on the processor.
	Load func(*nn.Params) (nn.Network, error)
	// Devices returns the readings of the accelerators; nil: there are none.
	Devices func() []v1.Device
	// Metrics answers /metrics; nil: 404.
	Metrics http.Handler
	// Token is required for all paths but /metrics and /healthz; "": none is required.
	Token string
	// Near has Serve take the next free port where that of the address is in use.
	Near bool
	Now  func() time.Time // nil: time.Now
	Log  *slog.Logger     // nil: nothing is logged

	ending <-chan struct{} // closed when the server ends
}

// Page shows one run. It is safe for concurrent use.
type Page struct {
	options Options
	api     *v1.API
	// guests bounds the time that requests with access take, strangers that of others, while this
	// process trains a run; nil: no bound.
	guests, strangers *serve.Pace
}

// New makes the page of a run. The folder need not hold the run yet if Options.Config is given.
func New(o Options) (*Page, error) {
	api, err := v1.New(v1.Options{
		Folder: o.Folder, Config: o.Config, Status: o.Status, Cluster: o.Cluster, Load: o.Load,
		Devices: o.Devices, Ending: o.ending, Now: o.Now, Log: o.Log,
	})
	if err != nil {
		return nil, err
	}
	p := &Page{options: o, api: api}
	if o.Status != nil {
		p.guests, p.strangers = serve.NewPace(guestsShare, time.Second/2),
			serve.NewPace(strangersShare, time.Second/4)
	}
	return p, nil
}

// Close ends the games that are played on the page, and releases what their networks hold on a
// device. The page answers no requests any more, or refuses new games.
func (p *Page) Close() { p.api.Close() }

// Limits of what one request may take.
const (
	answerTimeout = serve.RequestTimeout - 5*time.Second
	maxBody       = 8 << 10
	maxNotes      = 2*run.MaxNotes + maxBody // of a request that puts notes: their text as JSON
	maxDrained    = 256 << 10                // of a body that nobody reads
	maxRequests   = 64                       // at a time, streams not included

	// Of the time of all cores, while this process trains a run. Searches have a share of their
	// own.
	guestsShare    = 0.04
	strangersShare = 0.02
)

// Handler returns the handler of the page: / and its files, /api/v1, /metrics, /healthz and
// /readyz.
func (p *Page) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", p.index)
	mux.HandleFunc("GET /static/{file...}", static)
	mux.HandleFunc("GET /favicon.ico", favicon)
	mux.Handle("/api/v1/", p.api.Handler())
	mux.HandleFunc("GET /readyz", p.ready)
	token := gate(p.options.Token)
	whole := http.NewServeMux()
	whole.Handle("/", token.guard(limited(mux)))
	whole.HandleFunc("GET /healthz", healthy)
	whole.Handle("GET /api/v1/stream", token.guard(http.HandlerFunc(p.api.Stream)))
	if p.options.Metrics != nil {
		whole.Handle("GET /metrics", p.options.Metrics)
	}
	return headers(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		pace := p.guests
		if token.stranger(r) {
			pace = p.strangers
		}
		pace.Serve(whole, w, r)
	}))
}
