//go:build slow

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tengen/run"
)

// A run is damaged in a few known ways, each of which has the result that it must have; trials
// follow from their number.
func TestCorrupt(t *testing.T) {
	s := stage{t.TempDir()}
	if err := s.prepare(); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		harm func(dir string) error
		want string
		says string
	}{
		{"nothing", func(string) error { return nil }, same, ""},
		{"checkpoints/000004/model.safetensors", func(dir string) error {
			return os.Truncate(filepath.Join(dir, "checkpoints/000004/model.safetensors"), 100)
		}, same, "a damaged checkpoint is passed over"},
		{"checkpoints/000004", func(dir string) error {
			return put(filepath.Join(dir, "checkpoints/000004"), s.path("other/checkpoints/000004"))
		}, refused, "belongs to another run"},
		{"config.yaml", func(dir string) error {
			path := run.Folder(dir).Config()
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			return os.WriteFile(path,
				[]byte(strings.Replace(string(text), "learning_rate: 0.002",
					"learning_rate: 0.004", 1)), 0o644)
		}, told, "training.learning_rate: 0.002 → 0.004"},
		{"cluster/journal/000000.games", func(dir string) error {
			const name = "cluster/journal/000000.games"
			return put(filepath.Join(dir, name), s.path("other/"+name))
		}, refused, "belongs to another run"},
	} {
		dir := s.path("trial")
		if err := os.CopyFS(dir, os.DirFS(s.path("run"))); err != nil {
			t.Fatal(err)
		}
		if err := c.harm(dir); err != nil {
			t.Fatal(err)
		}
		o := &outcome{Victim: c.name}
		s.judge(o, dir)
		if o.Result != c.want || !strings.Contains(o.Message, c.says) || o.failed() {
			t.Errorf("%s: %+v, want %s, %q", c.name, o, c.want, c.says)
		}
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
	}
	// Use without a word is found: the copy that all are compared with is another run's.
	if err := put(s.path("run-ahead"), s.path("other-ahead")); err != nil {
		t.Fatal(err)
	}
	if o, err := s.trial(1, 1, false); err != nil || o.Result == same {
		t.Errorf("%+v, %v", o, err)
	}
	if difference := s.compare(s.path("run")); difference == "" {
		t.Error("different runs compare as the same")
	}
}
