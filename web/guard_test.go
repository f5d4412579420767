package web

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tengen/run/runtest"
)

func TestHosts(t *testing.T) {
	dir := runtest.MakeRun(t, runtest.Run{Game: "tictactoe", Iterations: 1, Games: 2})
	h := newPage(t, Options{Folder: string(dir), Metrics: http.HandlerFunc(healthy)}).Handler()
	for host, want := range map[string]int{
		"127.0.0.1:9464": 200, "127.0.0.1": 200, "localhost:80": 200, "LOCALHOST": 200,
		"run.localhost:1": 200, "[::1]:9464": 200, "127.8.8.8": 200,
		"evil.example": 403, "evil.example:9464": 403, "localhost.evil.example": 403,
		"192.168.1.4:9464": 403, "": 403, "notlocalhost": 403,
	} {
		if w := runtest.Request(h, "GET", "/api/v1/run", "", "Host: "+host); w.Code != want {
			t.Errorf("called %q it answers %d, want %d", host, w.Code, want)
		}
		// Prometheus may call it by any name.
		for _, open := range []string{"/metrics", "/healthz"} {
			if w := runtest.Request(h, "GET", open, "", "Host: "+host); w.Code != 200 {
				t.Errorf("called %q, %s answers %d", host, open, w.Code)
			}
		}
	}
}

func TestOtherPagesChangeNothing(t *testing.T) {
	dir := runtest.MakeRun(t, runtest.Run{Game: "tictactoe", Iterations: 1, Games: 2})
	h := newPage(t, Options{Folder: string(dir)}).Handler()
	const begin = `{"seats":["human","random"],"simulations":1}`
	for _, c := range []struct {
		name string
		want int
		head []string
	}{
		{"curl", 200, nil},
		{"the page itself", 200, []string{"Origin: http://127.0.0.1:9464", "Sec-Fetch-Site: same-origin"}},
		{"another site", 403, []string{"Origin: http://evil.example", "Sec-Fetch-Site: cross-site"}},
		{"another port", 403, []string{"Origin: http://127.0.0.1:8080"}},
		{"an old browser on another site", 403, []string{"Origin: http://evil.example"}},
		{"a form", 400, []string{"Content-Type: text/plain"}},
		{"a renamed host", 403, []string{"Host: evil.example:9464", "Origin: http://evil.example:9464", "Sec-Fetch-Site: same-origin"}},
	} {
		if w := runtest.Request(h, "POST", "/api/v1/play", begin, c.head...); w.Code != c.want {
			t.Errorf("%s: %d, want %d: %s", c.name, w.Code, c.want, w.Body)
		}
	}
}

// TestOtherPagesAskNothing: a page of another site can't have the API work, not even to read.
func TestOtherPagesAskNothing(t *testing.T) {
	dir := runtest.MakeRun(t, runtest.Run{Game: "tictactoe", Iterations: 1, Games: 2})
	h := newPage(t, Options{Folder: string(dir)}).Handler()
	for head, want := range map[string]int{
		"Sec-Fetch-Site: cross-site": 403, "Sec-Fetch-Site: same-site": 403,
		"Sec-Fetch-Site: same-origin": 200, "Sec-Fetch-Site: none": 200, "Accept: */*": 200,
	} {
		if w := runtest.Request(h, "GET", "/api/v1/games", "", head); w.Code != want {
			t.Errorf("%s: %d, want %d: %s", head, w.Code, want, w.Body)
		}
	}
	if w := runtest.Request(h, "GET", "/", "", "Sec-Fetch-Site: cross-site"); w.Code != 200 {
		t.Errorf("a link to the page: %d", w.Code)
	}
}

// TestUnreadBody: a request whose body nobody reads is answered, also when the connection is closed
// afterwards.
func TestUnreadBody(t *testing.T) {
	dir := runtest.MakeRun(t, runtest.Run{Game: "tictactoe", Iterations: 1, Games: 2})
	server := httptest.NewServer(newPage(t, Options{Folder: string(dir)}).Handler())
	defer server.Close()
	for range 20 {
		c, err := net.Dial("tcp", server.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		body := strings.Repeat("x", 100_000)
		if _, err := fmt.Fprintf(c, "POST /api/v1/play/nothing/step HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%s", len(body), body); err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(c)
		if c.Close(); err != nil || !strings.HasPrefix(string(text), "HTTP/1.1 404 ") {
			t.Fatalf("%s %v", text, err)
		}
	}
}

func TestToken(t *testing.T) {
	const token = "open-sesame-0123456789"
	dir := runtest.MakeRun(t, runtest.Run{Game: "tictactoe", Iterations: 1, Games: 2})
	h := newPage(t, Options{
		Folder: string(dir), Token: token, Metrics: http.HandlerFunc(healthy),
	}).Handler()
	for _, path := range []string{
		"/", "/api/v1/run", "/api/v1/history", "/api/v1/games", "/api/v1/stream", "/static/app.js",
		"/favicon.ico", "/readyz", "/api/v1/play/x", "/nothing", "/?token=wrong", "/?token=",
		"/api/v1/run?token=" + token,
	} {
		if w := runtest.Request(h, "GET", path, "", "Host: box.example:9464"); w.Code != 401 ||
			strings.Contains(w.Body.String(), token) {
			t.Errorf("%s without the token: %d", path, w.Code)
		}
	}
	for _, path := range []string{"/metrics", "/healthz"} {
		if w := runtest.Request(h, "GET", path, ""); w.Code != 200 {
			t.Errorf("%s wants a token: %d", path, w.Code)
		}
	}
	for head, want := range map[string]int{
		"Authorization: Bearer " + token: 200, "Authorization: Bearer wrong": 401,
		"Authorization: Basic " + token: 401, "Authorization: Bearer ": 401,
	} {
		if w := runtest.Request(h, "GET", "/api/v1/run", "", head); w.Code != want {
			t.Errorf("%s: %d, want %d", head, w.Code, want)
		}
	}
	// The address gives a cookie, once, and the cookie opens everything.
	w := runtest.Request(h, "GET", "/?token="+token, "", "Host: box.example:9464")
	cookies := w.Result().Cookies()
	if w.Code != 200 || len(cookies) != 1 {
		t.Fatalf("the address answers %d with %d cookies", w.Code, len(cookies))
	}
	c := cookies[0]
	if !c.HttpOnly || c.SameSite != http.SameSiteStrictMode || c.Path != "/" ||
		strings.Contains(c.Value, token) {
		t.Errorf("cookie %+v", c)
	}
	for _, path := range []string{"/", "/api/v1/run", "/static/app.js", "/readyz"} {
		w := runtest.Request(h, "GET", path, "", "Cookie: "+c.Name+"="+c.Value)
		if w.Code != 200 || len(w.Result().Cookies()) > 0 {
			t.Errorf("%s with the cookie: %d", path, w.Code)
		}
	}
	if w := runtest.Request(h, "GET", "/api/v1/run", "",
		"Cookie: "+c.Name+"="+token); w.Code != 401 {
		t.Errorf("the token as the cookie's value: %d", w.Code)
	}
}

func TestHeaders(t *testing.T) {
	dir := runtest.MakeRun(t, runtest.Run{Game: "tictactoe", Iterations: 1, Games: 2})
	h := newPage(t, Options{Folder: string(dir), Metrics: http.HandlerFunc(healthy)}).Handler()
	for _, path := range []string{
		"/", "/static/style.css", "/api/v1/run", "/api/v1/games/9.9", "/metrics",
		"/healthz", "/nowhere",
	} {
		head := runtest.Request(h, "GET", path, "").Result().Header
		for name, want := range map[string]string{
			"Content-Security-Policy": "default-src 'self'", "X-Content-Type-Options": "nosniff",
			"Referrer-Policy": "no-referrer",
			"X-Frame-Options": "DENY", "Cross-Origin-Opener-Policy": "same-origin",
		} {
			if !strings.HasPrefix(head.Get(name), want) {
				t.Errorf("%s: %s: %q", path, name, head.Get(name))
			}
		}
		if !strings.Contains(head.Get("Content-Security-Policy"), "frame-ancestors 'none'") {
			t.Errorf("%s: may be framed", path)
		}
	}
}

func TestSizesAndNumbers(t *testing.T) {
	dir := runtest.MakeRun(t, runtest.Run{Game: "tictactoe", Iterations: 1, Games: 2})
	h := newPage(t, Options{Folder: string(dir)}).Handler()
	long, err := json.Marshal(map[string]any{
		"seats": []string{strings.Repeat("x", maxBody)}, "simulations": 1,
	})
	runtest.Must(t, err)
	if w := runtest.Request(h, "POST", "/api/v1/play", string(long)); w.Code != 413 {
		t.Errorf("a long request: %d", w.Code)
	}
	// Requests at a time.
	entered, release := make(chan struct{}), make(chan struct{})
	slow := limited(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		entered <- struct{}{}
		<-release
	}))
	done := make(chan struct{})
	for range maxRequests {
		go func() { runtest.Request(slow, "GET", "/", ""); done <- struct{}{} }()
		<-entered
	}
	if w := runtest.Request(slow, "GET", "/", ""); w.Code != 503 {
		t.Errorf("one request too many: %d", w.Code)
	}
	close(release)
	for range maxRequests {
		<-done
	}
}

func TestServeWithAToken(t *testing.T) {
	dir := runtest.MakeRun(t, runtest.Run{Game: "tictactoe", Iterations: 1, Games: 2})
	for address, locked := range map[string]bool{
		"127.0.0.1:0": false, ":0": false, "[::1]:0": false, "localhost:0": false,
		"0.0.0.0:0": true,
	} {
		s, err := Serve(t.Context(), address, Options{Folder: string(dir)})
		if err != nil {
			if strings.HasPrefix(address, "[") {
				continue // a machine without IPv6
			}
			t.Fatal(err)
		}
		if (s.token != "") != locked || strings.Contains(s.URL(), "?token=") != locked ||
			strings.Contains(s.URL(), "0.0.0.0") || s.Everywhere() != locked {
			t.Errorf("%s: %s", address, s.URL())
		}
		// The address that is printed opens.
		response, err := http.Get(s.URL())
		if err != nil || response.StatusCode != http.StatusOK {
			t.Errorf("%s, printed as %s: %v, %v", address, s.URL(), response, err)
		}
		if err == nil {
			runtest.Must(t, response.Body.Close())
		}
		runtest.Must(t, s.Close())
	}
	// A token that was asked for holds on loopback too: a proxy may stand before it.
	s, err := Serve(t.Context(), "127.0.0.1:0", Options{
		Folder: string(dir), Token: "a-token-of-some-length",
	})
	runtest.Must(t, err)
	if s.token == "" {
		t.Error("the token that was given is not asked for")
	}
	runtest.Must(t, s.Close())
	if _, err := Serve(t.Context(), "127.0.0.1:0", Options{Folder: t.TempDir()}); err == nil ||
		!strings.Contains(err.Error(), "holds no run") {
		t.Errorf("a folder without a run: %v", err)
	}
}

func TestReadToken(t *testing.T) {
	path := filepath.Join(t.TempDir(), "token")
	for text, want := range map[string]string{
		"0123456789abcdef\n": "0123456789abcdef", "  0123456789abcdefg": "0123456789abcdefg",
		"short": "", "": "", "two words of some length": "",
	} {
		runtest.Must(t, os.WriteFile(path, []byte(text), 0o600))
		got, err := ReadToken(path)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%q: %q, %v", text, got, err)
		}
	}
	if _, err := ReadToken(path + "x"); err == nil {
		t.Error("a missing file gives a token")
	}
}
