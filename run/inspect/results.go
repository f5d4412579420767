package inspect

import (
	"fmt"
)

// Results describes how the results of a reproduced experiment were produced: the field
// "made" of every file of results, by which the files are recognised. See
// docs/formats/results.md.
type Results struct {
	Version  int     `json:"version"` // of the file's format
	Command  string  `json:"command"`
	Machine  string  `json:"machine"`
	Seed     uint64  `json:"seed"`
	Seconds  float64 `json:"seconds"`
	Games    int     `json:"games"`
	Distinct int     `json:"distinct_games"`
	Opening  int     `json:"opening"` // random decisions at the start of each game
}

// resultsVersion is the version of the format that this program reads.
const resultsVersion = 1

// results reports on results of a reproduced experiment. It does not check the figures.
func (i *inspector) results(path string) error {
	var file struct {
		Made *Results `json:"made"`
	}
	if ok, err := i.decode(path, &file); !ok {
		return err
	}
	switch m := file.Made; {
	case m == nil:
		i.found.damaged(Finding{Path: path, What: `the field "made" is wanted`})
	case m.Version != resultsVersion:
		i.found.damaged(Finding{
			Path: path, What: fmt.Sprintf("results of version %d; this program reads version %d",
				m.Version, resultsVersion),
		})
	default:
		i.found.Results = m
	}
	return nil
}
