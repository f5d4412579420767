package watch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/url"
	"strings"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

const (
	scrapeTimeout = 5 * time.Second
	maxScrape     = 16 << 20 // bytes
)

// scrape is the content of /metrics at one moment.
type scrape struct {
	at       time.Time
	families map[string]*dto.MetricFamily
}

// metricsAddress returns the address of the metrics that text names. If text has no path,
// the path is /metrics.
func metricsAddress(text string) (string, error) {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return "", fmt.Errorf("%s is no address of a process that trains: http://host:port, such as http://127.0.0.1:9464, is wanted", text)
	}
	if u.Path == "" || u.Path == "/" {
		u.Path = "/metrics"
	}
	return u.String(), nil
}

// fetch requests the metrics.
func fetch(
	ctx context.Context, client *http.Client, address string, now time.Time,
) (*scrape, error) {
	limited, cancel := context.WithTimeout(ctx, scrapeTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(limited, http.MethodGet, address, nil)
	if err != nil {
		return nil, fmt.Errorf("ask for metrics: %w", err)
	}
	request.Header.Set("Accept", string(expfmt.NewFormat(expfmt.TypeTextPlain)))
	answer, err := client.Do(request)
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		var inner *url.Error
		if errors.As(err, &inner) {
			err = inner.Err // without the method and, once more, the address
		}
		return nil, fmt.Errorf("no metrics at %s: %w", address, err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("no metrics at %s: it answers %s", address, answer.Status)
	}
	text, err := io.ReadAll(io.LimitReader(answer.Body, maxScrape+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("metrics at %s: %w", address, err)
	case len(text) > maxScrape:
		return nil, fmt.Errorf("metrics at %s: more than %d bytes", address, maxScrape)
	}
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(strings.NewReader(string(text)))
	if err != nil {
		return nil, fmt.Errorf("no metrics at %s: its text is not of Prometheus: %w", address, err)
	}
	if families["tengen_iterations"] == nil {
		return nil,
			fmt.Errorf("metrics at %s are not those of a process that trains: there is no tengen_iterations", address)
	}
	return &scrape{now, families}, nil
}

// get returns the value of a counter or gauge, NaN if there is none. labels alternates
// names and values.
func (s *scrape) get(name string, labels ...string) float64 {
	for _, m := range s.series(name) {
		if !has(m, labels) {
			continue
		}
		switch {
		case m.Counter != nil:
			return m.Counter.GetValue()
		case m.Gauge != nil:
			return m.Gauge.GetValue()
		case m.Untyped != nil:
			return m.Untyped.GetValue()
		}
	}
	return math.NaN()
}

// total returns the sum and the number of a histogram's observations.
func (s *scrape) total(name string, labels ...string) (sum, count float64) {
	for _, m := range s.series(name) {
		if m.Histogram != nil && has(m, labels) {
			sum += m.Histogram.GetSampleSum()
			count += float64(m.Histogram.GetSampleCount())
		}
	}
	return sum, count
}

func (s *scrape) series(name string) []*dto.Metric { return s.families[name].GetMetric() }

// label returns the value of a label, "" if there is none.
func label(m *dto.Metric, name string) string {
	for _, l := range m.GetLabel() {
		if l.GetName() == name {
			return l.GetValue()
		}
	}
	return ""
}

func has(m *dto.Metric, labels []string) bool {
	for i := 0; i+1 < len(labels); i += 2 {
		if label(m, labels[i]) != labels[i+1] {
			return false
		}
	}
	return true
}
