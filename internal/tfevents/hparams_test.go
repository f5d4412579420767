package tfevents

import (
	"bytes"
	"encoding/hex"
	"strings"
	"testing"
	"time"
)

// TestHParams: the plugin's data is as encoded by hand from the published formats.
func TestHParams(t *testing.T) {
	var b bytes.Buffer
	if err := NewWriter(&b).HParams(time.Unix(16, 0), "g", []HParam{
		{"a", 1.0}, {"b", "x"}, {"c", true}, {"d", 1},
	}); err != nil {
		t.Fatal(err)
	}
	entries := "0a0e 0a0161 1209 11000000000000f03f" + // a: 1
		"0a08 0a0162 1203 1a0178" + // b: x
		"0a07 0a0163 1202 2001" // c: true
	start := entries + "22 01 67" + "29 0000000000003040" // group, start
	n := len(strings.ReplaceAll(start, " ", "")) / 2
	size := func(n int) string { return hex.EncodeToString([]byte{byte(n)}) }
	content := "1a" + size(n) + start
	plugin := "0a07 68706172616d73 12" + size(n+2) + content
	metadata := "0a" + size(n+2+2+9) + plugin
	// _hparams_/session_start_info
	want := "0a1c 5f68706172616d735f2f73657373696f6e5f73746172745f696e666f" +
		"42 0e 0801 1204 1202 0801 2204 00000000" + // tensor of one 0
		"4a" + size(n+2+2+9+2) + metadata
	got := hex.EncodeToString(b.Bytes())
	if plain := strings.ReplaceAll(want, " ", ""); !strings.Contains(got, plain) {
		t.Errorf("got\n%s, which lacks\n%s", got, plain)
	}
}
