package experiments

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestPartsAtEveryByte: a part that was cut anywhere is refused by name, and of one
// with a bit turned a page is made or not, in one line.
func TestPartsAtEveryByte(t *testing.T) {
	path := filepath.Join(t.TempDir(), "go.md")
	whole := fullPage(path)
	for _, part := range []string{"table3", "table4", "figure3", "reward"} {
		whole.Took(part, time.Minute)
		if err := whole.Write(part); err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(whole.Dir(), part+".json")
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		read := func(text []byte) error {
			// A new file each time: some file systems sync one that is written over.
			if err := os.Remove(file); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, text, 0o644); err != nil {
				t.Fatal(err)
			}
			p, err := ReadGoPage(path)
			if err == nil && p.Markdown() == "" {
				t.Fatal("an empty page")
			}
			if err != nil && (!strings.Contains(err.Error(), file) || strings.Contains(err.Error(), "\n")) {
				t.Fatalf("%q: %v", text, err)
			}
			return err
		}
		for n := range len(data) - 1 { // without its newline it is complete
			if err := read(data[:n]); err == nil {
				t.Fatalf("%s cut to %d of %d bytes is taken", part, n, len(data))
			}
			flipped := bytes.Clone(data)
			flipped[n] ^= 1 << (n % 8)
			_ = read(flipped)
		}
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
	}
}
