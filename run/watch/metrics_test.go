package watch

import (
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	_ "tengen/game/all"
	"tengen/metrics"
	"tengen/run"
)

// What a process that trains tells by its metrics is shown.
func TestMetrics(t *testing.T) {
	clock := time.Now()
	m := metrics.New(&metrics.Options{Now: func() time.Time { return clock }})
	m.Describe("go:size=5,players=3", "alphazero", "portable")
	server := httptest.NewServer(m.Handler())
	defer server.Close()
	s, err := Open(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	m.Seats([]string{"Black", "White", "Red"})
	m.Iterations.Set(20)
	now := time.Now()
	x, err := s.Look(t.Context(), now)
	if err != nil {
		t.Fatal(err)
	}
	if x.State != "running" || x.Game != "go:size=5,players=3" || x.Algorithm != "alphazero" ||
		x.Iterations != 20 || x.Iteration != 0 || x.Stage != "" ||
		len(x.Losses) != 0 || x.Strength != nil || x.Rating != nil || x.GamesRate != nil ||
		x.Left != nil || len(x.Warnings) != 0 {
		t.Errorf("at the start: %+v", x)
	}

	// Ten seconds later: two iterations, an evaluation, an update under way.
	for range 30 {
		m.GamesFinished.Inc()
	}
	m.Batch(200, 256, time.Millisecond)
	m.Lookups(400, 100)
	for _, stage := range []run.Stage{
		run.StageSelfPlay, run.StageUpdate, run.StageSelfPlay, run.StageUpdate, run.StageCheckpoint,
	} {
		leave := m.Enter(stage)
		clock = clock.Add(6 * time.Second)
		leave()
	}
	m.Enter(run.StageEvaluation)
	m.Enter(run.StageUpdate)
	m.Iteration.Set(2)
	m.Training.Policy.Set(1.5)
	m.Training.Value.Set(0.5)
	m.Training.Total.Set(2)
	m.HeldOut.Policy.Set(1.75)
	m.HeldOut.Value.Set(0.75)
	m.ReplayGames.Set(300)
	m.EvaluationGames.Add(10)
	m.EvaluationIteration.Set(2)
	for _, seat := range []string{"Black", "White", "Red"} {
		m.Points(seat, 12, 3)
		m.Anchor(seat, 8)
	}
	m.Rating.Set(50, math.Inf(-1), 90)
	m.Checkpoint(now, time.Second)
	x, err = s.Look(t.Context(), now.Add(10*time.Second))
	if err != nil {
		t.Fatal(err)
	}
	if x.Iteration != 2 || x.Stage != "update, evaluation" || *x.GamesRate != 3 ||
		*x.EvaluationsRate != 20 || *x.CacheHits != 0.25 || x.RatesOf != "the last 10 s" ||
		x.Window != 300 {
		t.Errorf("%+v", x)
	}
	if len(x.Losses) != 2 || *x.Losses[0].Training != 1.5 || *x.Losses[1].HeldOut != 0.75 ||
		len(x.Losses[0].Curve) != 1 || x.Losses[0].Curve[0] != 1.75 {
		t.Errorf("losses %+v", x.Losses)
	}
	if p := x.Strength; p == nil || p.Iteration != 2 || p.Seats[1].Seat != "White" ||
		p.Seats[2].Seat != "Red" || *p.Seats[0].CI95 != 3 || *p.Seats[0].Baseline != 8 ||
		p.Sum != 36 || math.Abs(*p.CI95-3*math.Sqrt(3)) > 1e-9 {
		t.Errorf("strength %+v", p)
	}
	if r := x.Rating; r == nil || r.Rating != 50 || r.Low != nil || *r.High != 90 {
		t.Errorf("rating %+v", r)
	}
	// 30 s for two iterations, 18 of which are left.
	if x.Left == nil || math.Abs(*x.Left-270) > 1e-6 || x.Saved.Sub(now).Abs() > time.Millisecond {
		t.Errorf("left %v, saved %v", x.Left, x.Saved)
	}

	// The curves grow with the iterations, not with the looks.
	for i := range 3 {
		m.Iteration.Set(float64(3 + i/2))
		m.HeldOut.Policy.Set(1.5 - float64(i/2)/4)
		if x, err = s.Look(t.Context(), now.Add(time.Duration(11+i)*time.Second)); err != nil {
			t.Fatal(err)
		}
	}
	if got := fmt.Sprint(x.Losses[0].Curve); got != "[1.75 1.5 1.25]" {
		t.Errorf("curve %s", got)
	}
	if len(x.Strength.Curve) != 1 {
		t.Errorf("strength's curve %v", x.Strength.Curve)
	}

	m.WriteFailures.Inc()
	m.Training.Total.Set(math.NaN())
	if x, err = s.Look(t.Context(), now.Add(20*time.Second)); err != nil || len(x.Warnings) != 2 {
		t.Errorf("%v: warnings %+v", err, x.Warnings)
	}
}

// Every series that is asked for is one of those that a run has.
func TestNames(t *testing.T) {
	m := metrics.New(&metrics.Options{Folder: t.TempDir()})
	m.Describe("tictactoe", "descent", "portable")
	m.Seats([]string{"X", "O"})
	server := httptest.NewServer(m.Handler())
	defer server.Close()
	got, err := fetch(t.Context(), server.Client(), server.URL+"/metrics", time.Now())
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, file := range []string{"metrics.go", "scrape.go"} {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range regexp.MustCompile(`tengen_[a-z_]+`).
			FindAllString(string(source), -1) {
			n++
			if len(got.series(name)) == 0 {
				t.Errorf("%s asks for %s, which there is not", file, name)
			}
		}
	}
	if n < 20 {
		t.Errorf("%d names were found", n)
	}
}

// Another process at the same address begins its own rates.
func TestAnotherProcess(t *testing.T) {
	games := 100.
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w,
			"tengen_iterations 5\ntengen_games_finished_total %g\ntengen_steps_total 0\n", games)
	}))
	defer server.Close()
	s, err := Open(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	for i, c := range []struct {
		games float64
		rate  string
	}{{100, "none"}, {110, "10"}, {5, "none"}, {7, "2"}} {
		games = c.games
		x, err := s.Look(t.Context(), now.Add(time.Duration(i)*time.Second))
		if err != nil {
			t.Fatal(err)
		}
		rate := "none"
		if x.GamesRate != nil {
			rate = fmt.Sprint(*x.GamesRate)
		}
		if rate != c.rate {
			t.Errorf("look %d: %s games/s, want %s", i, rate, c.rate)
		}
	}
}

func TestNotMetrics(t *testing.T) {
	for _, c := range []struct {
		status int
		text   string
		want   string
	}{
		{404, "", "it answers 404 Not Found"},
		{302, "", "it answers 302 Found"},
		{200, "<html>", "its text is not of Prometheus"},
		{200, "up 1\n", "there is no tengen_iterations"},
		{200, "# " + strings.Repeat("x", maxScrape), "more than"},
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			if c.status == 302 {
				w.Header().Set("Location", "http://127.0.0.1:1/")
			}
			w.WriteHeader(c.status)
			_, _ = w.Write([]byte(c.text))
		}))
		s, err := Open(server.URL)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Look(t.Context(), time.Now()); err == nil ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("%d: error %v, want %q", c.status, err, c.want)
		}
		server.Close()
	}
	for _, text := range []string{"ftp://host", "http://", "http://a b"} {
		if _, err := Open(text); err == nil || !strings.Contains(err.Error(), "http://host:port") {
			t.Errorf("%s: %v", text, err)
		}
	}
}
