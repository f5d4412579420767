package serve

import (
	"bytes"
	"compress/gzip"
	"net/http"
	"strings"
)

// Gzip returns content compressed at a level of compress/gzip.
func Gzip(content []byte, level int) []byte {
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, level)
	if err != nil {
		panic(err) // the levels are constants
	}
	_, _ = z.Write(content) // into memory
	_ = z.Close()
	return b.Bytes()
}

// AcceptsGzip reports whether the client of r accepts a compressed answer.
func AcceptsGzip(r *http.Request) bool {
	return strings.Contains(r.Header.Get("Accept-Encoding"), "gzip")
}
