package run

import (
	"os"
	"path/filepath"
	"testing"
)

// TestPath: RUN@10 names a checkpoint, where RUN is a run and no file has that name.
func TestPath(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, dir := range []string{"a", "b@3", "none"} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, dir := range []string{"a", "b@3"} {
		if err := os.WriteFile(Folder(dir).Config(), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for text, want := range map[string]string{
		"a": "a", "a@10": Folder("a").Checkpoint(10), "a@": "a@", "a@x": "a@x", "a@-1": "a@-1",
		"a@+1": "a@+1", "@3": "@3",
		"b@3": "b@3", "b@3@7": Folder("b@3").Checkpoint(7), "none@1": "none@1",
		"nowhere@1":                    "nowhere@1",
		filepath.Join(".", "a") + "@2": Folder("a").Checkpoint(2),
	} {
		if got := Path(text); got != want {
			t.Errorf("%s is %s, want %s", text, got, want)
		}
	}
}
