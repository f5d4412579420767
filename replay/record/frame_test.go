package record_test

import (
	"strings"
	"testing"

	"tengen/internal/random"
	"tengen/replay/record"
	"tengen/replay/record/recordtest"
)

// TestDecodeAll: records that were appended are read again, up to the limit; a cut and a changed
// byte anywhere are errors.
func TestDecodeAll(t *testing.T) {
	games := recordtest.PlayMany(3, 1)
	recordtest.GrowTrees(recordtest.Pairs{}, games[1], 40, random.New(1, random.Test))
	var data []byte
	for _, g := range games {
		var err error
		if data, err = record.Append(data, g); err != nil {
			t.Fatal(err)
		}
	}
	got, err := record.DecodeAll(data, 3)
	if err != nil {
		t.Fatal(err)
	}
	if d := recordtest.Difference(games, got); d != "" {
		t.Error(d)
	}
	if _, err := record.DecodeAll(data, 2); err == nil ||
		!strings.Contains(err.Error(), "more than 2 records") {
		t.Errorf("at most 2 records: %v", err)
	}
	for n := range data {
		got, err := record.DecodeAll(data[:n], 3)
		if err == nil && recordtest.Difference(games[:len(got)], got) != "" {
			t.Fatalf("cut to %d bytes: %d games", n, len(got))
		} else if err == nil && n > 0 && len(got) == 0 {
			t.Fatalf("%d bytes are no game", n)
		}
		data[n] ^= 0x10
		if _, err := record.DecodeAll(data, 3); err == nil {
			t.Fatalf("byte %d is changed", n)
		}
		data[n] ^= 0x10
	}
}
