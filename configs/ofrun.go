package configs

import (
	"os"
	"path/filepath"
)

// OfRun finds the configuration of the run that a path belongs to: the run's
// folder, its folder of checkpoints, one checkpoint, or a file of one. It is
// nil, without an error, where the path is in no run's folder.
func OfRun(path string) (*Config, error) {
	dir, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	for range 4 {
		file := filepath.Join(dir, "config.yaml")
		if _, err := os.Stat(filepath.Join(dir, "checkpoints")); err == nil {
			if _, err := os.Stat(file); err == nil {
				r, err := Resolve(Options{Name: file})
				if err != nil {
					return nil, err
				}
				return &r.Config, nil
			}
		}
		dir = filepath.Dir(dir)
	}
	return nil, nil
}
