package web

import (
	"net/http"
	"strings"

	v1 "tengen/web/api/v1"
)

// runs is the page of the runs in a folder: a list, comparisons, and the page of each run at
// /runs/NAME/. It is safe for concurrent use.
type runs struct {
	options Options
	api     *v1.Runs
}

func newRuns(o Options) (*runs, error) {
	api, err := v1.NewRuns(v1.RunsOptions{
		Folder: o.Folder, Load: o.Load, Ending: o.ending, Now: o.Now, Log: o.Log,
	})
	if err != nil {
		return nil, err
	}
	return &runs{o, api}, nil
}

// Close ends the games that are played on the pages.
func (x *runs) Close() { x.api.Close() }

// Handler returns the handler of all paths.
func (x *runs) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, r *http.Request) {
		assets()["runs.html"].send(w, r)
	})
	mux.HandleFunc("GET /static/{file...}", static)
	mux.HandleFunc("GET /favicon.ico", favicon)
	mux.HandleFunc("GET /readyz", healthy)
	mux.HandleFunc("GET /runs/{name}", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, r.URL.EscapedPath()+"/", http.StatusSeeOther)
	})
	mux.HandleFunc("GET /runs/{name}/{$}", func(w http.ResponseWriter, r *http.Request) {
		if !x.api.Has(r.PathValue("name")) {
			http.Error(w, "there is no run "+strings.ToValidUTF8(r.PathValue("name"), "?")+
				" in this folder", http.StatusNotFound)
			return
		}
		assets()["index.html"].send(w, r)
	})
	mux.Handle("/api/v1/", x.api.Handler())
	mux.Handle("/runs/{name}/api/v1/", x.api.Handler())
	token := gate(x.options.Token)
	whole := http.NewServeMux()
	whole.Handle("/", token.guard(limited(mux)))
	whole.HandleFunc("GET /healthz", healthy)
	whole.Handle("GET /runs/{name}/api/v1/stream", token.guard(http.HandlerFunc(x.api.Stream)))
	return headers(whole)
}
