package player_test

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"tengen/checkpoints"
	"tengen/game"
	_ "tengen/game/all"
	"tengen/player"
)

// TestElsewhere: a player that is described, and made again from the description and the file of
// its network alone, is the same player but for its label.
func TestElsewhere(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	name := "go-5x5x3"
	model, err := player.LoadModel(name)
	if err != nil {
		t.Fatal(err)
	}
	g := game.Must(game.New(model.Game))
	var file bytes.Buffer
	if err := checkpoints.WriteModel(&file, model.Params, &checkpoints.Checkpoint{
		Game: model.Game,
	}); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{
		"random", "uct:simulations=7,utility=unit,choice=lcb", "az:" + name + ",simulations=20",
		"az:" + name + ",c=0.3,simulations=9,leaves=2,fpu=zero",
		"policy:" + name + ",temperature=0.5",
	} {
		want, err := player.Parse(g, text)
		if err != nil {
			t.Fatal(err)
		}
		described, config, err := player.Elsewhere(text)
		if err != nil {
			t.Fatal(err)
		}
		var data []byte
		if player.HasNetwork(want) {
			data = file.Bytes()
		}
		if strings.Contains(described, name) || (config != nil) != player.HasNetwork(want) {
			t.Errorf("%s is described as %s, configuration %t", text, described, config != nil)
		}
		got, err := player.NewElsewhere(g, described, data, config)
		if err != nil {
			t.Fatal(err)
		}
		if a, b := plain(t, got), plain(t, want); !reflect.DeepEqual(a, b) {
			t.Errorf("%s comes back as %+v, want %+v", text, a, b)
		}
		if data != nil {
			if _, err := player.NewElsewhere(g, text, data, config); err == nil {
				t.Errorf("%s: a path is opened", text)
			}
		}
		if _, err := player.NewElsewhere(g, described, nil, nil); (err == nil) != (data == nil) {
			t.Errorf("%s without its network: %v", described, err)
		}
	}
	if _, _, err := player.Elsewhere("uct:belief=runs/x"); err == nil ||
		!strings.Contains(err.Error(), "file of this machine") {
		t.Error(err)
	}
	if _, err := player.NewElsewhere(g, "uct:belief=runs/x", nil, nil); err == nil ||
		!strings.Contains(err.Error(), "names a file") {
		t.Error(err)
	}
	if left, _ := filepath.Glob(filepath.Join(os.Getenv("TMPDIR"), "tengen-player-*")); len(left) >
		0 {
		t.Errorf("files are left: %v", left)
	}
}

// plain returns a player without its label and network, which are compared by their parameters.
func plain(t *testing.T, p player.Player) any {
	t.Helper()
	switch p := p.(type) {
	case *player.AlphaZero:
		c := *p
		c.Label, c.Weights, c.Params = c.Params.Digest(), nil, nil
		return c
	case *player.RawPolicy:
		c := *p
		c.Label, c.Weights, c.Params = c.Params.Digest(), nil, nil
		return c
	}
	return p
}
