package web

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strings"
	"sync"

	"tengen/internal/serve"
)

//go:embed static
var files embed.FS

// asset is one file of the page.
type asset struct {
	content []byte
	packed  []byte // gzip; nil where that saves nothing
	kind    string // media type
	tag     string // changes with the content
}

// assets returns the files of the page by their names below static/.
var assets = sync.OnceValue(func() map[string]*asset {
	list := map[string]*asset{}
	err := fs.WalkDir(files, "static", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := files.ReadFile(name)
		if err != nil {
			return err
		}
		sum := sha256.Sum256(content)
		a := &asset{
			content: content, kind: kindOf(name), tag: `"` + hex.EncodeToString(sum[:8]) + `"`,
		}
		if packed := serve.Gzip(content, gzip.BestCompression); len(packed) < len(content)*9/10 {
			a.packed = packed
		}
		list[strings.TrimPrefix(name, "static/")] = a
		return nil
	})
	if err != nil {
		panic(err) // the files are in the program
	}
	return list
})

// kindOf returns the media type of a file, independently of the system's tables.
func kindOf(name string) string {
	switch path.Ext(name) {
	case ".html":
		return "text/html; charset=utf-8"
	case ".css":
		return "text/css; charset=utf-8"
	case ".js":
		return "text/javascript; charset=utf-8"
	case ".svg":
		return "image/svg+xml"
	case ".txt":
		return "text/plain; charset=utf-8"
	}
	return mime.TypeByExtension(path.Ext(name))
}

// send answers with an asset, or with 304 if the client has it.
func (a *asset) send(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Type", a.kind)
	h.Set("Cache-Control", "no-cache") // asked for again each time, and sent when it has changed
	h.Set("ETag", a.tag)
	h.Set("Vary", "Accept-Encoding")
	if r.Header.Get("If-None-Match") == a.tag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	content := a.content
	if a.packed != nil && serve.AcceptsGzip(r) {
		h.Set("Content-Encoding", "gzip")
		content = a.packed
	}
	_, _ = io.Copy(w, bytes.NewReader(content)) // the reader may have gone
}

func static(w http.ResponseWriter, r *http.Request) {
	a := assets()[r.PathValue("file")]
	if a == nil {
		http.NotFound(w, r)
		return
	}
	a.send(w, r)
}

func favicon(w http.ResponseWriter, r *http.Request) { assets()["icon.svg"].send(w, r) }

func (p *Page) index(w http.ResponseWriter, r *http.Request) { assets()["index.html"].send(w, r) }
