package web

import (
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"tengen/web/internal/webtest"
)

// Connect Four in a real browser: the last stone is marked, and what a search found is shown where
// the stones would land.
func TestConnectFourInBrowser(t *testing.T) {
	if testing.Short() {
		t.Skip("a browser is not for short tests")
	}
	findBrowser(t)
	dir := webtest.MakeRun(t, webtest.Run{
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
