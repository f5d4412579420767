package web

import (
	"compress/gzip"
	"io"
	"strings"
	"testing"

	"tengen/configs"
	"tengen/web/internal/webtest"
)

func TestRequests(t *testing.T) {
	dir := webtest.MakeRun(t, webtest.Run{
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
		w := webtest.Request(h, c.method, c.path, c.body)
		if w.Code != c.status || !strings.Contains(w.Body.String(), c.want) {
			t.Errorf("%s %s %s: %d, want %d with %q in\n%.300s",
				c.method, c.path, c.body, w.Code, c.status, c.want, w.Body)
		}
	}
}

// First loads are small, packed, and not sent twice.
func TestAssets(t *testing.T) {
	dir := webtest.MakeRun(t, webtest.Run{Game: "tictactoe", Iterations: 1, Games: 1})
	h := newPage(t, Options{Folder: string(dir)}).Handler()
	plain, packed := 0, 0
	for name, a := range assets() {
		path := "/static/" + name
		w := webtest.Request(h, "GET", path, "")
		if w.Code != 200 || w.Body.String() != string(a.content) || a.kind == "" {
			t.Errorf("%s: %d, %d bytes of %s", path, w.Code, w.Body.Len(), a.kind)
		}
		z := webtest.Request(h, "GET", path, "", "Accept-Encoding: gzip, br")
		if !strings.HasSuffix(name, ".txt") {
			plain += w.Body.Len()
			packed += z.Body.Len()
		}
		if z.Result().Header.Get("Content-Encoding") == "gzip" {
			r, err := gzip.NewReader(z.Body)
			webtest.Must(t, err)
			if text, err := io.ReadAll(r); err != nil || string(text) != string(a.content) {
				t.Errorf("%s: packed, it is something else", path)
			}
		}
		if again := webtest.Request(h, "GET", path, "",
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
		if w := webtest.Request(h, "GET", path, ""); w.Code != want {
			t.Errorf("%s: %d, want %d", path, w.Code, want)
		}
	}
}
