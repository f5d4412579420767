package cmd

import (
	"bytes"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// TestStrangeNames: a folder whose name is not UTF-8, or has escape sequences, spaces and quotes,
// holds a run like any other. What is printed has no control characters, and its hints are words
// for a shell.
func TestStrangeNames(t *testing.T) {
	small := strings.Fields("--set game=tictactoe --set selfplay.cache_mib=1 --set network.blocks=1 --set network.filters=8 --set network.hidden=8 --set search.simulations=4 --set warm_start.simulations=4 --set warm_start.initial_games=4 --set training.iterations=1 --set training.games=4 --set training.batch=8 --set training.max_steps=1 --set evaluation.every=0")
	for name, hint := range map[string]string{
		"caf\xe9":              `tengen eval \$'.*caf\\351'`,
		"a\x1b]0;title\x07\nb": `tengen eval \$'.*a\\033\]0;title\\007\\012b'`,
		"it's a run":           `tengen eval '.*it'\\''s a run'`,
	} {
		dir := filepath.Join(t.TempDir(), name)
		var out, err bytes.Buffer
		run := func(args ...string) int {
			t.Helper()
			out.Reset()
			err.Reset()
			status := program.Execute(t.Context(), args, strings.NewReader(""), &out, &err)
			for _, text := range []string{out.String(), err.String()} {
				if !utf8.ValidString(text) ||
					strings.ContainsFunc(text, func(r rune) bool {
						return unicode.IsControl(r) && r != '\n' && r != '\t'
					}) {
					t.Errorf("%q: %s prints %q", name, args[0], text)
				}
			}
			return status
		}
		if status := run(append([]string{
			"train", "--run", dir, "--listen", "127.0.0.1:0",
		}, small...)...); status != 0 || !regexp.MustCompile(hint).MatchString(err.String()) {
			t.Errorf("%q: status %d, %s", name, status, &err)
		}
		if status := run("inspect", dir); status != 0 {
			t.Errorf("%q: status %d, %s", name, status, &err)
		}
		if status := run("train", "--resume", "--run", dir, "--set", "seed=2"); status != 2 {
			t.Errorf("%q: status %d, %s", name, status, &err)
		}
		if status := run("eval", dir+"x"); status != 2 {
			t.Errorf("%q: status %d, %s", name, status, &err)
		}
	}
}
