package v1

import (
	"slices"
	"testing"

	"tengen/internal/testkit"
	"tengen/player"
	"tengen/run/runtest"
)

// TestSearchKeysOnThePage: the page has all keys of a configuration's search that players have, and
// leaves their limits to the player, but for what takes too long.
func TestSearchKeysOnThePage(t *testing.T) {
	for _, key := range player.SearchKeys() {
		if !slices.Contains(opponentKeys["az"], key) {
			t.Errorf("the page has no key %s", key)
		}
		for _, text := range []string{"-1", "0.5", "100001", "none"} {
			if err := bounded(key, text); err != nil && key != "inference" {
				t.Errorf("the page has a limit of its own: %v", err)
			}
		}
	}
}

func TestMain(m *testing.M) {
	testkit.Main(m)
}

// newAPI is the API of a run.
func newAPI(t testing.TB, o Options) *API {
	t.Helper()
	p, err := New(o)
	runtest.Must(t, err)
	return p
}

// statusOf returns the status that an API tells.
func statusOf(t testing.TB, o Options) *statusView {
	t.Helper()
	return newAPI(t, o).status(t.Context())
}
