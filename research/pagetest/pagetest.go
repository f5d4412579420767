package pagetest

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"tengen/research"
)

var update = flag.Bool("update", false, "write the golden page")

// Page returns the page at path with the given parts, which took a minute each.
func Page(
	t testing.TB, path string, l *research.Layout, parts map[string]research.Part,
) *research.Page {
	t.Helper()
	p := read(t, path, l)
	for name, part := range parts {
		p.Put(name, part, time.Minute)
	}
	return p
}

func read(t testing.TB, path string, l *research.Layout) *research.Page {
	t.Helper()
	p, err := research.ReadPage(path, l)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Golden writes the parts of a page one by one in some order, each by a page that has been read
// anew, and compares the last page with the golden one. It returns that page.
func Golden(t *testing.T, l *research.Layout, whole map[string]research.Part) *research.Page {
	t.Helper()
	path := filepath.Join(t.TempDir(), "results", "page.md")
	written := 0
	for name, part := range whole {
		p := Page(t, path, l, map[string]research.Part{name: part})
		if err := p.Write(name); err != nil {
			t.Fatal(err)
		}
		files, err := filepath.Glob(filepath.Join(p.Dir(), "*.json"))
		if written++; err != nil || len(files) != written {
			t.Errorf("after %s: %v, %v", name, files, err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	golden := filepath.Join("testdata", "page.md")
	if *update {
		if err := os.WriteFile(golden, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("the page differs from testdata/page.md:\n%s", got)
	}
	return read(t, path, l)
}

// Together makes two parts at a time, each by a page that was read before the other part was
// written, and checks that the last page has both.
func Together(
	t *testing.T, l *research.Layout, first, second string, parts map[string]research.Part,
) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "page.md")
	one, two := read(t, path, l), read(t, path, l)
	for name, p := range map[string]*research.Page{first: one, second: two} {
		p.Put(name, parts[name], time.Minute)
		if err := p.Write(name); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if want := read(t, path, l).Markdown(); string(text) != want || one.Section(first) == "" ||
		!strings.Contains(string(text), one.Section(first)) ||
		!strings.Contains(string(text), two.Section(second)) {
		t.Errorf("the page lacks a part:\n%s", text)
	}
}

// Damaged checks that damaged parts are refused with errors that name the file. The elements of the
// list are a part's name, its text, and what the error says.
func Damaged(t *testing.T, l *research.Layout, list [][3]string) {
	t.Helper()
	for _, c := range list {
		path, file := place(t, c[0], []byte(c[1]))
		if _, err := research.ReadPage(path, l); err == nil ||
			!strings.Contains(err.Error(), c[2]) || !strings.Contains(err.Error(), file) {
			t.Errorf("%s: %v; it should say %q and name the file", c[1], err, c[2])
		}
	}
}

// place writes a part beside a page in a new folder.
func place(t testing.TB, part string, data []byte) (path, file string) {
	t.Helper()
	dir := t.TempDir()
	file = filepath.Join(dir, "page", part+".json")
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, data, 0o644); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, "page.md"), file
}

// EveryByte cuts each part after every byte, which must be refused, and flips one bit of every
// byte, after which the part must be refused in one line or the page be made.
func EveryByte(t *testing.T, l *research.Layout, whole map[string]research.Part) {
	t.Helper()
	for name, part := range whole {
		path := filepath.Join(t.TempDir(), "page.md")
		p := Page(t, path, l, map[string]research.Part{name: part})
		if err := p.Write(name); err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(p.Dir(), name+".json")
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		// Bytes are written in place, and the file is cut: new files would take most of the time.
		f, err := os.OpenFile(file, os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		put := func(n int, b byte) {
			if _, err := f.WriteAt([]byte{b}, int64(n)); err != nil {
				t.Fatal(err)
			}
		}
		try := func(what string, n int) error {
			p, err := research.ReadPage(path, l)
			if err == nil && p.Markdown() == "" {
				t.Fatal("an empty page")
			}
			if err != nil &&
				(!strings.Contains(err.Error(), file) || strings.Contains(err.Error(), "\n")) {
				t.Fatalf("%s %s byte %d: %v", name, what, n, err)
			}
			return err
		}
		for n := range len(data) - 1 {
			put(n, data[n]^1<<(n%8))
			_ = try("with a bit flipped in", n)
			put(n, data[n])
		}
		for n := len(data) - 2; n >= 0; n-- { // without its newline it is complete
			if err := f.Truncate(int64(n)); err != nil {
				t.Fatal(err)
			}
			if err := try("cut at", n); err == nil {
				t.Fatalf("%s cut to %d of %d bytes is accepted", name, n, len(data))
			}
		}
	}
}

// Fuzz checks that a page can be made of every part that is not refused. seeds are names and texts.
func Fuzz(f *testing.F, l *research.Layout, seeds map[string]string) {
	for part, text := range seeds {
		f.Add(part, []byte(text))
	}
	f.Fuzz(func(t *testing.T, part string, data []byte) {
		if !slices.Contains(l.Parts, part) {
			return
		}
		path, _ := place(t, part, data)
		if p, err := research.ReadPage(path, l); err == nil && p.Markdown() == "" {
			t.Error("an empty page")
		}
	})
}
