package web

import (
	"path/filepath"
	"testing"

	"tengen/configs"
	"tengen/run"
	"tengen/web/internal/webtest"
)

// The page before the first checkpoint, as a newcomer opens it, and of a run that was stopped
// there: every view works, and a game can be played at once.
func TestFirstIterationInBrowser(t *testing.T) {
	if testing.Short() {
		t.Skip("a browser is not for short tests")
	}
	findBrowser(t)
	var b *browser
	show := func(what string, s *Server, seats string) {
		if b == nil {
			b = openBrowser(t, s.Address())
			b.size(1280, 1010, "light", false)
		} else {
			b.visit(s)
		}
		b.open("/#progress")
		b.until("!document.getElementById('loading') && document.querySelector('#head').textContent.includes('" + what + "')")
		b.open("/#games")
		b.until("!document.getElementById('games').hidden")
		b.open("/#play")
		b.until("document.querySelectorAll('#play .seat').length === " + seats)
		eval[bool](b, "(document.querySelector('#play form').requestSubmit(), true)")
		b.until(
			"document.querySelector('#play .board, #play .table, #play-viewer:not([hidden]) svg')")
	}
	for game, seats := range map[string]string{
		"go:size=5,players=3": "3", "connect-four": "2", "tcg": "2", "turtle": "2",
	} {
		c := configs.Default()
		c.Game = game
		show("later", start(t, Options{
			Folder: filepath.Join(t.TempDir(), "later"), Config: &c,
			Status: func() run.Status {
				return run.Status{
					Iterations: 80, Stage: run.StageSelfPlay, Done: 3, All: 1200,
					GamesPerSecond: 3.5,
				}
			},
		}), seats)
	}
	show("stopped", start(t, Options{
		Folder: string(webtest.MakeRun(t, webtest.Run{Game: "tictactoe", All: 80})),
	}), "2")
	b.sound()
}
