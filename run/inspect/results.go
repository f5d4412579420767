package inspect

import (
	"encoding/json"
	"fmt"

	"tengen/experiments"
)

// Results is how the results of a reproduced experiment came about; see
// docs/formats/results.md.
type Results = experiments.Made

// resultsVersion is that of the files of results that are written.
const resultsVersion = 1

// results looks at results of a reproduced experiment. Whether the figures are all
// there, the page that is made of them tells.
func (i *inspector) results(path string) error {
	data, err := readWhole(path)
	if err != nil {
		return err
	}
	var file struct {
		Made *Results `json:"made"`
	}
	if err := json.Unmarshal(data, &file); err != nil {
		i.found.damaged(Finding{Path: path, What: err.Error()})
		return nil
	}
	switch m := file.Made; {
	case m == nil:
		i.found.damaged(Finding{Path: path, What: `the field "made" is wanted`})
	case m.Version != resultsVersion:
		i.found.damaged(Finding{Path: path, What: fmt.Sprintf("results of version %d; this program reads version %d", m.Version, resultsVersion)})
	default:
		i.found.Results = m
	}
	return nil
}
