package compare

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"tengen/configs"
	"tengen/run/history"
)

// Setting is a configuration key in which runs differ.
type Setting struct {
	Key    string   `json:"key"`    // search.simulations
	Values []string `json:"values"` // by run, as in a configuration; "" if it can't be read
}

// settings returns the settings in which the runs differ, in the order of a configuration.
// It ignores runs whose configuration can't be read.
func settings(runs []*history.Run) ([]Setting, error) {
	flat := make([]map[string]string, len(runs))
	for i, r := range runs {
		if r.Config == nil {
			continue
		}
		var err error
		if flat[i], err = flatten(r.Config); err != nil {
			return nil, err
		}
	}
	list := []Setting{} // in JSON a list, also without any
	for _, key := range configs.Keys() {
		s := Setting{Key: key, Values: make([]string, len(runs))}
		var known []string
		for i, values := range flat {
			if values != nil {
				s.Values[i] = values[key]
				known = append(known, values[key])
			}
		}
		if len(slices.Compact(known)) > 1 {
			list = append(list, s)
		}
	}
	return list, nil
}

// flatten returns the values of a configuration as text by key.
func flatten(c *configs.Config) (map[string]string, error) {
	text, err := json.Marshal(c)
	if err != nil {
		return nil, fmt.Errorf("compare settings: %w", err)
	}
	var tree map[string]json.RawMessage
	if err := json.Unmarshal(text, &tree); err != nil {
		return nil, fmt.Errorf("compare settings: %w", err)
	}
	flat := map[string]string{}
	flattenInto(flat, "", tree)
	return flat, nil
}

func flattenInto(flat map[string]string, prefix string, tree map[string]json.RawMessage) {
	for key, raw := range tree {
		var group map[string]json.RawMessage
		var text string
		switch {
		case json.Unmarshal(raw, &group) == nil && group != nil:
			flattenInto(flat, prefix+key+".", group)
		case json.Unmarshal(raw, &text) == nil && strings.TrimSpace(text) != "":
			flat[prefix+key] = text
		case string(raw) == "null":
			flat[prefix+key] = "[]" // a list without entries
		default:
			flat[prefix+key] = string(raw)
		}
	}
}
