package record_test

import (
	"strings"
	"testing"

	"tengen/internal/random"
	"tengen/replay/record"
	"tengen/replay/record/recordtest"
)

// TestDecodeAll: records that were appended are read again, up to the limits; a cut and a changed
// byte anywhere are errors.
func TestDecodeAll(t *testing.T) {
	games := recordtest.PlayMany(3, 1)
	recordtest.GrowTrees(recordtest.Pairs{}, games[1], 40, random.New(1, random.Test))
	var data []byte
	whole, least := 0, 1<<30
	for _, g := range games {
		raw, err := record.AppendEncoded(nil, g)
		if err != nil {
			t.Fatal(err)
		}
		if data, err = record.Append(data, g); err != nil {
			t.Fatal(err)
		}
		whole, least = whole+len(raw), min(least, len(raw))
	}
	got, err := record.DecodeAll(data, 3, whole)
	if err != nil {
		t.Fatal(err)
	}
	if d := recordtest.Difference(games, got); d != "" {
		t.Error(d)
	}
	for _, c := range []struct {
		limit, bytes int
		want         string
	}{
		{2, whole, "more than 2 records"},
		{3, whole - 1, "more than the bytes allowed"},
		{3, least + 1, "more than the bytes allowed"},
		{3, 0, "more than the bytes allowed"},
	} {
		if _, err := record.DecodeAll(data, c.limit, c.bytes); err == nil ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("at most %d records, %d bytes: %v", c.limit, c.bytes, err)
		}
	}
	for n := range data {
		got, err := record.DecodeAll(data[:n], 3, whole)
		if err == nil && recordtest.Difference(games[:len(got)], got) != "" {
			t.Fatalf("cut to %d bytes: %d games", n, len(got))
		} else if err == nil && n > 0 && len(got) == 0 {
			t.Fatalf("%d bytes are no game", n)
		}
		data[n] ^= 0x10
		if _, err := record.DecodeAll(data, 3, whole); err == nil {
			t.Fatalf("byte %d is changed", n)
		}
		data[n] ^= 0x10
	}
}
