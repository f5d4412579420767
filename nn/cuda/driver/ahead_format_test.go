package driver_test

import (
	"archive/zip"
	"bytes"
	"flag"
	"io"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"tengen/nn/cuda/driver"
)

var update = flag.Bool("update", false, "rewrite the golden file")

// goldenImages are the images of testdata/kernels.zip.
func goldenImages() map[string][]byte {
	return map[string][]byte{
		"compute_80/" + strings.Repeat("0a", 32): []byte(".version 7.8\n.target sm_80\n"),
		"sm_90/" + strings.Repeat("b1", 32):      bytes.Repeat([]byte{0x7f, 'E', 'L', 'F'}, 100),
		"sm_120/" + strings.Repeat("02", 32):     {1},
	}
}

func writeAhead(t testing.TB, images map[string][]byte) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := driver.WriteAhead(&b, images); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// entriesOf returns the names and contents of a zip file's entries, in order.
func entriesOf(t *testing.T, data []byte) (list []string) {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		if !f.Modified.IsZero() && f.Modified.Year() > 1980 || len(f.Comment) > 0 {
			t.Errorf("%s has a time or a comment", f.Name)
		}
		list = append(list, f.Name, string(content))
	}
	return list
}

// TestAheadGolden reads the golden file, and writes the same entries in the same order. The
// compressed bytes depend on the version of Go.
func TestAheadGolden(t *testing.T) {
	file := filepath.Join("testdata", "kernels.zip")
	images := goldenImages()
	if *update {
		if err := os.WriteFile(file, writeAhead(t, images), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	golden, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	got, err := driver.ReadAhead(golden)
	if err != nil || !maps.EqualFunc(got, images, bytes.Equal) {
		t.Errorf("the golden file is read as %q, %v", got, err)
	}
	want := []string{"format", "tengen kernels 1\n"}
	for _, name := range slices.Sorted(maps.Keys(images)) {
		want = append(want, name, string(images[name]))
	}
	for what, data := range map[string][]byte{
		"the golden file": golden, "a new file": writeAhead(t, images),
	} {
		if got := entriesOf(t, data); !slices.Equal(got, want) {
			t.Errorf("%s has the entries %q, want %q", what, got, want)
		}
	}
}

// zipped returns a zip file of names and contents.
func zipped(t testing.TB, entries ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i := 0; i < len(entries); i += 2 {
		f, err := z.Create(entries[i])
		if err == nil {
			_, err = io.WriteString(f, entries[i+1])
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestAheadRefuses checks that files of another format are refused by a line that says why.
func TestAheadRefuses(t *testing.T) {
	const format = "tengen kernels 1\n"
	name := "sm_90/" + strings.Repeat("0a", 32)
	for want, data := range map[string][]byte{
		"not a valid zip file":           []byte("no zip file"),
		`the first entry is not "format`: zipped(t, name, "x", "format", format),
		"unknown version":                zipped(t, "format", "tengen kernels 2\n", name, "x"),
		"more than 17 bytes":             zipped(t, "format", strings.Repeat("x", 1<<20)),
		"names no image":                 zipped(t, "format", format, "../"+name, "x"),
		"is there twice":                 zipped(t, "format", format, name, "x", name, "x"),
		"has 0 bytes":                    zipped(t, "format", format, name, ""),
		"has 16777217 bytes": zipped(t, "format",
			format, name, strings.Repeat("x", 16<<20+1)),
	} {
		if _, err := driver.OpenAhead(data); err == nil || !strings.Contains(err.Error(), want) ||
			!strings.Contains(err.Error(), "kernels compiled ahead") {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	if err := driver.WriteAhead(io.Discard, map[string][]byte{"sm_90/short": {1}}); err == nil {
		t.Error("a wrong name is written")
	}
}

// TestAheadBounded checks that an image which expands to more than it says, or than is possible,
// takes no more memory than possible.
func TestAheadBounded(t *testing.T) {
	name := "sm_90/" + strings.Repeat("0a", 32)
	bomb := zipped(t, "format", "tengen kernels 1\n", name, strings.Repeat("x", 64<<20))
	// The size of the entry in the directory, which is 24 bytes behind its signature.
	at := bytes.LastIndex(bomb, []byte("PK\x01\x02"))
	copy(bomb[at+24:], []byte{100, 0, 0, 0})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := driver.ReadAhead(bomb)
	runtime.ReadMemStats(&after)
	if err == nil {
		t.Error("an image with more bytes than it says is read")
	}
	if n := after.TotalAlloc - before.TotalAlloc; n > 120<<20 {
		t.Errorf("%d MB are allocated for a file of %d KB", n>>20, len(bomb)>>10)
	}
}

// FuzzAhead reads hostile files. What is read can be written, and is then read the same.
func FuzzAhead(f *testing.F) {
	golden, err := os.ReadFile(filepath.Join("testdata", "kernels.zip"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(golden)
	f.Add(golden[:len(golden)/2])
	f.Add(zipped(f, "format", "tengen kernels 1\n"))
	f.Add(zipped(f, "format", "tengen kernels 2\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		images, err := driver.ReadAhead(data)
		if err != nil {
			return
		}
		total := 0
		for name, image := range images {
			total += len(image)
			if len(image) == 0 || len(image) > 16<<20 {
				t.Fatalf("%s has %d bytes", name, len(image))
			}
		}
		if total > 2000*len(data) { // deflate expands by at most 1032
			t.Fatalf("%d bytes of images are read from %d", total, len(data))
		}
		again, err := driver.ReadAhead(writeAhead(t, images))
		if err != nil || !maps.EqualFunc(again, images, bytes.Equal) {
			t.Fatalf("images are written and read as others: %v", err)
		}
	})
}
