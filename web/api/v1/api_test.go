package v1

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tengen/configs"
	"tengen/game"
	"tengen/replay/record"
	"tengen/run"
	"tengen/run/runtest"
	"tengen/search"
	"tengen/search/nneval"
	"tengen/web/board"
)

func TestRequests(t *testing.T) {
	dir := runtest.MakeRun(t, runtest.Run{
		Game: "go:size=3,players=3", Iterations: 2, Games: 3, Network: true,
	})
	h := newAPI(t, Options{Folder: string(dir)}).Handler()
	for _, c := range []struct {
		method, path, body string
		status             int
		want               string // within the answer
	}{
		{"GET", "/api/v1/run", "", 200, `"name":"example"`},
		{"POST", "/api/v1/run", "{}", 405, ""},
		{"GET", "/api/v1/history", "", 200, `"iteration":[1,2]`},
		{"GET", "/api/v1/games", "", 200, `"id":"5"`},
		{"GET", "/api/v1/games?before=4", "", 200, `{"games":[{"id":"3"`},
		{"GET", "/api/v1/games?before=x", "", 400, "the number of a game is wanted"},
		{"GET", "/api/v1/games?number=4", "", 200, `{"games":[{"id":"4","number":4`},
		{"GET", "/api/v1/games?number=-1", "", 400, "the number of a game is wanted"},
		{"GET", "/api/v1/games/5", "", 200, `"number":5`},
		{"GET", "/api/v1/games/6", "", 404, "no such game"},
		{"GET", "/api/v1/games/21", "", 404, "no such game"},
		{"GET", "/api/v1/games/x", "", 400, ""},
		{"GET", "/api/v1/games/5/analysis?ply=0", "", 200, `"prior":0.`},
		{"GET", "/api/v1/games/5/analysis?ply=9999", "", 400, "a number from 0 to"},
		{"GET", "/api/v1/games/5/analysis", "", 400, ""},
		{"GET", "/api/v1/play/none", "", 404, "no longer there"},
		{"POST", "/api/v1/play/none/step", "{}", 404, "no longer there"},
		{"POST", "/api/v1/play", "", 400, "application/json"},
		{"POST", "/api/v1/play", "{", 400, "can't be read"},
		{"POST", "/api/v1/play", `{"seats":["human"],"simulations":1}`, 400, "3 seats are wanted"},
		{"POST", "/api/v1/play", `{"seats":["human","human","god"],"simulations":1}`,
			400, `"god\" can't sit down`},
		{"POST", "/api/v1/play", `{"seats":["human","human","human"],"simulations":0}`,
			400, "simulations"},
		{"POST", "/api/v1/play", `{"seats":["human","human","human"],"simulations":1000000}`,
			400, "simulations"},
		{"POST", "/api/v1/play", `{"seats":["human","human","human"],"simulations":1,"x":1}`,
			400, "unknown field"},
		{"POST", "/api/v1/play", `{"seats":["human","human","human"],"simulations":1} 2`,
			400, "more than one"},
		{"POST", "/api/v1/play",
			`{"seats":["network","human","human"],"simulations":1,"iteration":77}`,
			404, "no such checkpoint"},
		{"DELETE", "/api/v1/games/5", "", 405, ""},
		{"PUT", "/api/v1/run", "{}", 405, ""},
	} {
		w := runtest.Request(h, c.method, c.path, c.body)
		if w.Code != c.status || !strings.Contains(w.Body.String(), c.want) {
			t.Errorf("%s %s %s: %d, want %d with %q in\n%.300s",
				c.method, c.path, c.body, w.Code, c.status, c.want, w.Body)
		}
	}
}

// ask is the answer to GET path, as JSON into v.
func ask(t *testing.T, p *API, path string, v any) {
	t.Helper()
	w := runtest.Request(p.Handler(), "GET", path, "")
	if w.Code != 200 {
		t.Fatalf("%s: %d %s", path, w.Code, w.Body)
	}
	if err := json.Unmarshal(w.Body.Bytes(), v); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

func TestStatus(t *testing.T) {
	dir := runtest.MakeRun(t, runtest.Run{
		Game: "go:size=3,players=3", Iterations: 4, All: 10, Games: 2,
	})
	now := runtest.Began.Add(4*time.Minute + 20*time.Second)
	clock := func() time.Time { return now }
	live := run.Status{
		Iteration: 4, Iterations: 10, Stage: run.StageSelfPlay, Done: 7, All: 30, GamesPerSecond: 3,
		Left: 90 * time.Second, Concurrent: &run.Evaluating{Iteration: 3, Done: 5, All: 60},
	}
	training := newAPI(t, Options{
		Folder: string(dir), Status: func() run.Status { return live }, Now: clock,
	}).status(t.Context())
	if training.State != "training" || training.Left != 90 || training.Games != 8 ||
		training.Elapsed != 4*36+20 || len(training.Warnings) != 1 {
		t.Errorf("%+v", training)
	}
	want := []stageView{
		{Name: "self-play", Unit: "games", Active: true, Done: 7, All: 30},
		{Name: "replay", Unit: "games"}, {Name: "update", Unit: "steps"},
		{Name: "checkpoint"},
		{Name: "evaluation", Unit: "games", Active: true, Done: 5, All: 60, Note: "of iteration 3"},
	}
	if d := cmp.Diff(want, training.Stages); d != "" {
		t.Error(d)
	}
	// Nobody holds the lock, and no end is recorded: it was interrupted.
	if s := statusOf(t, Options{Folder: string(dir), Now: clock}); s.State != "stopped" ||
		s.Message != "interrupted" {
		t.Errorf("%+v", s)
	}
	// While it stops, and once it has ended in this process, the run itself says so.
	for _, c := range []struct {
		now  run.Status
		want string
	}{
		{run.Status{Iterations: 9, State: run.Stopping}, "stopping"},
		{run.Status{
			Iterations: 9, State: run.Stopped, Message: "stopped after iteration 4 of 9",
		}, "stopped"},
		{run.Status{Iterations: 9, State: run.Complete}, "finished"},
	} {
		s := newAPI(t, Options{
			Folder: string(dir), Now: clock, Status: func() run.Status { return c.now },
		}).status(t.Context())
		if s.State != c.want || s.Message != c.now.Message ||
			(s.Share == 1) != (c.want == "finished") {
			t.Errorf("%+v is %+v", c.now, s)
		}
	}
	f, err := os.OpenFile(dir.Events(), os.O_APPEND|os.O_WRONLY, 0)
	runtest.Must(t, err)
	_, err = f.WriteString(
		`{"time":"2026-03-01T12:05:00Z","event":"stop","iteration":0,"message":"a signal"}` + "\n")
	runtest.Must(t, err)
	runtest.Must(t, f.Close())
	if s := statusOf(t, Options{Folder: string(dir), Now: clock}); s.State != "stopped" ||
		s.Message != "a signal" || s.Iteration != 4 {
		t.Errorf("%+v", s)
	}
	// A run that is limited by its time is finished when that is up, whatever its iterations.
	f, err = os.OpenFile(dir.Events(), os.O_APPEND|os.O_WRONLY, 0)
	runtest.Must(t, err)
	_, err = f.WriteString(
		`{"time":"2026-03-01T12:06:00Z","event":"stop","iteration":4,"message":"` + run.Finished +
			`"}` + "\n")
	runtest.Must(t, err)
	runtest.Must(t, f.Close())
	if s := statusOf(t, Options{Folder: string(dir), Now: clock}); s.State != "finished" ||
		s.Share != 1 || s.Iteration >= s.Iterations {
		t.Errorf("%+v", s)
	}
}

// A logged game comes back move by move, and its pictures are those of its positions.
func TestRecord(t *testing.T) {
	dir := runtest.MakeRun(t, runtest.Run{Game: "go:size=4,players=3", Iterations: 1, Games: 3})
	p := newAPI(t, Options{Folder: string(dir)})
	want, err := p.games.read(2)
	runtest.Must(t, err)
	var got transcript
	ask(t, p, "/api/v1/games/2", &got)
	if len(got.Moves) != len(want.Moves) || len(got.Frames) != len(want.Moves)+1 ||
		*got.Number != 2 || got.Seats[0].By != "UCT" || got.Seats[2].By != "network, step 7" {
		t.Fatalf("%d moves, %d frames, number %d, seats %v",
			len(got.Moves), len(got.Frames), *got.Number, got.Seats)
	}
	s := p.game.NewState()
	var frame board.Frame
	for k, m := range want.Moves {
		frame = got.Frames[k].Apply(frame)
		if drawn := p.drawer.Draw(s, game.Nobody); len(drawn.Shapes) != len(frame.Shapes) ||
			got.Frames[k].Mover != s.CurrentPlayer() {
			t.Fatalf("ply %d: %d shapes, want %d; mover %d, want %d",
				k, len(frame.Shapes), len(drawn.Shapes), got.Frames[k].Mover, s.CurrentPlayer())
		}
		v := got.Moves[k]
		if v.Action != m.Action || v.Mover != m.Mover ||
			v.Name != game.ActionName(p.game, s, m.Action) || !cmp.Equal(v.Value, m.Value) {
			t.Fatalf("ply %d: %+v, want %+v", k, v, m)
		}
		for i, visit := range m.Visits {
			if v.Acted[i] != visit.Action || v.Visits[i] != visit.N ||
				got.Names[visit.Action] == "" {
				t.Fatalf("ply %d: visits %v %v, want %v", k, v.Acted, v.Visits, m.Visits)
			}
		}
		s.Apply(m.Action)
	}
	// A policy target is told beside the visits.
	k := slices.IndexFunc(want.Moves, func(m record.Move) bool { return len(m.Visits) > 1 })
	want.Moves[k].Policy = make([]uint16, len(want.Moves[k].Visits))
	want.Moves[k].Policy[0], want.Moves[k].Visits[1].N = record.MaxWeight, 0
	told, err := recordOf(p.game, p.drawer, want)
	runtest.Must(t, err)
	if v := told.Moves[k]; !slices.Equal(v.Policy, want.Moves[k].Probabilities()) ||
		v.Visits[1] != 0 || len(v.Acted) != len(v.Policy) {
		t.Errorf("ply %d: the policy %v of %v, %v visits", k, v.Policy, v.Acted, v.Visits)
	}
	if !cmp.Equal(got.Scores, want.Scores) || !cmp.Equal(got.Returns, want.Returns) ||
		got.Frames[len(want.Moves)].Mover != game.Nobody {
		t.Errorf("the end: %v %v", got.Scores, got.Returns)
	}
	// A record that breaks the rules is refused.
	want.Moves[3].Action = want.Moves[0].Action
	want.Moves[0].Action = 9999
	if _, err := recordOf(p.game, p.drawer, want); err == nil ||
		!strings.Contains(err.Error(), "ply 0: action 9999 is not legal") {
		t.Errorf("an illegal move: %v", err)
	}
}

// The network's opinion against evaluations one by one.
func TestThought(t *testing.T) {
	dir := runtest.MakeRun(t, runtest.Run{
		Game: "go:size=3,players=3", Iterations: 1, Games: 2, Network: true,
	})
	p := newAPI(t, Options{Folder: string(dir)})
	g, err := p.games.read(1)
	runtest.Must(t, err)
	m, err := p.models.load(-1)
	runtest.Must(t, err)
	one := nneval.New(p.game, m.weights.NewEvaluator(), 1, nneval.Options{})
	s := p.game.NewState()
	for ply, move := range g.Moves {
		legal := s.LegalActions(nil)
		var got networkAnalysis
		ask(t, p, fmt.Sprintf("/api/v1/games/1/analysis?ply=%d", ply), &got)
		one.Add(s)
		evaluations := evaluate(t, one)
		near(t, ply, got.Value, evaluations.Utilities(0))
		sum := 0.0
		for _, a := range legal {
			sum += math.Exp(float64(evaluations.Logits(0)[a]))
		}
		if len(got.Moves) != len(legal) {
			t.Fatalf("ply %d: %d moves, want %d", ply, len(got.Moves), len(legal))
		}
		priors := append([]float32(nil), evaluations.Logits(0)...)
		for i, a := range legal {
			x := got.Moves[i]
			if x.Action != a || x.Name != game.ActionName(p.game, s, a) {
				t.Fatalf("ply %d: %+v, want action %d", ply, x, a)
			}
			near(t, ply, []float32{*x.Prior},
				[]float32{float32(math.Exp(float64(priors[a])) / sum)})
			next := p.game.NewState()
			next.CopyFrom(s)
			next.Apply(a)
			value := make([]float32, p.game.Players())
			if next.CurrentPlayer() == game.Nobody {
				next.Returns(value)
			} else {
				one.Add(next)
				copy(value, evaluate(t, one).Utilities(0))
			}
			near(t, ply, x.Value, value)
		}
		s.Apply(move.Action)
		if ply == 6 {
			break
		}
	}
	// Once the game is over nobody has an opinion.
	if w := runtest.Request(p.Handler(), "GET",
		fmt.Sprintf("/api/v1/games/1/analysis?ply=%d", len(g.Moves)), ""); w.Code != 400 {
		t.Errorf("a thought about the end: %d", w.Code)
	}
}

func near(t *testing.T, ply int, got, want []float32) {
	t.Helper()
	for i := range want {
		if len(got) != len(want) || math.Abs(float64(got[i]-want[i])) > 1e-5 {
			t.Fatalf("ply %d: %v, want %v", ply, got, want)
		}
	}
}

// A network that training has removed makes way for the newest one.
func TestModels(t *testing.T) {
	dir := runtest.MakeRun(t, runtest.Run{
		Game: "tictactoe", Iterations: 1, Games: 1, Network: true,
	})
	p := newAPI(t, Options{Folder: string(dir)})
	first, err := p.models.load(-1)
	runtest.Must(t, err)
	if again, _ := p.models.load(1); again != first {
		t.Error("a network is loaded twice")
	}
	spec, err := run.NetworkSpec(p.config, p.game)
	runtest.Must(t, err)
	for i := 2; i <= 4; i++ {
		runtest.SaveNetwork(t, dir, p.game, spec, i)
	}
	runtest.Must(t, os.RemoveAll(filepath.Join(dir.Checkpoints(), "000002")))
	if m, err := p.models.load(-1); err != nil || m.iteration != 4 {
		t.Errorf("the newest is %v, %v", m, err)
	}
	if _, err := p.models.load(2); !errors.Is(err, errNoNetwork) ||
		!strings.Contains(err.Error(), "the nearest are of 1 and 3") {
		t.Errorf("one that is gone: %v", err)
	}
	if got := p.models.iterations(); !cmp.Equal(got, []int{1, 3, 4}) {
		t.Errorf("iterations %v", got)
	}
	if len(p.models.kept) > keptModels {
		t.Errorf("%d networks are kept", len(p.models.kept))
	}
}

// snapshot is every file below a folder, with its content and time.
func snapshot(t *testing.T, dir string) map[string]string {
	t.Helper()
	list := map[string]string{}
	runtest.Must(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		text := fmt.Sprint(info.Mode(), info.ModTime())
		if !d.IsDir() {
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			text += fmt.Sprintf(" %x", sha256.Sum256(data))
		}
		list[path] = text
		return nil
	}))
	return list
}

// Whatever is asked of the page, the run stays as it is.
func TestNothingIsChanged(t *testing.T) {
	dir := runtest.MakeRun(t, runtest.Run{
		Game: "tictactoe", Iterations: 3, Games: 3, Network: true,
	})
	before := snapshot(t, string(dir))
	p := newAPI(t, Options{Folder: string(dir)})
	h := p.Handler()
	for _, path := range []string{
		"/api/v1/run", "/api/v1/history", "/api/v1/games", "/api/v1/games/0",
		"/api/v1/games/0/analysis?ply=1",
	} {
		if w := runtest.Request(h, "GET", path, ""); w.Code != 200 {
			t.Errorf("%s: %d %s", path, w.Code, w.Body)
		}
	}
	playWhole(t, h, []string{"human", "network"})
	p.news(t.Context())
	if d := cmp.Diff(before, snapshot(t, string(dir))); d != "" {
		t.Error(d)
	}
}

// evaluate returns the evaluations of the states added to e.
func evaluate(t testing.TB, e search.Evaluator) search.Evaluations {
	t.Helper()
	evaluations, err := e.Evaluate()
	runtest.Must(t, err)
	return evaluations
}

// The page of a run that has not begun, and of one without a network.
func TestEmptyRun(t *testing.T) {
	c := configs.Default()
	c.Game = "tictactoe"
	dir := filepath.Join(t.TempDir(), "later")
	p := newAPI(t, Options{
		Folder: dir, Config: &c, Status: func() run.Status { return run.Status{} },
	})
	h := p.Handler()
	var v runView
	ask(t, p, "/api/v1/run", &v)
	if v.Status.State != "waiting" || v.Name != "later" || v.Networks == nil ||
		len(v.Networks) != 0 {
		t.Errorf("%+v, %+v", v, v.Status)
	}
	for path, want := range map[string]string{
		"/api/v1/history": `{"version":0,"iterations":{},"evaluations":{},"ratings":{}}`,
		"/api/v1/games":   `{"games":[]}`,
	} {
		if w := runtest.Request(h, "GET", path, ""); w.Body.String() != want {
			t.Errorf("%s: %s", path, w.Body)
		}
	}
	if w := runtest.Request(h, "POST", "/api/v1/play",
		`{"seats":["human","network"],"simulations":1}`); w.Code != 404 {
		t.Errorf("a game against no network: %d %s", w.Code, w.Body)
	}
}
