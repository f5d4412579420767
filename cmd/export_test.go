package cmd

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"tengen/checkpoints/pretrained"
	"tengen/interop/export"
	"tengen/vfs"
)

// A network of a game that this program does not know is exported without the
// game's names, and one that does not fit its game is refused.
func TestExportOfAnotherGame(t *testing.T) {
	shipped, ok := pretrained.Find("go-5x5x3")
	if !ok {
		t.Fatal("no network go-5x5x3")
	}
	model, err := shipped.Model()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	save := func(name, game string) string {
		path := filepath.Join(dir, name)
		err := vfs.WriteFile(vfs.OS{}, path, func(w io.Writer) error {
			return export.Write(w, export.Safetensors, &export.Network{
				Params: model.Params, Game: game,
			}, false)
		})
		if err != nil {
			t.Fatal(err)
		}
		return path
	}
	exported := func(path string) (status int, stdout, stderr string) {
		var out, err bytes.Buffer
		status = program.Execute(context.Background(),
			[]string{"export", path, "--out", filepath.Join(dir, "out.onnx"), "--json"},
			strings.NewReader(""), &out, &err)
		return status, out.String(), err.String()
	}
	status, stdout, stderr := exported(save("small", "go:size=3,players=3"))
	if status != exitUsage || stdout != "" ||
		!strings.Contains(stderr,
			"the network sees 6 planes of 5×5, but go:size=3,players=3 shows 6 of 3×3") {
		t.Errorf("not of its game: status %d, %s%s", status, stdout, stderr)
	}
	status, stdout, stderr = exported(save("unknown", "hex:size=5"))
	if status != 0 ||
		!strings.HasPrefix(stderr,
			`tengen: planes, seats and actions are not named: no game is called "hex"`) ||
		strings.Count(stderr, "\n") != 1 {
		t.Errorf("of an unknown game: status %d, %s", status, stderr)
	}
	var report struct{ Metadata map[string]string }
	if err := json.Unmarshal([]byte(stdout), &report); err != nil {
		t.Fatal(err)
	}
	if m := report.Metadata; m["game"] != "hex:size=5" ||
		m["planes"]+m["seats"]+m["actions"] != "" {
		t.Errorf("metadata %v", m)
	}
}
