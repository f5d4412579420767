package web

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"testing"
)

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
