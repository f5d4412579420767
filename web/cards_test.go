package web

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"tengen/game"
	"tengen/internal/stream"
	"tengen/nn"
	"tengen/search/nneval"
)

// After an action that chance follows, a seat gets the mean over what chance may
// do; the reference takes one outcome at a time.
func TestThoughtsBeforeADraw(t *testing.T) {
	dir := makeRun(t, fixture{game: "tcg:deck=[1/1/1,1/1/1,3/0/2,0/2/9,removal],hand=2,hp=9", iterations: 1, games: 1, network: true})
	p := newPage(t, Options{Folder: string(dir)})
	m, err := p.models.load(-1)
	must(t, err)
	one := nneval.New(p.game, nn.NewEvaluator(m.weights), 1)
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
	rng := stream.New(1, stream.Test)
	s, next, after := p.game.NewState(), p.game.NewState(), p.game.NewState()
	means := 0
	for ply := 0; s.CurrentPlayer() != game.Nobody; ply++ {
		if s.CurrentPlayer() == game.Chance {
			s.Apply(s.(game.Chancer).Sample(rng))
			continue
		}
		o, err := m.think(t.Context(), p.game, s)
		must(t, err)
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
	dir := makeRun(t, fixture{game: "tcg:hp=15", iterations: 1, games: 1})
	p := newPage(t, Options{Folder: string(dir)})
	s, err := p.sessions.begin(setup{Seats: []string{"random", "human"}, Simulations: 1})
	must(t, err)
	told := func(s *session) string {
		v := s.view(-1)
		v.ID = ""
		text, err := json.Marshal(v)
		must(t, err)
		return string(text)
	}
	drawn := map[string]bool{} // what the next draw brings, by the seed
	for len(s.recorder.record.Moves) < 60 && s.recorder.state.CurrentPlayer() != game.Nobody {
		other := &session{seed: s.seed + 1 + uint64(len(s.recorder.record.Moves)), seats: s.seats, evaluators: s.evaluators}
		other.replay(p.game, p.drawer, game.Nobody, slices.Clone(s.recorder.record.Moves))
		other.people = slices.Clone(s.people)
		if a, b := told(s), told(other); a != b {
			t.Fatalf("two games of the same moves are told as\n%s\nand\n%s", a, b)
		}
		if s.recorder.state.CurrentPlayer() == game.Chance {
			must(t, other.step(t.Context()))
			drawn[other.recorder.record.Moves[len(other.recorder.record.Moves)-1].Name] = true
		}
		if s.game.Waiting() {
			must(t, s.move(len(s.recorder.record.Moves), s.recorder.legal[len(s.recorder.legal)-1]))
		} else {
			must(t, s.step(t.Context()))
		}
	}
	if len(drawn) < 3 {
		t.Errorf("the other futures bring %v: they do not differ", drawn)
	}
}

// An action has the name of the phase in which it is considered.
func TestNamesOfAPhase(t *testing.T) {
	dir := makeRun(t, fixture{game: "tcg", iterations: 1, games: 1})
	p := newPage(t, Options{Folder: string(dir)})
	var r record
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

// The trading-card game in a real browser: its games are shown, and a whole one
// is played against a network by the mouse and the keyboard.
func TestCardsInBrowser(t *testing.T) {
	if testing.Short() {
		t.Skip("a browser is not for short tests")
	}
	findBrowser(t)
	dir := makeRun(t, fixture{game: "tcg:hp=15", iterations: 1, games: 2, network: true})
	b := openBrowser(t, start(t, Options{Folder: string(dir)}).Address())
	b.size(1280, 1250, "light", false)
	b.open("/#games")
	b.until("document.querySelector('#games .board') && " + ply + ".startsWith('0 /')")
	// To the first position in which a card acts: the deal, perhaps a draw, a card placed.
	b.do(chromedp.KeyEvent(kb.ArrowRight))
	b.until(`/^(First|Second) is dealt .+\.$/.test(document.querySelector('#games .event').textContent)`)
	b.until("document.getElementById('live').textContent.startsWith('Ply 1: First is dealt ')")
	for range 60 {
		if eval[bool](b, "!!document.querySelector('#games .playing.tone-gold')") {
			break
		}
		b.do(chromedp.KeyEvent(kb.ArrowRight))
	}
	label := eval[string](b, "document.querySelector('#games .board').getAttribute('aria-label')")
	for _, want := range []string{"First: ", " health points, ", " cards to draw", "hand: ", "field: ", ", acting", "Now: Turn "} {
		if !strings.Contains(label, want) {
			t.Errorf("the position in words is %q, where %q is missing", label, want)
		}
	}
	if n := eval[int](b, "document.querySelectorAll('#games .over .value').length"); n < 3 {
		t.Errorf("visits are shown in %d places, where a card can do three things", n)
	}
	b.size(390, 1010, "light", true)
	b.until("document.documentElement.scrollWidth <= 390")
	b.size(1280, 1250, "light", false)
	for _, overlay := range []string{"prior", "value", "visits"} {
		eval[bool](b, fmt.Sprintf("document.querySelector('#games-viewer input[value=%s]').click(), true", overlay))
		b.until("document.querySelectorAll('#games .over .value').length >= 3")
	}
	if row := eval[string](b, "[...document.querySelectorAll('#games .moves tbody th')].map(e => e.textContent).join()"); !strings.Contains(row, "heal") || strings.Contains(row, "place") {
		t.Errorf("while a card acts, the moves considered are %q", row)
	}
	// A card that can battle two others, for the picture.
	const targets = "[...document.querySelectorAll('#games .board .label')].filter(e => ['falls', 'wins', 'both fall'].includes(e.textContent)).length"
	for range 300 {
		if eval[bool](b, targets+" >= 2") {
			break
		}
		b.do(chromedp.KeyEvent(kb.ArrowRight))
	}
	b.until(targets + " >= 2")
	eval[bool](b, "scrollTo(0, 0), document.activeElement.blur(), true")
	b.shot("web-cards.png")
	cardsPlayed(b)
	b.sound()
}

// cardsPlayed plays a game of cards.
func cardsPlayed(b *browser) {
	const turn = "document.querySelector('#play .turn').textContent"
	const mine = turn + ".includes('your move') && document.querySelectorAll('#play .spot').length > 0"
	counter := func() int { return eval[int](b, "parseInt(document.querySelector('#play .counter').textContent)") }
	b.size(1280, 1250, "dark", false)
	eval[bool](b, "scrollTo(0, 0), location.hash = 'play', true")
	b.until("document.querySelector('#play select option')")
	eval[bool](b, "document.querySelector('#play input[type=number]').value = 20, true")
	b.do(chromedp.Click("#play .setup .main"))
	b.until(mine)
	// By the mouse, a card of the hand; by the keyboard, what it does.
	dealt := counter()
	spot := "#play .spot[aria-label^='Place ']:not([aria-label='Place Removal']):not([aria-label='Place no card'])"
	b.do(chromedp.Click(spot))
	b.until(fmt.Sprintf("(%s) && parseInt(document.querySelector('#play .counter').textContent) === %d && document.querySelector('#play .playing.tone-gold')", mine, dealt+1))
	eval[bool](b, "document.querySelector('#play .spot').focus(), true")
	for range 3 {
		b.do(chromedp.KeyEvent(kb.ArrowRight))
	}
	if name := eval[string](b, "document.activeElement.getAttribute('aria-label')"); !strings.HasPrefix(name, "Do nothing with ") {
		b.t.Errorf("the arrow keys lead to %q", name)
	}
	b.do(chromedp.KeyEvent(kb.ArrowLeft), chromedp.KeyEvent(kb.Enter))
	b.until(fmt.Sprintf("(%s) && parseInt(document.querySelector('#play .counter').textContent) > %d", mine, dealt+2))
	told := func() string { return eval[string](b, "document.querySelector('#play .event').textContent") }
	if others := told(); !strings.HasPrefix(others, "Second ") || strings.Contains(others, "attacks: Second") {
		b.t.Errorf("what happened since First’s attack is told as %q", others)
	}
	// The focus is where it was, or on what else can be done.
	b.until("document.activeElement.matches('#play .spot')")
	// To the end: every action by itself, attacks first.
	for range 1500 {
		b.until("(" + mine + ") || " + turn + ".includes('is over')")
		if eval[bool](b, turn+".includes('is over')") {
			break
		}
		eval[bool](b, `(document.querySelector('#play .spot[aria-label^="Attack"]') ?? document.querySelector('#play .spot')).dispatchEvent(new MouseEvent('click', { bubbles: true })), true`)
	}
	b.until(turn + ".includes('is over')")
	if last := told(); !strings.HasPrefix(last, "First") && !strings.HasPrefix(last, "Second") {
		b.t.Errorf("the last move is told as %q", last)
	}
	if n := eval[int](b, "document.querySelectorAll('#play .others button').length"); n > 0 {
		b.t.Errorf("%d actions have a button beside the table, where all have a place on it", n)
	}
}
