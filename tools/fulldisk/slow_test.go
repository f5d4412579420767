//go:build slow && linux

package main

import (
	"errors"
	"strings"
	"testing"
)

// TestFullDisk runs the command.
func TestFullDisk(t *testing.T) {
	var out strings.Builder
	err := runTrial(t.Context(), nil, &out, &out)
	if errors.Is(err, errMount) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	t.Log(out.String())
}
