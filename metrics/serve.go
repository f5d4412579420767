package metrics

import (
	"io"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"

	"tengen/internal/serve"
)

// Handler answers GET /metrics and GET /healthz.
func (m *Metrics) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", inTurn(4, promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{
		Registry: m.registry,
		Timeout:  serve.RequestTimeout / 2,
	})))
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		// Ignore the error: the client may have disconnected.
		_, _ = io.WriteString(w, "ok\n")
	})
	return mux
}

// inTurn has h answer at most n requests at a time; others wait, but not longer than a request may
// take.
func inTurn(n int, h http.Handler) http.Handler {
	turns := make(chan struct{}, n)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		late := time.NewTimer(serve.RequestTimeout / 3)
		defer late.Stop()
		select {
		case turns <- struct{}{}:
			defer func() { <-turns }()
			h.ServeHTTP(w, r)
		case <-late.C:
			http.Error(w, "too many requests wait for the metrics", http.StatusServiceUnavailable)
		case <-r.Context().Done():
		}
	})
}
