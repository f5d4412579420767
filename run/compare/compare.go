package compare

import (
	"path/filepath"
	"strings"

	"tengen/run/history"
)

// MaxRuns is the number of runs with different colors and glyphs in a picture.
const MaxRuns = 24

// Comparison compares runs. Lists with one element per run are in the order of Runs.
type Comparison struct {
	Runs     []Result  `json:"runs"`
	Settings []Setting `json:"settings"` // that differ between runs
	Notes    []string  `json:"notes"`    // what is not comparable and what could not be read

	runs []*history.Run
}

// New reads and compares the runs in the folders. It returns an error for a folder without
// a run.
func New(folders []string) (*Comparison, error) {
	var runs []*history.Run
	for _, dir := range folders {
		run, err := history.Read(dir)
		if err != nil {
			return nil, err
		}
		runs = append(runs, run)
	}
	return Of(labels(folders), runs)
}

// Of compares runs that were read before, under these names.
func Of(names []string, runs []*history.Run) (*Comparison, error) {
	c := &Comparison{runs: runs}
	for i, run := range runs {
		c.Runs = append(c.Runs, ResultOf(names[i], run))
	}
	var err error
	if c.Settings, err = settings(c.runs); err != nil {
		return nil, err
	}
	c.Notes = c.notes()
	return c, nil
}

// Read returns the histories of the runs.
func (c *Comparison) Read() []*history.Run { return c.runs }

// labels returns names for the folders: as few of the last elements of their paths as make
// them different.
func labels(folders []string) []string {
	parts := make([][]string, len(folders))
	for i, dir := range folders {
		if abs, err := filepath.Abs(dir); err == nil {
			dir = abs
		}
		parts[i] = strings.Split(strings.Trim(filepath.ToSlash(dir), "/"), "/")
	}
	names := make([]string, len(folders))
	for i := range folders {
		for n := 1; n <= len(parts[i]); n++ {
			names[i] = last(parts[i], n)
			alone := true
			for k := range folders {
				alone = alone && (k == i || last(parts[k], n) != names[i])
			}
			if alone {
				break
			}
		}
	}
	return names
}

// last joins the last n parts.
func last(parts []string, n int) string {
	return strings.Join(parts[max(0, len(parts)-n):], "/")
}
