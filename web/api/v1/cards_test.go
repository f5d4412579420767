package v1

import (
	"encoding/json"
	"slices"
	"testing"

	"tengen/game"
	"tengen/internal/random"
	"tengen/search/nneval"
	"tengen/web/internal/webtest"
)

// After an action that chance follows, a seat gets the mean over what chance may
// do; the reference takes one outcome at a time.
func TestThoughtsBeforeADraw(t *testing.T) {
	dir := webtest.MakeRun(t, webtest.Run{
		Game: "tcg:deck=[1/1/1,1/1/1,3/0/2,0/2/9,removal],hand=2,hp=9", Iterations: 1, Games: 1,
		Network: true,
	})
	p := newAPI(t, Options{Folder: string(dir)})
	m, err := p.models.load(-1)
	webtest.Must(t, err)
	one := nneval.New(p.game, m.weights.NewEvaluator(), 1, nneval.Options{})
	utilities := func(s game.State) []float32 {
		value := make([]float32, 2)
		if s.CurrentPlayer() == game.Nobody {
			s.Returns(value)
			return value
		}
		one.Add(s)
		copy(value, evaluate(t, one).Utilities(0))
		return value
	}
	rng := random.New(1, random.Test)
	s, next, after := p.game.NewState(), p.game.NewState(), p.game.NewState()
	means := 0
	for ply := 0; s.CurrentPlayer() != game.Nobody; ply++ {
		if s.CurrentPlayer() == game.Chance {
			s.Apply(s.(game.Chancer).Sample(rng))
			continue
		}
		o, err := m.think(t.Context(), p.game, s)
		webtest.Must(t, err)
		legal := s.LegalActions(nil)
		for i, a := range legal {
			next.CopyFrom(s)
			next.Apply(a)
			want := make([]float32, 2)
			if next.CurrentPlayer() != game.Chance {
				copy(want, utilities(next))
			} else {
				outcomes := next.(game.Chancer).Outcomes(nil)
				if len(outcomes) > 1 {
					means++
				}
				for _, x := range outcomes {
					after.CopyFrom(next)
					after.Apply(x.Action)
					for k, v := range utilities(after) {
						want[k] += float32(x.Probability) * v
					}
				}
			}
			near(t, ply, o.Moves[i].Value, want)
		}
		s.Apply(legal[rng.IntN(len(legal))])
	}
	if means == 0 {
		t.Error("no draw of several cards was met")
	}
}

// What the page is told of a game is a matter of the moves so far: other cards
// that are drawn later, by chance of another seed, are not in it. Names are those
// of the phase.
func TestTheFutureIsNotTold(t *testing.T) {
	dir := webtest.MakeRun(t, webtest.Run{Game: "tcg:hp=15", Iterations: 1, Games: 1})
	p := newAPI(t, Options{Folder: string(dir)})
	s, err := p.sessions.begin(setup{Seats: []string{"random", "human"}, Simulations: 1})
	webtest.Must(t, err)
	told := func(s *session) string {
		v := s.view(-1)
		v.ID = ""
		text, err := json.Marshal(v)
		webtest.Must(t, err)
		return string(text)
	}
	drawn := map[string]bool{} // what the next draw brings, by the seed
	for len(s.recorder.record.Moves) < 60 && s.recorder.state.CurrentPlayer() != game.Nobody {
		other := &session{
			seed: s.seed + 1 + uint64(len(s.recorder.record.Moves)), seats: s.seats,
			evaluators: s.evaluators,
		}
		other.replay(p.game, p.drawer, game.Nobody, slices.Clone(s.recorder.record.Moves))
		other.people = slices.Clone(s.people)
		if a, b := told(s), told(other); a != b {
			t.Fatalf("two games of the same moves are told as\n%s\nand\n%s", a, b)
		}
		if s.recorder.state.CurrentPlayer() == game.Chance {
			webtest.Must(t, other.step(t.Context()))
			drawn[other.recorder.record.Moves[len(other.recorder.record.Moves)-1].Name] = true
		}
		if s.game.Waiting() {
			webtest.Must(t, s.move(len(s.recorder.record.Moves),
				s.recorder.legal[len(s.recorder.legal)-1]))
		} else {
			webtest.Must(t, s.step(t.Context()))
		}
	}
	if len(drawn) < 3 {
		t.Errorf("the other futures bring %v: they do not differ", drawn)
	}
}

// An action has the name of the phase in which it is considered.
func TestNamesOfAPhase(t *testing.T) {
	dir := webtest.MakeRun(t, webtest.Run{Game: "tcg", Iterations: 1, Games: 1})
	p := newAPI(t, Options{Folder: string(dir)})
	var r transcript
	ask(t, p, "/api/v1/games/0.0", &r)
	s := p.game.NewState()
	others := 0
	for k, m := range r.Moves {
		for _, a := range m.Acted {
			name, here := m.Names[a]
			if here {
				others++
			} else {
				name = r.Names[a]
			}
			if want := game.ActionName(p.game, s, a); name != want {
				t.Fatalf("ply %d: action %d is called %q, want %q", k, a, name, want)
			}
		}
		if m.Told == "" {
			t.Fatalf("ply %d: %s is not told", k, m.Name)
		}
		s.Apply(m.Action)
	}
	if others == 0 {
		t.Error("no action goes by two names")
	}
}
