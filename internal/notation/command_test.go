package notation

import (
	"os"
	"path/filepath"
	"runtime/debug"
	"testing"

	"tengen/internal/random"
)

func TestStarted(t *testing.T) {
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "go.mod"), []byte("module tengen\n"),
		0o644); err != nil {
		t.Fatal(err)
	}
	within := filepath.Join(root, "cmd", "tengen")
	if err := os.MkdirAll(within, 0o755); err != nil {
		t.Fatal(err)
	}
	info := &debug.BuildInfo{Path: "tengen/cmd/tengen", Main: debug.Module{Path: "tengen"}}
	tagged := *info
	tagged.Settings = []debug.BuildSetting{{Key: "-tags", Value: "cuda"}}
	files := &debug.BuildInfo{Path: "command-line-arguments", Main: debug.Module{Path: "tengen"}}
	const temporary, cached = "/tmp/go-build1234/b001/exe/tengen", "/home/x/.cache/go-build/ab/ab0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcd-d/tengen"
	for _, c := range []struct {
		name, executable, dir string
		info                  *debug.BuildInfo
		want                  string
	}{
		{"tengen", "/usr/bin/tengen", root, info, "tengen"},
		{"./tengen", "/home/x/tengen", root, info, "./tengen"},
		{"/home/x y/tengen", "/home/x y/tengen", root, info, "'/home/x y/tengen'"},
		{"./nim", "/home/x/nim", root, &debug.BuildInfo{Path: "mine"}, "./nim"},
		{temporary, temporary, root, info, "go run ./cmd/tengen"},
		{cached, cached, root, info, "go run ./cmd/tengen"},
		{temporary, temporary, within, info, "go run ."},
		{temporary, temporary, filepath.Join(root, "cmd"), info, "go run ./tengen"},
		{temporary, temporary, filepath.Join(within, "testdata"), info, "go run .."},
		{temporary, temporary, "/", info, "go run tengen/cmd/tengen"},
		{temporary, temporary, root, &tagged, "go run -tags cuda ./cmd/tengen"},
		{temporary, temporary, root, files, "tengen"},
		{temporary, temporary, root, nil, "tengen"},
		{"/tmp/go-build1234/b001/cmd.test", "/tmp/go-build1234/b001/cmd.test",
			root, info, "tengen"},
		{"", "", "", nil, "tengen"},
	} {
		if got := started(c.name, c.executable, c.dir, c.info); got != c.want {
			t.Errorf("%s in %s: %s, want %s", c.name, c.dir, got, c.want)
		}
	}
	if got := Command("eval", Path("-a b")); got != "tengen eval './-a b'" {
		t.Error(got)
	}
}

func TestDidYouMean(t *testing.T) {
	known := []string{"size", "rows", "columns", "players", "komi", "ko", "pass"}
	for _, c := range []struct{ word, want string }{
		{"sise", "size"},
		{"isze", "size"}, // neighbours swapped
		{"column", "columns"},
		{"playres", "players"},
		{"kom", "ko"}, // as near as komi, and before it in the alphabet
		{"pas", "pass"},
		{"row", "rows"},
		{"simulations", ""},
		{"x", ""},
		{"", ""},
	} {
		want := ""
		if c.want != "" {
			want = ` (did you mean "` + c.want + `"?)`
		}
		if got := DidYouMean(c.word, known); got != want {
			t.Errorf("DidYouMean(%q) = %q, want %q", c.word, got, want)
		}
	}
	if got := DidYouMean("size", nil); got != "" {
		t.Errorf("without known words: %q", got)
	}
}

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"", "abc", 3}, {"abc", "abc", 0}, {"abc", "acb", 1}, {"abc", "cab", 2},
		{"kitten", "sitting", 3}, {"ca", "abc", 3}, {"abcd", "badc", 2},
	} {
		if got := distance(c.a, c.b); got != c.want {
			t.Errorf("distance(%q, %q) = %d, want %d", c.a, c.b, got, c.want)
		}
	}
}

// slow computes the distance from the definition: the minimum over the edits that
// may produce the last letters.
func slow(a, b string) int {
	if a == "" || b == "" {
		return len(a) + len(b)
	}
	m, n := len(a)-1, len(b)-1
	d := slow(a[:m], b[:n])
	if a[m] != b[n] {
		d++
	}
	d = min(d, slow(a[:m], b)+1, slow(a, b[:n])+1)
	if m > 0 && n > 0 && a[m] == b[n-1] && a[m-1] == b[n] {
		d = min(d, slow(a[:m-1], b[:n-1])+1)
	}
	return d
}

func TestDistanceByDefinition(t *testing.T) {
	rng := random.New(1, random.Test)
	word := func() string {
		text := make([]byte, rng.IntN(7))
		for i := range text {
			text[i] = byte('a' + rng.IntN(3))
		}
		return string(text)
	}
	for range 300 {
		a, b := word(), word()
		if got, want := distance(a, b), slow(a, b); got != want {
			t.Errorf("distance(%q, %q) = %d, want %d", a, b, got, want)
		}
	}
}
