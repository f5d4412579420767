package web

import (
	"strings"
	"testing"
	"time"

	"tengen/game"
	"tengen/web/board"
)

// What a person is sent of a game with hidden hands says nothing of what was dealt
// to others: not the cards, not their names, not their drawing.
func TestHiddenHands(t *testing.T) {
	g := game.Must(game.New("turtle:players=2"))
	x := newSessions(g, board.For(g), nil, time.Now)
	s, err := x.begin(setup{Seats: []string{byPerson, byRandom}, Simulations: 4})
	must(t, err)
	proceed := func() {
		for !s.view(-1).Ready {
			must(t, s.step(t.Context()))
		}
	}
	proceed()
	dealt := 0
	for n := 0; n < 12 && s.scribe.state.Mover() != game.Nobody; n++ {
		v := s.view(-1)
		if want := s.scribe.state.(game.SeatDrawn).DrawFor(0, false); !strings.HasSuffix(v.Frames[len(v.Frames)-1].Text, want) {
			t.Fatalf("drawn is %q, and not %q", v.Frames[len(v.Frames)-1].Text, want)
		}
		for i, m := range v.Moves {
			if m.Mover == game.Chance {
				dealt++
				if m.Action != game.NoAction || m.Told != "" || m.Name != v.Moves[0].Name {
					t.Fatalf("move %d tells what was dealt: %+v", i, m)
				}
				if s.scribe.record.Moves[i].Action == game.NoAction {
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
		s.apply(moveView{Action: s.scribe.legal[0]})
		proceed()
	}
	if dealt < 10 {
		t.Errorf("%d cards dealt", dealt)
	}
}
