package runtest

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"tengen/checkpoints"
	"tengen/game"
	"tengen/internal/random"
	"tengen/nn"
	"tengen/replay"
	"tengen/replay/record"
	"tengen/search/nneval"
	"tengen/vfs"
)

// Game is the game of [Small].
func Game() game.Game { return game.Must(game.New("tictactoe")) }

// files are those of a run's folder that are text.
var files = map[string]string{
	"config.yaml":        "game: tictactoe\ntraining:\n  iterations: 3\n",
	"config.000001.yaml": "game: tictactoe\ntraining:\n  iterations: 2\n",
	"events.jsonl": `{"time":"2026-11-21T12:00:00Z","event":"start","iteration":0}` + "\n" +
		`{"time":"2026-11-21T12:01:00Z","event":"iteration","iteration":1}` + "\n" +
		`{"time":"2026-11-21T12:02:00Z","event":"iteration","iteration":2}` + "\n",
	"eval/games.jsonl": `{"evaluation":2,"number":0,"players":["uct","000002"],"scores":[0,1]}` +
		"\n",
	"eval/000002.json": `{
  "iteration": 2,
  "game": "tictactoe",
  "player": "az:run@2,simulations=8,c_puct=0.8",
  "baseline": "uct:simulations=8,c=0.8,utility=points",
  "seats": [
    {"seat": "X", "points": {"n": 2, "mean": 0.5, "sd": 0, "low": 0, "high": 1}, "wins": {"n": 2, "mean": 0.5, "sd": 0, "low": 0, "high": 1}},
    {"seat": "O", "points": {"n": 2, "mean": 0.25, "sd": 0, "low": 0, "high": 1}, "wins": {"n": 2, "mean": 0.25, "sd": 0, "low": 0, "high": 1}}
  ],
  "opening": 0,
  "distinct_games": 4,
  "games": 4,
  "seed": 1,
  "sum": {"mean": 0.75, "low": null, "high": null},
  "earlier": [{"iteration": 1, "difference": 0.1, "ci95": 0.2, "games": 4, "rounds": 2, "distinct_rounds": 2, "opening": 4}],
  "rating": 120,
  "rating_low": 60,
  "rating_high": null
}
`,
	"eval/ratings.json": `{
  "anchor": "uct:simulations=8,c=0.8,utility=points",
  "games": 8,
  "networks": [
    {"iteration": 1, "games": 4, "rating": 130, "rating_low": null, "rating_high": null},
    {"iteration": 2, "games": 8, "rating": 120, "rating_low": 60, "rating_high": null}
  ],
  "seats": [
    {"seat": "X", "rating": 0, "rating_low": 0, "rating_high": 0},
    {"seat": "O", "rating": -20.5, "rating_low": -40, "rating_high": -1}
  ]
}
`,
}

// Small makes a run in the folder dir: checkpoints 1 (without counters), 2 and 3 (12
// games), and games in the segments 0–3, 4–7, 8–8 (9 and 10 were played again) and
// 9–11. The games up to 8 are those of [Record] with seed 1, the others with seed 2.
func Small(t testing.TB, dir string) {
	t.Helper()
	for _, sub := range []string{"checkpoints", "replay", "eval"} {
		if err := os.MkdirAll(filepath.Join(dir, sub), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	g := Game()
	for iteration := 1; iteration <= 3; iteration++ {
		c := &checkpoints.Checkpoint{
			Iteration: iteration, Step: uint64(10 * iteration), Game: g.Name(),
			Params: Network(t, g),
		}
		if iteration > 1 {
			c.State = json.RawMessage(fmt.Sprintf(`{"iteration": %d, "games": %d}`,
				iteration, 4*iteration))
		}
		if _, err := checkpoints.Save(filepath.Join(dir, "checkpoints"), c); err != nil {
			t.Fatal(err)
		}
	}
	Keep(t, filepath.Join(dir, "replay"), records(g, 0, 11, 1)...)
	Keep(t, filepath.Join(dir, "replay"), records(g, 9, 12, 2)...)
}

func records(g game.Game, from, to, seed uint64) (list []*record.Game) {
	for n := from; n < to; n++ {
		list = append(list, Record(g, n, seed))
	}
	return list
}

// Record plays a game at random, as a run would record it; the first seat is a
// network's of step 42, the others are UCT's.
func Record(g game.Game, number, seed uint64) *record.Game {
	rng := random.New(seed, random.Test, number)
	rec := &record.Game{
		Number: number, Name: g.Name(), Seed: seed, Scores: make([]float32, g.Players()),
		Returns: make([]float32, g.Players()),
	}
	for p := range g.Players() {
		rec.Seats = append(rec.Seats, record.SeatRecord{Kind: record.UCT})
		if p == 0 {
			rec.Seats[0] = record.SeatRecord{Kind: record.Network, Step: 42}
		}
	}
	s := g.NewState()
	for s.CurrentPlayer() != game.Nobody {
		legal := s.LegalActions(nil)
		m := record.Move{
			Mover: s.CurrentPlayer(), Action: legal[rng.IntN(len(legal))], Choice: len(legal) > 1,
		}
		if len(legal) > 1 {
			for _, a := range legal {
				m.Visits = append(m.Visits, record.Visit{Action: a, N: 2})
			}
			m.Value = make([]float32, g.Players())
		}
		rec.Moves = append(rec.Moves, m)
		s.Apply(m.Action)
	}
	game.Scores(s, rec.Scores)
	s.Returns(rec.Returns)
	return rec
}

// Keep appends games to a replay, beginning with a new segment, four to a segment.
func Keep(t testing.TB, dir string, games ...*record.Game) {
	t.Helper()
	l, err := replay.OpenLog(vfs.OS{}, dir, 4)
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range games {
		if err := l.Append(g); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
}

// Network is a small network for a game.
func Network(t testing.TB, g game.Game) *nn.Params {
	t.Helper()
	spec, err := nneval.Spec(g, nneval.Size{Filters: 1, Hidden: 1})
	if err != nil {
		t.Fatal(err)
	}
	params, err := nn.NewParams(spec)
	if err != nil {
		t.Fatal(err)
	}
	params.Init(random.New(1, random.Test))
	return params
}
