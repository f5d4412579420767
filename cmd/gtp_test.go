package cmd

import (
	"strings"
	"testing"
)

// A network serves any komi, but no other board or rules; one of a checkpoint
// plays on its own game where none is named.
func TestGTPNetworks(t *testing.T) {
	t.Chdir(t.TempDir())
	newRun(t, "two", "go:size=3,players=2,komi=[0,0.5],pass=free,reward=win", "alphazero")
	newRun(t, "three", "go:size=3,players=3", "alphazero")
	for _, c := range []struct{ stdin, args, want string }{
		{"final_score\nkomi 7.5\ngenmove b\nboardsize 5\nboardsize 3\n", "two",
			"= W+0.5 = = ? unacceptable size ="},
		{"final_score\n",
			"az:two,simulations=20 --game go:size=3,players=2,komi=[0,3],pass=free,reward=win",
			"= W+3"},
		{"final_score\n", "ubfm:two --game go:size=3,players=2,pass=free,reward=win", "= 0"},
	} {
		status, stdout, stderr := tengen(t, c.stdin, "gtp "+c.args)
		got := strings.Join(strings.Fields(stdout), " ")
		for _, point := range strings.Fields("A1 A2 A3 B1 B2 B3 C1 C2 C3 pass") {
			got = strings.Replace(got, "= "+point, "=", 1)
		}
		if status != 0 || got != c.want {
			t.Errorf("%s: %d %q %s", c.args, status, got, stderr)
		}
	}
	for args, want := range map[string]string{
		"az:two --game go:size=3,players=2,pass=free":         "was trained on",
		"two --game go:size=5,players=2,pass=free,reward=win": "was trained on",
		"three":               "the Go Text Protocol has two",
		"two --simulations 0": "--simulations 0: a number from 1",
		"nowhere":             "nowhere",
	} {
		if status, _, stderr := tengen(t, "", "gtp "+args); status != exitUsage ||
			!strings.Contains(stderr, want) {
			t.Errorf("%s: %d %s", args, status, stderr)
		}
	}
}
