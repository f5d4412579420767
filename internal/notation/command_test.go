package notation

import (
	"os"
	"path/filepath"
	"runtime/debug"
	"testing"
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
