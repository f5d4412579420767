//go:build linux && slow

package main

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"
)

// TestPageload: a short measurement of a tiny run finds its figures, whatever they are.
func TestPageload(t *testing.T) {
	var out bytes.Buffer
	err := pageload(t.Context(), []string{
		"--json", "--pin=false", "--rounds", "1", "--seconds", "0.3",
		"--without", "100", "--with", "100", "--wait", "600", "--memory", "10000", "--match",
		"refused requests|slow clients|games opened",
		"--set", "game=tictactoe", "--set", "network.blocks=1", "--set", "network.filters=8",
		"--set", "network.hidden=8"}, &out, io.Discard)
	var r loadReport
	if err == nil {
		err = json.Unmarshal(out.Bytes(), &r)
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, &out)
	}
	if len(r.Figures) != 4 {
		t.Fatalf("%d loads", len(r.Figures))
	}
	for _, f := range r.Figures {
		if f.Quiet <= 0 || f.Loaded <= 0 || f.Memory <= 0 || !strings.Contains(r.String(), f.Load) {
			t.Errorf("%+v", f)
		}
	}
}
