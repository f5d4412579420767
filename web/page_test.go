package web

import (
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"tengen/configs"
	"tengen/internal/testkit"
	"tengen/run"
	"tengen/run/runtest"
)

func TestRequests(t *testing.T) {
	dir := runtest.MakeRun(t, runtest.Run{
		Game: "go:size=3,players=3", Iterations: 2, Games: 3, Network: true,
	})
	h := newPage(t, Options{Folder: string(dir)}).Handler()
	for _, c := range []struct {
		method, path, body string
		status             int
		want               string // within the answer
	}{
		{"GET", "/", "", 200, "<title>Tengen</title>"},
		{"GET", "/index.html", "", 404, ""},
		{"GET", "/static/app.js", "", 200, "import"},
		{"GET", "/static/vendor/uplot-LICENSE.txt", "", 200, "MIT"},
		{"GET", "/static/", "", 404, ""},
		{"GET", "/static/../page.go", "", 307, ""},
		{"GET", "/static/nothing.js", "", 404, ""},
		{"GET", "/favicon.ico", "", 200, "<svg"},
		{"GET", "/healthz", "", 200, "ok"},
		{"GET", "/readyz", "", 200, "ok"},
		{"GET", "/metrics", "", 404, ""},
		{"POST", "/", "{}", 405, ""},
	} {
		w := runtest.Request(h, c.method, c.path, c.body)
		if w.Code != c.status || !strings.Contains(w.Body.String(), c.want) {
			t.Errorf("%s %s %s: %d, want %d with %q in\n%.300s",
				c.method, c.path, c.body, w.Code, c.status, c.want, w.Body)
		}
	}
}

// First loads are small, packed, and not sent twice.
func TestAssets(t *testing.T) {
	dir := runtest.MakeRun(t, runtest.Run{Game: "tictactoe", Iterations: 1, Games: 1})
	h := newPage(t, Options{Folder: string(dir)}).Handler()
	plain, packed := 0, 0
	for name, a := range assets() {
		path := "/static/" + name
		w := runtest.Request(h, "GET", path, "")
		if w.Code != 200 || w.Body.String() != string(a.content) || a.kind == "" {
			t.Errorf("%s: %d, %d bytes of %s", path, w.Code, w.Body.Len(), a.kind)
		}
		z := runtest.Request(h, "GET", path, "", "Accept-Encoding: gzip, br")
		if !strings.HasSuffix(name, ".txt") {
			plain += w.Body.Len()
			packed += z.Body.Len()
		}
		if z.Result().Header.Get("Content-Encoding") == "gzip" {
			r, err := gzip.NewReader(z.Body)
			runtest.Must(t, err)
			if text, err := io.ReadAll(r); err != nil || string(text) != string(a.content) {
				t.Errorf("%s: packed, it is something else", path)
			}
		}
		if again := runtest.Request(h, "GET", path, "",
			"If-None-Match: "+w.Result().Header.Get("ETag")); again.Code != 304 ||
			again.Body.Len() > 0 {
			t.Errorf("%s is sent again: %d", path, again.Code)
		}
	}
	t.Logf("the page is made of %d bytes, %d packed", plain, packed)
	if packed > 100_000 {
		t.Errorf("%d bytes over the wire without any data: 300,000 are to suffice with them",
			packed)
	}
}

// TestNotReady: the page answers before its run has begun, and says so.
func TestNotReady(t *testing.T) {
	c := configs.Default()
	c.Game = "tictactoe"
	h := newPage(t, Options{Folder: t.TempDir() + "/later", Config: &c}).Handler()
	for path, want := range map[string]int{"/readyz": 503, "/healthz": 200, "/api/v1/run": 200} {
		if w := runtest.Request(h, "GET", path, ""); w.Code != want {
			t.Errorf("%s: %d, want %d", path, w.Code, want)
		}
	}
}

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
		Folder: string(runtest.MakeRun(t, runtest.Run{Game: "tictactoe", All: 80})),
	}), "2")
	b.sound()
}

// accessibility is what is wrong with the page as it is shown: headings that leave out a level,
// targets of less than 24 × 24 pixels (WCAG 2.2, 2.5.8), and text whose contrast with what is
// behind it is less than 4.5 (1.4.3; 3 for large text). Points of boards are as small as the board
// is, and are left out.
const accessibility = `(() => {
	const wrong = [];
	const shown = e => e.checkVisibility({ opacityProperty: true, visibilityProperty: true }) && !e.closest('.unseen, .skip, [hidden]');
	let level = 0;
	for (const e of document.querySelectorAll('h1, h2, h3, h4')) {
		if (!shown(e)) continue;
		const n = Number(e.tagName[1]);
		if (n > level + 1) wrong.push('after a heading of level ' + level + ' comes ' + e.tagName + ' ' + e.textContent);
		level = n;
	}
	for (const e of document.querySelectorAll('a, button, summary, select, input, textarea')) {
		if (!shown(e) || e.closest('svg')) continue;
		const box = (['radio', 'checkbox'].includes(e.type) ? e.closest('label') : e).getBoundingClientRect();
		if (box.width < 24 || box.height < 24) wrong.push(e.tagName + ' ' + (e.textContent || e.type).slice(0, 30) + ' is ' + box.width + ' × ' + box.height);
	}
	const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
	const over = (colors) => {
		canvas.clearRect(0, 0, 1, 1);
		for (const c of colors) { canvas.fillStyle = c; canvas.fillRect(0, 0, 1, 1); }
		return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3);
	};
	const light = c => c.map(x => x / 255).map(x => x <= .04045 ? x / 12.92 : ((x + .055) / 1.055) ** 2.4).reduce((s, x, i) => s + [.2126, .7152, .0722][i] * x, 0);
	const seen = new Set(), ratios = new Map();
	const contrast = (colors, color) => {
		const key = [...colors, color].join();
		if (!ratios.has(key)) {
			const a = light(over(['white', ...colors])), b = light(over(['white', ...colors, color]));
			ratios.set(key, (Math.max(a, b) + .05) / (Math.min(a, b) + .05));
		}
		return ratios.get(key);
	};
	const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
	for (let t; (t = texts.nextNode());) {
		const e = t.parentElement;
		if (!t.textContent.trim() || !shown(e) || e.closest('svg, canvas, script, noscript, option, :disabled, .u-legend')) continue;
		const behind = [];
		for (let x = e; x; x = x.parentElement) behind.unshift(getComputedStyle(x).backgroundColor);
		const style = getComputedStyle(e), size = parseFloat(style.fontSize);
		const ratio = contrast(behind, style.color);
		const large = size >= 24 || size >= 18.66 && Number(style.fontWeight) >= 700;
		const what = (e.className || e.tagName) + ' ' + style.color + ' on ' + behind.at(-1);
		if (ratio < (large ? 3 : 4.5) && !seen.has(what)) { seen.add(what); wrong.push('a contrast of ' + ratio.toFixed(2) + ': ' + what + ': ' + t.textContent.trim().slice(0, 30)); }
	}
	return wrong;
})()`

// accessible fails the test for what is wrong with the page as it is shown.
func (b *browser) accessible() {
	b.t.Helper()
	for _, wrong := range eval[[]string](b, accessibility) {
		b.t.Errorf("%s: %s", eval[string](b, "location.hash + ' ' + innerWidth + ' ' + matchMedia('(prefers-color-scheme: dark)').matches"), wrong)
	}
}

// vendored are the files of others that the page has, with their SHA-256. Whoever replaces one by a
// newer version writes its hash here, compared with that of the release.
var vendored = map[string]string{
	"uplot-LICENSE.txt": "8f989229699b4fe2f1a0432d0e9edc338a8a911e250e2d1b01ecd770a5f5b1bd",
	"uplot.css":         "df630c6a8d6f8eeaff264b50f73ce5b114f646ffd9a0bb74f049b0a00135fa04",
	"uplot.js":          "19c8d4c6ad88929a79f4ae49d6f7161566dfd0ba3d15cc495e974f787eb78f1f",
}

// TestVendoredFiles: the files of others are those that were looked at, all of them, and no more.
func TestVendoredFiles(t *testing.T) {
	entries, err := os.ReadDir(filepath.Join("static", "vendor"))
	if err != nil || len(entries) != len(vendored) {
		t.Errorf("%d files, %d are known: %v", len(entries), len(vendored), err)
	}
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join("static", "vendor", e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		sum := sha256.Sum256(text)
		if got := hex.EncodeToString(sum[:]); got != vendored[e.Name()] {
			t.Errorf("%s has the SHA-256 %s, not %q", e.Name(), got, vendored[e.Name()])
		}
	}
}

func TestMain(m *testing.M) {
	testkit.Main(withBrowser{m},
		goleak.IgnoreAnyFunction("github.com/chromedp/chromedp.(*Browser).run"))
}

// newPage is the page of a run.
func newPage(t testing.TB, o Options) *Page {
	t.Helper()
	p, err := New(o)
	runtest.Must(t, err)
	return p
}
