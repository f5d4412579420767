package runtest

import (
	"encoding/json"
	"io/fs"
	"math"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tengen/checkpoints"
	"tengen/configs"
	"tengen/game"
	_ "tengen/game/all"
	"tengen/internal/random"
	"tengen/nn"
	"tengen/replay"
	"tengen/replay/record"
	"tengen/run"
	"tengen/vfs"
)

// Unsynced is a file system that does not wait for the disk: folders of tests
// need not survive a power cut.
type Unsynced struct{ vfs.OS }

type unsyncedFile struct{ vfs.File }

func (unsyncedFile) Sync() error { return nil }

func (u Unsynced) SyncDir(string) error { return nil }

func (u Unsynced) OpenFile(name string, flag int, perm fs.FileMode) (vfs.File, error) {
	f, err := u.OS.OpenFile(name, flag, perm)
	if err != nil {
		return nil, err
	}
	return unsyncedFile{f}, nil
}

// Run describes the folder of a run to make up for a test.
type Run struct {
	Game       string
	Iterations int // made
	All        int // to be made; 0: as many
	Games      int // an iteration
	Counted    int // that the event log tells of; 0: as many
	Network    bool
	Minutes    float64 // that it may take; 0: any number
}

// Began is when runs made up for tests begin.
var Began = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// MakeRun makes a run's folder.
func MakeRun(t testing.TB, x Run) run.Folder {
	t.Helper()
	dir := run.Folder(filepath.Join(t.TempDir(), "example"))
	for _, d := range []string{
		dir.Checkpoints(), dir.Replay(), filepath.Join(string(dir), "eval"),
	} {
		Must(t, os.MkdirAll(d, 0o755))
	}
	c := configs.Default()
	c.Game = x.Game
	if x.Network {
		c.Network.Blocks, c.Network.Filters, c.Network.Hidden = 1, 4, 4
	}
	c.Training.Iterations, c.Training.Minutes = max(x.Iterations, x.All), x.Minutes
	text, err := c.YAML()
	Must(t, err)
	Must(t, os.WriteFile(dir.Config(), text, 0o644))
	g := game.Must(game.New(x.Game))
	writeEvents(t, dir, g, x)
	writeGames(t, dir, g, x)
	if x.Network {
		spec, err := run.NetworkSpec(&c, g)
		Must(t, err)
		SaveNetwork(t, dir, g, spec, x.Iterations)
	}
	return dir
}

func SaveNetwork(t testing.TB, dir run.Folder, g game.Game, spec nn.Spec, iteration int) {
	t.Helper()
	store := checkpoints.Store{FS: Unsynced{}, Dir: dir.Checkpoints()}
	params, err := nn.NewParams(spec)
	Must(t, err)
	params.Init(random.New(1, random.Weights))
	_, err = store.Save(&checkpoints.Checkpoint{
		Iteration: iteration, Game: g.Name(), Params: params, State: json.RawMessage("{}"),
	})
	Must(t, err)
}

func Must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// writeEvents writes an event log as training does.
func writeEvents(t testing.TB, dir run.Folder, g game.Game, x Run) {
	t.Helper()
	f, err := os.Create(dir.Events())
	Must(t, err)
	defer f.Close()
	rng := random.New(1, random.Test)
	counted := max(x.Games, x.Counted)
	write := func(iteration int, event string, more map[string]any) {
		line := map[string]any{
			"time": Began.Add(time.Duration(iteration) * time.Minute), "event": event,
			"iteration": iteration,
		}
		for k, v := range more {
			line[k] = v
		}
		text, err := json.Marshal(line)
		Must(t, err)
		_, err = f.Write(append(text, '\n'))
		Must(t, err)
	}
	write(0, "start", nil)
	for i := 1; i <= x.Iterations; i++ {
		share := float64(i) / float64(x.Iterations)
		learnt := 1 - math.Exp(-3*share)
		loss := func(more float64) map[string]any {
			noise := 0.015 * rng.NormFloat64()
			return map[string]any{
				"total": 4 - 0.8*learnt + more + noise, "policy": 2.1 - 0.6*learnt + more/2 + noise,
				"value": 0.66 - 0.12*learnt + more/4 + noise/3, "l2": 0.1 + 0.02*learnt,
				"policy_accuracy": 0.2 + 0.38*learnt + noise,
				"policy_entropy":  2.1 - 0.5*learnt + noise/2,
				"target_entropy":  1.15 + 0.2*learnt + noise/4,
				"gradient_norm":   2.2 + 2*math.Exp(-9*share) + 4*noise,
				"learning_rate": 0.001 * (1 +
					math.Cos(math.Pi*float64(i)/float64(max(x.Iterations, x.All)))),
			}
		}
		scores := make([]float64, g.Players())
		for p := range scores {
			scores[p] = 9 - float64(p) + 2*learnt*float64(p) + 0.5*rng.NormFloat64()
		}
		write(i, "iteration", map[string]any{
			"games": i * counted, "window_games": min(i*counted, 3000),
			"window_positions": 50 * min(i*counted, 3000),
			"evaluations":      50_000 * i, "cache_hits": 0.2*learnt + 0.005*rng.Float64(),
			"plies": 61 + 4*share + rng.NormFloat64(), "scores": scores, "steps": 200 * i,
			"losses": loss(0), "held_out": loss(0.08), "play_seconds": 25 + 3*rng.Float64(),
			"update_seconds": 9, "elapsed_seconds": 36 * i,
		})
		if i%max(1, x.Iterations/12) == 0 {
			points, widths, base := make([]float64, g.Players()), make([]float64, g.Players()),
				make([]float64, g.Players())
			sum := 0.0
			for p := range points {
				points[p], widths[p], base[p] = 22*learnt-1.5*float64(p)+rng.NormFloat64(), 2.5, 8
				sum += points[p]
			}
			write(i, "evaluation", map[string]any{"strength": map[string]any{
				"points": points, "ci95": widths, "baseline": base, "sum": sum, "sum_ci95": 4.2,
				"games": 50, "against": "uct:simulations=180",
				"rating": 620 * learnt, "rating_low": 620*learnt - 60,
				"rating_high": 620*learnt + 60,
			}})
		}
	}
	if x.Iterations > 2 {
		write(2, "warning", map[string]any{
			"message": "descent.max_nodes cut 3 of 40 searches short: their trees had no room left",
		})
	}
}

// writeGames writes a segment of random games for each iteration. Of long runs
// the same games come again and again, with numbers of their own.
func writeGames(t testing.TB, dir run.Folder, g game.Game, x Run) {
	t.Helper()
	rng := random.New(2, random.Test)
	var made []*record.Game
	for range min(x.Games, 20) {
		made = append(made, RandomGame(g, rng))
	}
	for i := range x.Iterations {
		log, err := replay.OpenLog(Unsynced{}, dir.Replay(), 1<<30)
		Must(t, err)
		for k := range x.Games {
			r := *made[k%len(made)]
			r.Number, r.Iteration = uint64(i*x.Games+k), i
			Must(t, log.Append(&r))
		}
		Must(t, log.Close())
	}
}

// RandomGame is a game of random moves, with visits and values that are made up.
func RandomGame(g game.Game, rng *rand.Rand) *record.Game {
	players := g.Players()
	r := &record.Game{
		Name: g.Name(), Scores: make([]float32, players), Returns: make([]float32, players),
	}
	for range players {
		r.Seats = append(r.Seats, record.SeatRecord{Kind: record.Network, Step: 7})
	}
	r.Seats[0] = record.SeatRecord{Kind: record.UCT}
	s := g.NewState()
	for s.CurrentPlayer() != game.Nobody {
		if s.CurrentPlayer() == game.Chance {
			a := s.(game.Chancer).Sample(rng)
			r.Moves = append(r.Moves, record.Move{Action: a, Mover: game.Chance})
			s.Apply(a)
			continue
		}
		legal := s.LegalActions(nil)
		m := record.Move{
			Action: legal[rng.IntN(len(legal))], Mover: s.CurrentPlayer(), Choice: len(legal) > 1,
		}
		if len(legal) > 1 {
			for _, a := range legal {
				m.Visits = append(m.Visits, record.Visit{Action: a, N: uint32(1 + rng.IntN(20))})
			}
			for range players {
				m.Value = append(m.Value, rng.Float32())
			}
		}
		s.Apply(m.Action)
		r.Moves = append(r.Moves, m)
	}
	game.Scores(s, r.Scores)
	s.Returns(r.Returns)
	return r
}

// Request asks a handler; head holds header lines "Name: value", of which Host
// and Method stand for the request's own.
func Request(h http.Handler, method, path, body string, head ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	r.Host = "127.0.0.1:9464"
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for _, line := range head {
		name, value, _ := strings.Cut(line, ": ")
		if name == "Host" {
			r.Host = value
			continue
		}
		r.Header.Set(name, value)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}
