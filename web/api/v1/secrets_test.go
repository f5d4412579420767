package v1

import (
	"fmt"
	"testing"

	"tengen/game"
	"tengen/internal/random"
	"tengen/web/internal/webtest"
)

// An analysis or a hint that a person asks for is the same in every position that it can't tell
// from the true one, to the byte.
func TestAnalysesTellNoSecrets(t *testing.T) {
	for _, name := range []string{
		"turtle", "turtle:players=3,history=2", "kuhn", "leduc", "phantom",
	} {
		dir := webtest.MakeRun(t, webtest.Run{Game: name, Iterations: 1, Games: 1, Network: true})
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
			webtest.Must(t, err)
			for ; ; v = post(t, h, "/api/v1/play/"+v.ID+"/step", "{}") {
				if !v.Ready {
					continue
				}
				if len(v.Legal) == 0 {
					ended++
					break
				}
				think := func() string {
					w := webtest.Request(h, "GET", "/api/v1/play/"+v.ID+"/analysis", "")
					if w.Code != 200 {
						t.Fatalf("%s: %d %s", name, w.Code, w.Body)
					}
					return w.Body.String()
				}
				hint := func() string {
					w := webtest.Request(h, "POST", "/api/v1/play/"+v.ID+"/hint", "{}")
					if w.Code != 200 {
						t.Fatalf("%s: %d %s", name, w.Code, w.Body)
					}
					return w.Body.String()
				}
				if w := webtest.Request(h, "GET", "/api/v1/play/"+v.ID+"/record",
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
			if w := webtest.Request(h, "GET", "/api/v1/play/"+v.ID+"/record", ""); w.Code != 200 {
				t.Errorf("%s: the file of a game that is over: %d %s", name, w.Code, w.Body)
			}
			// What was hidden is known: no move is taken back.
			if w := webtest.Request(h, "POST", "/api/v1/play/"+v.ID+"/undo", "{}"); v.Undo ||
				w.Code != 409 && w.Code != 400 {
				t.Errorf("%s: after the game, undo is offered: %v; answered with %d %s",
					name, v.Undo, w.Code, w.Body)
			}
			webtest.Request(h, "DELETE", "/api/v1/play/"+v.ID, "")
		}
		if asked < 3 {
			t.Errorf("%s: %d positions", name, asked)
		}
	}
}
