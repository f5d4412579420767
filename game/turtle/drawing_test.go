package turtle

import (
	"strings"
	"testing"

	"tengen/game"
	"tengen/internal/random"
)

// Positions that a seat can't tell apart are drawn alike for it, also in the others'
// turns and if these can't play a card.
func TestDrawingKeepsHandsHidden(t *testing.T) {
	discards := 0
	for i, name := range []string{
		"turtle", "turtle:players=5", "turtle:players=3,hand=1,deck=[1,1,3,1,1,1,1],start=stacked",
	} {
		g := made(t, name)
		rng := random.New(uint64(i), random.Test)
		other := g.NewState().(*State)
		for range 20 {
			s := g.NewState().(*State)
			for s.phase != over {
				for seat := range game.Player(g.Players()) {
					if s.phase == play && isDiscard(s.LegalActions(nil)[0]) &&
						seat != s.CurrentPlayer() {
						discards++
					}
					other.CopyFrom(s)
					other.Determinize(rng, seat)
					if a, b := s.DrawFor(seat, false), other.DrawFor(seat, false); a != b {
						t.Fatalf("%s: %s and\n%s look to player %d like\n%sand\n%s",
							name, s.Position(), other.Position(), seat+1, a, b)
					}
				}
				if s.phase != play {
					s.Apply(s.Sample(rng))
					continue
				}
				legal := s.LegalActions(nil)
				s.Apply(legal[rng.IntN(len(legal))])
			}
		}
	}
	if discards < 10 {
		t.Errorf("%d forced discards were met", discards)
	}
}

// No line is longer than a terminal of 80 columns, whatever has been discarded.
func TestDrawingFitsTheTerminal(t *testing.T) {
	for _, name := range []string{"turtle", "turtle:players=5", "turtle:players=5,hands=open"} {
		g := made(t, name)
		for i := range uint64(5) {
			state := g.NewState()
			state.(game.Playouter).Playout(random.New(i, random.Test))
			s := state.(game.Drawn)
			for _, line := range strings.Split(s.Draw(false), "\n") {
				if n := len([]rune(line)); n > 80 {
					t.Errorf("%s: a line has %d columns: %s", name, n, line)
				}
			}
			plain := strings.NewReplacer("\x1b[0m", "", codes[0], "", codes[1], "", codes[2], "",
				codes[3], "", codes[4], "").Replace(s.Draw(true))
			if plain != s.Draw(false) {
				t.Errorf("%s: without its colours the drawing is\n%s\nnot\n%s",
					name, plain, s.Draw(false))
			}
		}
	}
}

// By hand: several cards, a card that can't be played, arrows.
func TestSituation(t *testing.T) {
	g := made(t, "turtle:hand=4")
	for position, want := range map[string]string{
		"turn 5 player 1 play | 0:RG 2:BYP | red: red+*2 any- arrow | green: green+ green- purple+ purple- | deck red+":  "player 1 plays a card: red+, any- of B Y P, arrow of R G",
		"turn 5 player 1 play | 0:RG 2:BYP | red: red-*2 red+ arrow2 | green: green+*2 green- purple+ | deck red+":       "player 1 plays a card: red+, arrow2 of R G",
		"turn 0 player 1 play | 0:RGBYP | red: red-*2 any- green- | green: green+ green++ purple+ purple- | deck *":      "player 1 can't play a card, and discards one: red-, green-, any-",
		"turn 5 player 2 play | 1:R 2:BYPG | red: red-*2 red+ arrow2 | green: arrow any-*2 purple+ | deck red+":          "player 2 plays a card: purple+, any- of R G B Y P, arrow of R",
		"turn 9 player 2 over | 1:R 3:G 9:BYP | red: red-*2 red+ arrow2 | green: arrow any- purple+ | deck red+":         "player 2 has won",
		"turn 9 player 1 draw | 1:R 3:G 4:BYP | red: red-*2 red+ | green: arrow any- purple+ red++ | deck red+ purple++": "player 1 draws a card",
	} {
		if before, ok := strings.CutSuffix(position, "deck *"); ok { // all cards that nobody holds
			position = before + "deck " + rest(t, g, before)
		}
		s := at(t, g, position)
		text := strings.TrimSuffix(s.(game.Drawn).Draw(false), "\n")
		if got := text[strings.LastIndex(text, "\n")+1:]; got != want {
			t.Errorf("%s: %q; want %q", position, got, want)
		}
	}
}

// rest lists the cards of the deck that do not appear in a position without its deck.
func rest(t *testing.T, g *Game, before string) string {
	t.Helper()
	deck := g.full
	for _, part := range strings.Split(before, "|")[2:] {
		_, hand, _ := strings.Cut(part, ":")
		for _, word := range strings.Fields(hand) {
			name, _, twice := strings.Cut(word, "*")
			c, err := ParseCard(name)
			if err != nil {
				t.Fatal(err)
			}
			deck.remove(c)
			if twice {
				deck.remove(c)
			}
		}
	}
	return listed(&deck, false)
}

// An arrow needs no turtle if only one is last.
func TestArrowAlone(t *testing.T) {
	g := made(t, "turtle:hand=2")
	alone := at(t, g,
		"turn 5 player 1 play | 1:G 2:RBYP | red: arrow arrow2 | green: green+ purple+ | deck red+")
	for text, want := range map[string]game.Action{
		"arrow": Play(Arrow, Green), "ARROW2": Play(Arrow2, Green), "arrow:r": Play(Arrow, Red),
	} {
		if a, err := g.ParseAction(alone, text); err != nil || a != want {
			t.Errorf("%s is read as %d, %v; want %d", text, a, err, want)
		}
	}
	two := at(t, g,
		"turn 5 player 1 play | 1:GR 2:BYP | red: arrow arrow2 | green: green+ purple+ | deck red+")
	if a, err := g.ParseAction(two, "arrow"); err == nil ||
		!strings.Contains(err.Error(), "arrow: which turtle is to move is wanted") {
		t.Errorf("of two that are last the arrow takes %d, %v", a, err)
	}
}

// The moves that the guide mentions are moves.
func TestGuide(t *testing.T) {
	g := made(t, "turtle")
	for _, form := range []string{
		"red++", "red+", "red-", "r++", "any+:blue", "any+ b", "arrow:red", "discard:red-",
	} {
		if _, err := g.ParseAction(nil, form); err != nil || !strings.Contains(g.Guide(), form) {
			t.Errorf("%s: %v", form, err)
		}
	}
	for _, line := range strings.Split(g.Guide(), "\n") {
		if n := len([]rune(line)); n > 90 {
			t.Errorf("a line of %d letters: %s", n, line)
		}
	}
}

// ParseSeen makes from what a seat sees a state that it can't tell from the true one.
func TestParseSeen(t *testing.T) {
	for i, name := range []string{
		"turtle", "turtle:players=5", "turtle:players=3,hand=1,deck=[1,1,3,1,1,1,1],start=stacked",
	} {
		g := made(t, name)
		rng := random.New(uint64(i), random.Test)
		for range 5 {
			s := g.NewState().(*State)
			for s.phase != over {
				if s.phase != play {
					s.Apply(s.Sample(rng))
					continue
				}
				seat := s.CurrentPlayer()
				parts := strings.Split(s.Position(), "|")
				for p := range g.Players() {
					if p != int(seat) {
						parts[2+p] = "?"
					}
				}
				parts[2+g.Players()] = "discards " + listed(&s.discards, false)
				text := strings.Join(parts, "|")
				other, err := g.ParseSeen(text)
				if err != nil {
					t.Fatalf("%s: %v", text, err)
				}
				if other.(game.ImperfectInformation).InformationStateKey(seat) !=
					s.InformationStateKey(seat) ||
					other.(*State).DrawFor(seat, false) != s.DrawFor(seat, false) {
					t.Fatalf("%s is read as %s, where %s was meant",
						text, other.(*State).Position(), s.Position())
				}
				legal := s.LegalActions(nil)
				s.Apply(legal[rng.IntN(len(legal))])
			}
		}
	}
}

func TestBadSeen(t *testing.T) {
	g := made(t, "turtle:hand=2")
	const good = "turn 5 player 1 play | 2:RGBYP | red: red+ any- | ? | discards green+ arrow"
	if _, err := g.ParseSeen(good); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ old, new, want string }{
		{"discards", "deck", "the last part begins with the word discards"},
		{"| ? ", "", "5 parts separated by | are wanted"},
		{"red: red+ any-", "?", "player 1 is in turn: its turtle and hand are wanted"},
		{"| ? |", "| ?: blue+ |", `player 2: "?" is no turtle`},
		{"green+", "red++*2", "discards: red++*2: the deck has 1 of it, not more"},
		{"red+ any-", "red+*6", "player 1: red+*6: the deck has 5 of it, not more"},
		{"red+ any-", "red+", "player 1 has 1 cards"},
		{"turn 5 player 1", "turn 5", "the turn is written"},
	} {
		text := strings.Replace(good, c.old, c.new, 1)
		if s, err := g.ParseSeen(text); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: the error is %v; want %s (%v)", text, err, c.want, s)
		}
	}
	few := made(t, "turtle:hand=2,deck=[1,0,0,0,0,0,0]")
	const seen = "turn 5 player 1 play | 2:RGBYP | red: red++ green++ | ? | discards blue++ yellow++"
	_, err := few.ParseSeen(seen)
	if err == nil ||
		!strings.Contains(err.Error(), "too few cards are left for the hand of player 2") {
		t.Errorf("of a small deck: %v", err)
	}
}
