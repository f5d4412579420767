//go:build slow && linux

package main

import (
	"encoding/json"
	"strings"
	"testing"
)

// Scale with small runs.
func TestScale(t *testing.T) {
	var stdout, stderr strings.Builder
	args := []string{
		"scale", "--sizes", "30:100,300:400", "--games", "4", "--json", "--dir", t.TempDir(),
	}
	if err := measure(t.Context(), args, &stdout, &stderr); err != nil {
		t.Fatalf("%v\n%s", err, stderr.String())
	}
	var r scaleReport
	if err := json.Unmarshal([]byte(stdout.String()), &r); err != nil || len(r.Parts) != 7 {
		t.Fatalf("%v: %s", err, stdout.String())
	}
	for _, p := range r.Parts {
		for _, c := range p.Costs {
			if !(c.CPU > 0) || !(c.Memory > 1) {
				t.Errorf("%s: %+v", p.Name, c)
			}
		}
	}
}
