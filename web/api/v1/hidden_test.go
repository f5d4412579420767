package v1

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"tengen/game"
	"tengen/internal/random"
	"tengen/web/board"
	"tengen/web/internal/webtest"
)

// What a person is sent of a game with hidden hands says nothing of what was dealt
// to others: not the cards, not their names, not their drawing.
func TestHiddenHands(t *testing.T) {
	g := game.Must(game.New("turtle:players=2"))
	x := newSessions(g, board.For(g), nil, time.Now, NewSearches())
	s, err := x.begin(setup{Seats: []string{byPerson, byRandom}, Simulations: 4})
	webtest.Must(t, err)
	proceed := func() {
		for !s.view(-1).Ready {
			webtest.Must(t, s.step(t.Context()))
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
		webtest.Must(t, s.move(len(s.recorder.record.Moves), s.recorder.legal[0]))
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
	webtest.Must(t, err)
	hidden := 0
	for {
		for !s.view(-1).Ready {
			webtest.Must(t, s.step(t.Context()))
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
		webtest.Must(t, s.move(len(s.recorder.record.Moves), s.recorder.legal[0]))
	}
	if hidden < 2 {
		t.Errorf("%d moves are hidden", hidden)
	}
}
