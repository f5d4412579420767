package web

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"tengen/run/runtest"
)

// A game of one's own that has no drawer is drawn as stones on cells, which can be clicked; what is
// no cell has a button.
func TestBrowserCells(t *testing.T) {
	if testing.Short() {
		t.Skip("a browser is not for short tests")
	}
	findBrowser(t)
	dir := runtest.MakeRun(t, runtest.Run{Game: "field", Iterations: 2, Games: 2})
	b := openBrowser(t, start(t, Options{Folder: string(dir)}).Address())
	b.size(1280, 1010, "light", false)
	b.open("/#games")
	b.until("document.querySelector('#games .board.on-wood') && document.querySelector('#games .board').getAttribute('aria-label').startsWith('board of 2 rows and 3 columns')")
	// the visits of the first move
	b.until("document.querySelectorAll('#games .over .value').length > 0")
	eval[bool](b,
		"(document.querySelector('#games-viewer .controls button:last-of-type').click(), true)")
	b.until("document.querySelectorAll('#games .board .disc').length > 1")
	eval[bool](b, "location.hash = 'play', true")
	b.until("document.querySelector('#play select option')")
	b.do(chromedp.Click("#play .setup .main"))
	const mine = "document.querySelector('#play .turn').textContent.includes('your move')"
	b.until(mine + " && document.querySelectorAll('#play .spot').length === 6 && document.querySelectorAll('#play .others button').length === 1")
	b.do(chromedp.Click(`#play .spot[data-action="4"]`))
	b.until(mine +
		" && document.querySelector('#play .board').getAttribute('aria-label').includes(': b1')")
	b.accessible()
	b.sound()
}

// Connect Four in a real browser: the last stone is marked, and what a search found is shown where
// the stones would land.
func TestConnectFourInBrowser(t *testing.T) {
	if testing.Short() {
		t.Skip("a browser is not for short tests")
	}
	findBrowser(t)
	dir := runtest.MakeRun(t, runtest.Run{
		Game: "connect-four", Iterations: 1, Games: 2, Network: true,
	})
	b := openBrowser(t, start(t, Options{Folder: string(dir)}).Address())
	b.size(1280, 1150, "light", false)
	b.open("/#games")
	b.until("document.querySelector('#games .board.on-blue') && " + ply + ".startsWith('0 /')")
	for range 3 {
		b.do(chromedp.KeyEvent(kb.ArrowRight))
	}
	b.until(ply + ".startsWith('3 /')")
	b.until("document.querySelectorAll('#games .board .disc').length === 3")
	b.until("document.querySelectorAll('#games .over .last').length === 1")
	label := eval[string](b, "document.querySelector('#games .board').getAttribute('aria-label')")
	if want := "upright board of 6 rows and 7 columns. "; len(label) < len(want) ||
		label[:len(want)] != want {
		t.Errorf("the position in words is %q", label)
	}
	b.sound()
}

// The trading-card game in a real browser: its games are shown, and a whole one
// is played against a network by the mouse and the keyboard.
func TestCardsInBrowser(t *testing.T) {
	if testing.Short() {
		t.Skip("a browser is not for short tests")
	}
	findBrowser(t)
	dir := runtest.MakeRun(t, runtest.Run{
		Game: "tcg:hp=15", Iterations: 1, Games: 2, Network: true,
	})
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
	for _, want := range []string{
		"First: ", " health points, ", " cards to draw", "hand: ", "field: ", ", acting",
		"Now: Turn ",
	} {
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
		eval[bool](b,
			fmt.Sprintf("document.querySelector('#games-viewer button[value=%s]').click(), true",
				overlay))
		b.until("document.querySelectorAll('#games .over .value').length >= 3")
	}
	row := eval[string](b,
		"[...document.querySelectorAll('#games .moves tbody th')].map(e => e.textContent).join()")
	if !strings.Contains(row, "heal") || strings.Contains(row, "place") {
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
	const mine = turn +
		".includes('your move') && document.querySelectorAll('#play .spot').length > 0"
	counter := func() int {
		return eval[int](b, "parseInt(document.querySelector('#play .counter').textContent)")
	}
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
	if name := eval[string](b,
		"document.activeElement.getAttribute('aria-label')"); !strings.HasPrefix(name,
		"Do nothing with ") {
		b.t.Errorf("the arrow keys lead to %q", name)
	}
	b.do(chromedp.KeyEvent(kb.ArrowLeft), chromedp.KeyEvent(kb.Enter))
	b.until(fmt.Sprintf(
		"(%s) && parseInt(document.querySelector('#play .counter').textContent) > %d",
		mine, dealt+2))
	told := func() string {
		return eval[string](b, "document.querySelector('#play .event').textContent")
	}
	if others := told(); !strings.HasPrefix(others, "Second ") ||
		strings.Contains(others, "attacks: Second") {
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

// The turtle race in a real browser: its games are shown with all hands, and a whole
// one is played against a network and UCT by the mouse and the keyboard, the others'
// hands being hidden until its end.
func TestTurtlesInBrowser(t *testing.T) {
	if testing.Short() {
		t.Skip("a browser is not for short tests")
	}
	findBrowser(t)
	dir := runtest.MakeRun(t, runtest.Run{
		Game: "turtle:players=3", Iterations: 1, Games: 2, Network: true,
	})
	b := openBrowser(t, start(t, Options{Folder: string(dir)}).Address())
	b.size(1280, 1150, "light", false)
	b.open("/#games")
	b.until("document.querySelector('#games .board') && " + ply + ".startsWith('0 /')")
	b.do(chromedp.KeyEvent(kb.ArrowRight))
	b.until(`/^player 1 is dealt (red|green|blue|yellow|purple), its colour\.$/.test(document.querySelector('#games .event').textContent)`)
	// To a position in the middle of the race with a card of all colours to be played.
	const middle = "document.querySelectorAll('#games .over .value').length >= 6 && /Square [3-6] from below/.test(document.querySelector('#games .board').getAttribute('aria-label'))"
	for range 300 {
		if eval[bool](b, middle) {
			break
		}
		b.do(chromedp.KeyEvent(kb.ArrowRight))
	}
	b.until(middle)
	label := eval[string](b, "document.querySelector('#games .board').getAttribute('aria-label')")
	for _, want := range []string{
		"player 1: owns ", "player 3: owns ", "player 2’s hand: ", "Draw pile: ", "Discards: ",
		"Now: Turn ",
	} {
		if !strings.Contains(label, want) {
			t.Errorf("the position in words is %q, where %q is missing", label, want)
		}
	}
	if strings.Contains(label, "hidden") ||
		eval[int](b, "document.querySelectorAll('#games .tone-back').length") > 0 {
		t.Errorf("of a game that is over something is hidden: %q", label)
	}
	b.size(390, 1010, "light", true)
	b.until("document.documentElement.scrollWidth <= 390")
	b.size(1280, 1150, "light", false)
	turtlesPlayed(b)
	b.sound()
}

// turtlesPlayed plays a race.
func turtlesPlayed(b *browser) {
	const turn = "document.querySelector('#play .turn').textContent"
	const mine = turn +
		".includes('your move') && document.querySelectorAll('#play .spot').length > 0"
	counter := func() int {
		return eval[int](b, "parseInt(document.querySelector('#play .counter').textContent)")
	}
	words := func() string {
		return eval[string](b, "document.querySelector('#play .board').getAttribute('aria-label')")
	}
	b.size(1280, 1150, "dark", false)
	eval[bool](b, "scrollTo(0, 0), location.hash = 'play', true")
	b.until("document.querySelector('#play select option')")
	eval[bool](b, "document.querySelector('#play input[type=number]').value = 20, true")
	eval[bool](b, "document.querySelectorAll('#play .seat select')[2].value = 'uct', true")
	b.do(chromedp.Click("#play .setup .main"))
	b.until(mine)
	if n := eval[int](b, "document.querySelectorAll('#play .board .tone-back').length"); n != 10 {
		b.t.Errorf("%d backs are shown, where two others hold five cards each", n)
	}
	if own := words(); !strings.Contains(own, "player 1: owns ") ||
		strings.Count(own, "owns a colour that is hidden") != 2 ||
		strings.Count(own, "5 hidden cards") != 2 {
		b.t.Errorf("what is seen in words is %q", own)
	}
	// By the mouse and by the keyboard.
	before := counter()
	b.do(chromedp.Click("#play .spot"))
	b.until(fmt.Sprintf(
		"(%s) && parseInt(document.querySelector('#play .counter').textContent) > %d",
		mine, before+1))
	told := func() string {
		return eval[string](b, "document.querySelector('#play .event').textContent")
	}
	if others := told(); !strings.Contains(others, "player 3 draws a card.") ||
		!strings.Contains(others, "player 2 plays ") {
		b.t.Errorf("what happened is told as %q", others)
	}
	eval[bool](b, "document.querySelector('#play .spot').focus(), true")
	name := "document.activeElement.getAttribute('aria-label')"
	first := eval[string](b, name)
	for _, key := range []string{kb.ArrowRight, kb.ArrowDown, kb.ArrowLeft, kb.ArrowUp} {
		b.do(chromedp.KeyEvent(key))
		if at := eval[string](b, name); !strings.HasPrefix(at, "Play ") &&
			!strings.HasPrefix(at, "Discard ") {
			b.t.Errorf("from %q a key leads to %q", first, at)
		}
	}
	before = counter()
	b.do(chromedp.KeyEvent(kb.Enter))
	b.until(fmt.Sprintf("((%s) || %s.includes('is over')) && parseInt(document.querySelector('#play .counter').textContent) > %d", mine, turn, before+1))
	// To the end: whatever goes forward. A picture of the first choice among turtles.
	taken := false
	for range 300 {
		b.until("(" + mine + ") || " + turn + ".includes('is over')")
		if eval[bool](b, turn+".includes('is over')") {
			break
		}
		if !taken && eval[bool](b, `!!document.querySelector('#play .spot[aria-label*=" for "]')`) {
			eval[bool](b, "scrollTo(0, 0), document.activeElement.blur(), true")
			b.shot("web-turtles.png")
			taken = true
		}
		eval[bool](b, `(document.querySelector('#play .spot[aria-label*="+"]') ?? document.querySelector('#play .spot')).dispatchEvent(new MouseEvent('click', { bubbles: true })), true`)
	}
	b.until(turn + ".includes('is over')")
	if end := words(); strings.Contains(end, "hidden") || !strings.Contains(end, "Goal") {
		b.t.Errorf("at the end the position in words is %q", end)
	}
	if n := eval[int](b, "document.querySelectorAll('#play .others button').length"); n > 0 {
		b.t.Errorf("%d actions have a button beside the table, where all have a place on it", n)
	}
}
