package web

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"io"
	"net"
	"net/http"
	"strings"
)

// headers sets the security headers of every response.
func headers(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		set := w.Header().Set
		set("Content-Security-Policy", "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'")
		set("X-Content-Type-Options", "nosniff")
		set("X-Frame-Options", "DENY")
		set("Referrer-Policy", "no-referrer")
		set("Cross-Origin-Opener-Policy", "same-origin")
		set("Cross-Origin-Resource-Policy", "same-origin")
		set("Permissions-Policy", "camera=(), geolocation=(), microphone=()")
		h.ServeHTTP(w, r)
	})
}

// gate is the token that is required, "" for none.
type gate string

// guard rejects requests without access: without a token, those that call this machine by a name
// of another host (DNS rebinding); with a token, those that lack it; and changes requested by
// pages of other origins, and what such pages ask of the API, which costs processor time though
// they can't read the answer.
func (g gate) guard(h http.Handler) http.Handler {
	h = http.NewCrossOriginProtection().Handler(h)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		token := string(g)
		switch {
		case token == "" && !loopbackName(r.Host):
			http.Error(w, "this page is for this machine alone: open it as http://127.0.0.1 or http://localhost", http.StatusForbidden)
			return
		case token != "" && !g.admit(w, r):
			locked(w, r)
			return
		}
		if site := r.Header.Get("Sec-Fetch-Site"); (site == "cross-site" || site == "same-site") &&
			(strings.HasPrefix(r.URL.Path, "/api/") || strings.Contains(r.URL.Path, "/api/v1/")) {
			http.Error(w, "another site's page asks for this", http.StatusForbidden)
			return
		}
		h.ServeHTTP(w, r)
	})
}

// loopbackName reports whether host, with or without a port, is a name of this machine on
// loopback.
func loopbackName(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.ToLower(strings.Trim(host, "[]"))
	if ip := net.ParseIP(host); ip != nil {
		return ip.IsLoopback()
	}
	return host == "localhost" || strings.HasSuffix(host, ".localhost")
}

// admit reports whether the request has the token. It sets the cookie if the token is in the
// address of the page.
func (g gate) admit(w http.ResponseWriter, r *http.Request) bool {
	by := g.access(r)
	if by == byAddress {
		name, value := cookieOf(string(g))
		http.SetCookie(w, &http.Cookie{
			Name: name, Value: value, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode,
			Secure: r.TLS != nil, MaxAge: 30 * 24 * 3600,
		})
	}
	return by != byNothing
}

// How a request shows that it has the token.
type access uint8

const (
	byNothing access = iota
	byBearer
	byCookie
	byAddress // of the page
)

// access looks for the token, which is not empty.
func (g gate) access(r *http.Request) access {
	token := string(g)
	if bearer, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok {
		if same(bearer, token) {
			return byBearer
		}
		return byNothing
	}
	name, value := cookieOf(token)
	if c, err := r.Cookie(name); err == nil && same(c.Value, value) {
		return byCookie
	}
	if r.Method == http.MethodGet && r.URL.Path == "/" && same(r.URL.Query().Get("token"), token) {
		return byAddress
	}
	return byNothing
}

// stranger reports whether a request lacks the token, if one is required, or is answered without.
func (g gate) stranger(r *http.Request) bool {
	return g != "" && g.access(r) == byNothing || r.URL.Path == "/metrics" ||
		r.URL.Path == "/healthz"
}

// cookieOf returns the cookie that proves knowledge of the token without containing it. Its name
// distinguishes runs on other ports of the same host.
func cookieOf(token string) (name, value string) {
	sum := sha256.Sum256([]byte("tengen page cookie\n" + token))
	text := hex.EncodeToString(sum[:])
	return "tengen_" + text[:8], text[8:]
}

func same(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

// locked answers that the token is required.
func locked(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("WWW-Authenticate", `Bearer realm="tengen"`)
	if r.Method != http.MethodGet || r.URL.Path != "/" {
		http.Error(w, "the token of this page is wanted: Authorization: Bearer TOKEN",
			http.StatusUnauthorized)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusUnauthorized)
	_, _ = w.Write([]byte(lockedPage)) // the reader may have gone
}

const lockedPage = `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>Tengen</title>
<h1>This page wants its token</h1>
<p>It stands in the address that was shown when the page was started.</p>
<form action="/"><label>Token <input type="password" name="token" autocomplete="off" required></label> <button>Open</button></form>
</html>
`

// limited bounds the number of concurrent requests, and the size and time of each.
func limited(h http.Handler) http.Handler {
	slots := make(chan struct{}, maxRequests)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case slots <- struct{}{}:
			defer func() { <-slots }()
		default:
			http.Error(w, "too many requests at a time", http.StatusServiceUnavailable)
			return
		}
		ctx, cancel := context.WithTimeout(r.Context(), answerTimeout)
		defer cancel()
		r = r.WithContext(ctx)
		body := r.Body
		most := int64(maxBody)
		if r.Method == http.MethodPut {
			most = maxNotes
		}
		r.Body = http.MaxBytesReader(w, body, most)
		h.ServeHTTP(w, r)
		// What a handler has not read is read before the connection is closed: else the client may
		// lose the answer.
		_, _ = io.CopyN(io.Discard, body, maxDrained)
	})
}
