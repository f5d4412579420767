package metrics

import (
	"context"
	"fmt"
	"io"
	"net/http"

	"github.com/prometheus/client_golang/prometheus/promhttp"

	"tengen/internal/serve"
)

// Handler answers GET /metrics and GET /healthz.
func (m *Metrics) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{
		Registry:            m.registry,
		Timeout:             serve.RequestTimeout / 2,
		MaxRequestsInFlight: 4,
	}))
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		// The reader may have gone: nobody is left to tell.
		_, _ = io.WriteString(w, "ok\n")
	})
	return mux
}

// Server serves a Metrics.
type Server = serve.Server

// Serve listens on address, host:port, and returns once it does, so that an
// address that is taken is an error at the start. It serves until ctx ends or
// Close is called. Without a host it listens on 127.0.0.1 alone: nobody else can
// read the metrics unless address says so (0.0.0.0:9464). Port 0 takes a free
// one; see Server.Address. Package web serves the metrics beside a run's page.
func (m *Metrics) Serve(ctx context.Context, address string) (*Server, error) {
	listener, err := serve.Listen(ctx, address)
	if err != nil {
		return nil, fmt.Errorf("metrics: %w", err)
	}
	return serve.Start(ctx, listener, m.Handler()), nil
}
