package web

import (
	"testing"

	"github.com/chromedp/chromedp"

	"tengen/web/internal/webtest"
)

// A game of one's own that has no drawer is drawn as stones on cells, which can be clicked; what is
// no cell has a button.
func TestBrowserCells(t *testing.T) {
	if testing.Short() {
		t.Skip("a browser is not for short tests")
	}
	findBrowser(t)
	dir := webtest.MakeRun(t, webtest.Run{Game: "field", Iterations: 2, Games: 2})
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
