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
	"tengen/internal/notation"
	"tengen/nn"
	"tengen/player"
	"tengen/search/nneval"
)

// oddNames are names of files that the notation of players and games gives a meaning to, or that do
// not print.
var oddNames = []string{
	"base,c=2", "a=10,b=20", "a=10", "a,b", "a b", " a", "a ", "it's", `say "x"`, `"x"`, "x:y",
	"az:x", "[", "]", "[a,b]", "a;b", "a@10", "@", "-x", "50%d",
	"Läufe", "a\nb", "caf\xe9", "\u202ea", "~", "$HOME", `a\b`, "a.", "*?", "(a)", "uct", "az",
	"turtle", "go-5x5x3-long", strings.Repeat("x", 250),
}

// TestOddNames: a file is found under its name as it is and in quotation marks, and the player's
// name, read again, is the same player.
func TestOddNames(t *testing.T) {
	t.Chdir(t.TempDir())
	g := game.Must(game.New("tictactoe"))
	shape, err := nneval.Spec(g, nneval.Size{Blocks: 1, Filters: 8, Hidden: 8})
	if err != nil {
		t.Fatal(err)
	}
	params, err := nn.NewParams(shape)
	if err != nil {
		t.Fatal(err)
	}
	marker := params.Tensors[0].Data // each file has weights of its own
	for i, name := range oddNames {
		f, err := os.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		marker[0] = float32(i)
		if err := checkpoints.WriteModel(f, params, &checkpoints.Checkpoint{
			Game: g.Name(),
		}); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		text, of, err := player.OfCheckpoint(name, 7)
		if err != nil || of != g.Name() {
			t.Errorf("%q: %s, %v", name, of, err)
			continue
		}
		texts := []string{text, "policy:" + notation.Quote(name)}
		if name[0] != '"' { // which would begin a quoted name
			texts = append(texts, "policy:"+name, "policy:"+name+",temperature=0.5")
		}
		for _, text := range texts {
			p, err := player.Parse(g, text)
			if err != nil {
				t.Errorf("%q: %v", name, err)
				continue
			}
			again, err := player.Parse(g, p.Name())
			if err != nil || player.Parameters(again).Tensors[0].Data[0] != float32(i) ||
				again.Name() != p.Name() {
				t.Errorf("%q is the player %s, which is read as %v, %v", name, p.Name(), again, err)
			}
		}
	}
}

// TestAmbiguousPath: a text that names two networks on disk is refused, with what would be clear.
func TestAmbiguousPath(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, name := range []string{"base", "base,c=2", "turtle,c=2"} {
		if err := os.MkdirAll(filepath.Join(name, checkpoints.Folder, "000001"),
			0o755); err != nil {
			t.Fatal(err)
		}
	}
	for text, want := range map[string]string{
		"az:base,c=2":                       `there are both "base,c=2" and "base": write az:"base,c=2", or az:"base",c=2`,
		"uct:simulations=5,belief=base,c=2": `there are both "base,c=2" and "base"`,
		"az:turtle,c=2":                     `there are both "turtle,c=2" and "turtle"`,
		`az:"base",c=2`:                     `no checkpoint in base/checkpoints is valid`,
		`az:"base,c=2"`:                     `no checkpoint in base,c=2/checkpoints is valid`,
		"az:base,c=3":                       `no checkpoint in base/checkpoints is valid`,
	} {
		if _, err := player.GameOf(text); err == nil || !strings.Contains(err.Error(), want) ||
			strings.Contains(err.Error(), "both") != strings.Contains(want, "both") {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

// TestShippedName: what is on disk comes before a network of the program, and a folder without
// networks does not hide one.
func TestShippedName(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.Mkdir("turtle", 0o755); err != nil {
		t.Fatal(err)
	}
	if m, err := player.LoadModel("turtle"); err != nil || m.Path != "turtle" {
		t.Errorf("beside an empty folder: %v", err)
	}
	if err := os.WriteFile("turtle/config.yaml", nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := player.LoadModel("turtle"); err == nil ||
		!strings.Contains(err.Error(), "no checkpoint in turtle") {
		t.Errorf("beside a run that has just begun: %v", err)
	}
	if _, err := player.LoadModel("go-5x5x3-gumbe"); err == nil ||
		!strings.Contains(err.Error(), `(did you mean "go-5x5x3-gumbel"?)`) {
		t.Error(err)
	}
	if _, err := player.LoadModel("./turtel"); err == nil ||
		!strings.Contains(err.Error(), `(did you mean "./turtle"?)`) {
		t.Error(err)
	}
}

// TestBoundedPaths: what is looked for on disk is bounded, for a player's text may come from
// elsewhere.
func TestBoundedPaths(t *testing.T) {
	t.Chdir(t.TempDir())
	g := game.Must(game.New("tictactoe"))
	for commas, found := range map[int]bool{16: true, 17: false} {
		name := "a" + strings.Repeat(",b", commas)
		if err := os.WriteFile(name, []byte("no network"), 0o644); err != nil {
			t.Fatal(err)
		}
		for text, want := range map[string]bool{
			"policy:" + name: found, "policy:" + notation.Quote(name): true,
		} {
			if _, err := player.Parse(g, text); err == nil ||
				strings.Contains(err.Error(), "is not key=value") == want {
				t.Errorf("%d commas, %.20s: %v", commas, text, err)
			}
		}
	}
}

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
