package deploy

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"tengen/configs"
	_ "tengen/game/all"
	"tengen/metrics"
	"tengen/nn/backend/fake"
	"tengen/run"
	"tengen/trainer"
	"tengen/web"
)

// small are settings of a run that takes seconds.
var small = []string{
	"game=go:size=3,players=3", "network.blocks=1", "network.filters=8", "network.hidden=8",
	"search.simulations=12", "warm_start.simulations=12", "warm_start.initial_games=10",
	"training.iterations=4", "training.games=30", "training.max_steps=20",
	"training.warmup_steps=2",
	"replay.games=60", "replay.held_out=0.4", "evaluation.every=2", "evaluation.games=6",
	"evaluation.simulations=8",
	"selfplay.workers=1", "selfplay.games_per_worker=4", "selfplay.cache_mib=1",
}

// settings of two runs that together use every metric: one with a policy, fast
// searches and a cache; the other with Descent.
var settings = map[string][]string{
	"alphazero": {
		"training.batch=16", "search.fast_simulations=4", "search.full_probability=0.5",
	},
	"descent": {"algorithm=descent", "descent.iterations=2", "training.batch=32"},
}

// onADevice is the run with readings of a device.
const onADevice = "alphazero"

// prepare prepares a run of the preset quick with the given settings and serves its metrics
// at target; train trains it.
func prepare(t testing.TB, name string, set ...string) (target string, train func()) {
	t.Helper()
	r, err := configs.Resolve(configs.Options{Name: "quick", Set: set})
	if err != nil {
		t.Fatal(err)
	}
	plan, err := trainer.NewPlan(&r.Config)
	if err != nil {
		t.Fatal(err)
	}
	if name == onADevice {
		plan.Backend = new(fake.Device)
	}
	folder := run.Folder(filepath.Join(t.TempDir(), name))
	m := metrics.New(&metrics.Options{Run: name, Folder: string(folder)})
	monitor := new(trainer.Monitor)
	server, err := web.Serve(t.Context(), "127.0.0.1:0", web.Options{
		Folder: string(folder), Config: &r.Config, Status: monitor.Status, Metrics: m.Handler(),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	return server.Address(), func() {
		err := trainer.Run(t.Context(), trainer.Options{
			Plan: plan, Folder: folder, Monitor: monitor, Metrics: m,
			Log: slog.New(slog.DiscardHandler), Now: time.Now,
		})
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// prometheus is a Prometheus process started by the test.
type prometheus struct {
	t   *testing.T
	url string
}

// startPrometheus starts it with the given targets and waits until it is ready.
func startPrometheus(t *testing.T, targets []string) *prometheus {
	t.Helper()
	rules, err := filepath.Abs("prometheus/alerts.yml")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	config := filepath.Join(dir, "prometheus.yml")
	text := fmt.Sprintf(`global: {scrape_interval: 500ms, scrape_timeout: 500ms, evaluation_interval: 1s}
rule_files: [%q]
scrape_configs:
  - job_name: tengen
    static_configs: [{targets: [%s]}]
`, rules, strings.Join(targets, ", "))
	if err := os.WriteFile(config, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	// A port that is free now, and probably still when Prometheus starts.
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := free.Addr().String()
	free.Close()
	ctx, cancel := context.WithCancel(context.Background())
	c := exec.CommandContext(ctx, program(t, "prometheus"), "--config.file="+config,
		"--storage.tsdb.path="+filepath.Join(dir, "data"),
		"--web.listen-address="+address, "--log.level=warn")
	c.Cancel = func() error { return c.Process.Signal(syscall.SIGTERM) }
	c.WaitDelay = 10 * time.Second
	var said bytes.Buffer
	c.Stdout, c.Stderr = &said, &said
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cancel()
		_ = c.Wait() // it was told to end
		if t.Failed() {
			t.Logf("Prometheus said:\n%s", &said)
		}
	})
	p := &prometheus{t, "http://" + address}
	p.await("Prometheus to be ready", func() bool {
		answer, err := http.Get(p.url + "/-/ready")
		if err != nil {
			return false
		}
		answer.Body.Close()
		return answer.StatusCode == http.StatusOK
	})
	return p
}

// await waits until a condition holds.
func (p *prometheus) await(what string, done func() bool) {
	p.t.Helper()
	for limit := time.Now().Add(2 * time.Minute); !done(); time.Sleep(100 * time.Millisecond) {
		if time.Now().After(limit) {
			p.t.Fatalf("waited for %s", what)
		}
	}
}

// get sends a request to the API and decodes the response.
func (p *prometheus) get(path string, into any) error {
	answer, err := http.Get(p.url + path)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		return err
	}
	var whole struct {
		Status, Error string
		Data          json.RawMessage
	}
	if err := json.Unmarshal(text, &whole); err != nil {
		return fmt.Errorf("%s: %w", text, err)
	}
	if whole.Status != "success" {
		return fmt.Errorf("%s: %s", whole.Status, whole.Error)
	}
	return json.Unmarshal(whole.Data, into)
}

// sample is one series of an instant query's result.
type sample struct {
	Metric map[string]string
	Value  float64
}

// ask evaluates an expression now.
func (p *prometheus) ask(expr string) ([]sample, error) {
	var data struct {
		Result []struct {
			Metric map[string]string
			Value  [2]any
		}
	}
	if err := p.get("/api/v1/query?query="+url.QueryEscape(expr), &data); err != nil {
		return nil, err
	}
	var list []sample
	for _, r := range data.Result {
		text, _ := r.Value[1].(string)
		v, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return nil, err
		}
		list = append(list, sample{r.Metric, v})
	}
	return list, nil
}

// variables replaces the dashboard's variables as Grafana does.
var variables = strings.NewReplacer("$run", ".*", "$__rate_interval", "5m")

// With Prometheus scraping two runs, every expression of the dashboard gives a finite number
// for at least one of them, and every alert can be evaluated and is silent.
func TestEveryExpression(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes about ten seconds")
	}
	program(t, "prometheus")
	var targets []string
	var trains []func()
	for name, set := range settings {
		target, train := prepare(t, name, slices.Concat(small, set)...)
		targets, trains = append(targets, target), append(trains, train)
	}
	p := startPrometheus(t, targets)
	p.await("a scrape of each run before it begins", func() bool {
		there, err := p.ask(`up == 1`)
		return err == nil && len(there) == len(settings)
	})
	var running sync.WaitGroup
	for _, train := range trains {
		running.Go(train)
	}
	running.Wait()
	p.await("the last scrapes", func() bool {
		done, err := p.ask(`tengen_iteration == tengen_iterations`)
		return err == nil && len(done) == len(settings)
	})
	for _, row := range Rows() {
		for _, panel := range row.Panels {
			for _, q := range panel.Queries {
				// some need another scrape
				p.await(fmt.Sprintf("%s, %s: %s to be finite",
					row.Title, panel.Title, q.Expr), func() bool {
					got, err := p.ask(variables.Replace(q.Expr))
					if err != nil {
						t.Fatalf("%s, %s: %s: %v", row.Title, panel.Title, q.Expr, err)
					}
					finite := false
					for _, s := range got {
						if s.Metric["run"] == "" {
							t.Fatalf("%s, %s: a series without a run: %v",
								row.Title, panel.Title, s.Metric)
						}
						finite = finite || !math.IsNaN(s.Value) && !math.IsInf(s.Value, 0)
					}
					return finite
				})
			}
		}
	}

	// Expressions of alerts may give nothing; only check that they can be evaluated.
	// TestRules and CheckExpression check their names.
	for _, a := range alerts(t) {
		if _, err := p.ask(a.Expr); err != nil {
			t.Errorf("%s: %v", a.Alert, err)
		}
	}
	var rules struct {
		Groups []struct {
			Rules []struct{ Name, Health, State, LastError string }
		}
	}
	evaluated := 0
	p.await("the rules to be evaluated", func() bool {
		if err := p.get("/api/v1/rules", &rules); err != nil {
			t.Fatal(err)
		}
		return rules.Groups[0].Rules[0].Health != "unknown"
	})
	for _, r := range rules.Groups[0].Rules {
		evaluated++
		if r.Health != "ok" || r.State != "inactive" && r.State != "pending" {
			t.Errorf("%s is %s and %s: %s", r.Name, r.Health, r.State, r.LastError)
		}
	}
	if want := len(alerts(t)); evaluated != want {
		t.Errorf("%d rules are evaluated, want %d", evaluated, want)
	}
}
