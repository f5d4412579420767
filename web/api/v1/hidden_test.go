package v1

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"tengen/game"
	"tengen/internal/random"
	"tengen/run/runtest"
	"tengen/search/nneval"
	"tengen/web/board"
)

// What a person is sent of a game with hidden hands says nothing of what was dealt
// to others: not the cards, not their names, not their drawing.
func TestHiddenHands(t *testing.T) {
	g := game.Must(game.New("turtle:players=2"))
	x := newSessions(g, board.For(g), nil, time.Now, NewSearches())
	s, err := x.begin(setup{Seats: []string{byPerson, byRandom}, Simulations: 4})
	runtest.Must(t, err)
	proceed := func() {
		for !s.view(-1).Ready {
			runtest.Must(t, s.step(t.Context()))
		}
	}
	proceed()
	dealt, own := 0, 0
	for n := 0; n < 12 && s.recorder.state.CurrentPlayer() != game.Nobody; n++ {
		v := s.view(-1)
		other := g.NewState() // which the person can't tell apart
		other.CopyFrom(s.recorder.state)
		other.(game.ImperfectInformation).Determinize(random.New(uint64(n), random.Test), 0)
		if a, b := s.recorder.frame, s.recorder.drawer.Draw(other, 0); !reflect.DeepEqual(a, b) {
			t.Fatalf("drawn are %+v and %+v", a, b)
		}
		for i, m := range v.Moves {
			if m.Mover == game.Chance {
				dealt++
				if m.Action != game.NoAction || m.Name != v.Moves[0].Name {
					t.Fatalf("move %d tells what was dealt: %+v", i, m)
				}
				switch {
				case strings.HasPrefix(m.Told, "player 1 "): // the own card
					own++
				case m.Told != "player 2 is dealt a turtle" &&
					m.Told != "player 2 is dealt a card" && m.Told != "player 2 draws a card":
					t.Fatalf("move %d tells what was dealt: %+v", i, m)
				}
				if s.recorder.record.Moves[i].Action == game.NoAction {
					t.Fatalf("move %d is lost", i)
				}
			} else if m.Action == game.NoAction {
				t.Fatalf("move %d, which all see, is not told", i)
			}
		}
		for a := range v.Names {
			if int(a) >= g.Actions() {
				t.Fatalf("what was dealt is named: %q", v.Names[a])
			}
		}
		runtest.Must(t, s.move(len(s.recorder.record.Moves), s.recorder.legal[0]))
		proceed()
	}
	if dealt < 10 || own < 6 || own == dealt {
		t.Errorf("%d cards dealt, %d of them to the person", dealt, own)
	}
}

// Where players move in secret, a person is not sent the others' moves.
func TestSecretMoves(t *testing.T) {
	g := game.Must(game.New("phantom"))
	x := newSessions(g, board.For(g), nil, time.Now, NewSearches())
	s, err := x.begin(setup{Seats: []string{byPerson, byRandom}, Simulations: 4})
	runtest.Must(t, err)
	hidden := 0
	for {
		for !s.view(-1).Ready {
			runtest.Must(t, s.step(t.Context()))
		}
		for i, m := range s.view(-1).Moves {
			secret := m.Mover == 1
			if (m.Action == game.NoAction) != secret || (m.Name == "hidden") != secret ||
				secret && m.Forced {
				t.Fatalf("move %d is told as %+v", i, m)
			}
			if secret {
				hidden++
			}
		}
		if s.recorder.state.CurrentPlayer() == game.Nobody {
			break
		}
		runtest.Must(t, s.move(len(s.recorder.record.Moves), s.recorder.legal[0]))
	}
	if hidden < 2 {
		t.Errorf("%d moves are hidden", hidden)
	}
}

// An analysis or a hint that a person asks for is the same in every position that it can't tell
// from the true one, to the byte.
func TestAnalysesTellNoSecrets(t *testing.T) {
	for _, name := range []string{
		"turtle", "turtle:players=3,history=2", "kuhn", "leduc", "phantom",
	} {
		dir := runtest.MakeRun(t, runtest.Run{Game: name, Iterations: 1, Games: 1, Network: true})
		p := newAPI(t, Options{Folder: string(dir)})
		h := p.Handler()
		asked, ended := 0, 0
		for number := 0; ended < 3; number++ {
			g := p.game
			seats := make([]string, g.Players())
			for i := range seats {
				seats[i] = byRandom
			}
			seats[number%len(seats)] = byPerson
			v := post(t, h, "/api/v1/play", seated(seats, 1))
			s, err := p.sessions.find(v.ID)
			runtest.Must(t, err)
			for ; ; v = post(t, h, "/api/v1/play/"+v.ID+"/step", "{}") {
				if !v.Ready {
					continue
				}
				if len(v.Legal) == 0 {
					ended++
					break
				}
				think := func() string {
					w := runtest.Request(h, "GET", "/api/v1/play/"+v.ID+"/analysis", "")
					if w.Code != 200 {
						t.Fatalf("%s: %d %s", name, w.Code, w.Body)
					}
					return w.Body.String()
				}
				hint := func() string {
					w := runtest.Request(h, "POST", "/api/v1/play/"+v.ID+"/hint", "{}")
					if w.Code != 200 {
						t.Fatalf("%s: %d %s", name, w.Code, w.Body)
					}
					return w.Body.String()
				}
				if w := runtest.Request(h, "GET", "/api/v1/play/"+v.ID+"/record",
					""); w.Code != 400 {
					t.Fatalf("%s: the file of a game that is not over: %d %s", name, w.Code, w.Body)
				}
				want, advised := think(), hint()
				truth := g.NewState()
				truth.CopyFrom(s.recorder.state)
				for i := range uint64(3) {
					s.recorder.state.(game.ImperfectInformation).Determinize(random.New(i,
						random.Test, uint64(asked)), truth.CurrentPlayer())
					if got := think(); got != want {
						t.Fatalf("%s: a position is analyzed as %s, one that the player can't tell from it as %s", name, want, got)
					}
					if i == 0 {
						if got := hint(); got != advised {
							t.Fatalf("%s: in a position the hint is %s, in one that the player can't tell from it %s", name, advised, got)
						}
					}
					s.recorder.state.CopyFrom(truth)
				}
				asked++
				legal := v.Legal[asked%len(v.Legal)].Action
				v = post(t, h, "/api/v1/play/"+v.ID+"/move",
					fmt.Sprintf(`{"ply":%d,"action":%d}`, len(s.recorder.record.Moves), legal))
				if v.Ready && len(v.Legal) == 0 {
					ended++
					break
				}
			}
			if w := runtest.Request(h, "GET", "/api/v1/play/"+v.ID+"/record", ""); w.Code != 200 {
				t.Errorf("%s: the file of a game that is over: %d %s", name, w.Code, w.Body)
			}
			// What was hidden is known: no move is taken back.
			if w := runtest.Request(h, "POST", "/api/v1/play/"+v.ID+"/undo", "{}"); v.Undo ||
				w.Code != 409 && w.Code != 400 {
				t.Errorf("%s: after the game, undo is offered: %v; answered with %d %s",
					name, v.Undo, w.Code, w.Body)
			}
			runtest.Request(h, "DELETE", "/api/v1/play/"+v.ID, "")
		}
		if asked < 3 {
			t.Errorf("%s: %d positions", name, asked)
		}
	}
}

// After an action that chance follows, a seat gets the mean over what chance may
// do; the reference takes one outcome at a time.
func TestThoughtsBeforeADraw(t *testing.T) {
	dir := runtest.MakeRun(t, runtest.Run{
		Game: "tcg:deck=[1/1/1,1/1/1,3/0/2,0/2/9,removal],hand=2,hp=9", Iterations: 1, Games: 1,
		Network: true,
	})
	p := newAPI(t, Options{Folder: string(dir)})
	m, err := p.models.load(-1)
	runtest.Must(t, err)
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
		runtest.Must(t, err)
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
	dir := runtest.MakeRun(t, runtest.Run{Game: "tcg:hp=15", Iterations: 1, Games: 1})
	p := newAPI(t, Options{Folder: string(dir)})
	s, err := p.sessions.begin(setup{Seats: []string{"random", "human"}, Simulations: 1})
	runtest.Must(t, err)
	told := func(s *session) string {
		v := s.view(-1)
		v.ID = ""
		text, err := json.Marshal(v)
		runtest.Must(t, err)
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
			runtest.Must(t, other.step(t.Context()))
			drawn[other.recorder.record.Moves[len(other.recorder.record.Moves)-1].Name] = true
		}
		if s.game.Waiting() {
			runtest.Must(t, s.move(len(s.recorder.record.Moves),
				s.recorder.legal[len(s.recorder.legal)-1]))
		} else {
			runtest.Must(t, s.step(t.Context()))
		}
	}
	if len(drawn) < 3 {
		t.Errorf("the other futures bring %v: they do not differ", drawn)
	}
}

// An action has the name of the phase in which it is considered.
func TestNamesOfAPhase(t *testing.T) {
	dir := runtest.MakeRun(t, runtest.Run{Game: "tcg", Iterations: 1, Games: 1})
	p := newAPI(t, Options{Folder: string(dir)})
	var r transcript
	ask(t, p, "/api/v1/games/0", &r)
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
