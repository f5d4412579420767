package plot

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"tengen/game"
	"tengen/run"
)

// A run of which only the first network was measured, and has won nothing, has axes from 0 on.
func TestOnePoint(t *testing.T) {
	dir := run.Folder(t.TempDir())
	if err := os.Mkdir(filepath.Join(string(dir), "eval"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(dir.Events(), []byte(`{"event":"evaluation","iteration":0,"strength":{"points":[0,0,0],"ci95":[0,0,null],"baseline":[0,0,0]}}`+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := Learning(dir.On(nil), game.Must(game.New("go:size=5,players=3"))); err != nil {
		t.Fatal(err)
	}
	svg, err := os.ReadFile(dir.Picture())
	if err != nil {
		t.Fatal(err)
	}
	for _, label := range regexp.MustCompile(">([^<>]*)</text>").
		FindAllStringSubmatch(string(svg), -1) {
		if strings.HasPrefix(label[1], "-") {
			t.Errorf("an axis has the label %s", label[1])
		}
	}
	if !strings.Contains(string(svg), "Black") {
		t.Error("the seats have no curves")
	}
}
