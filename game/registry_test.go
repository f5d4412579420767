package game_test

import (
	"slices"
	"strings"
	"sync"
	"testing"

	"tengen/game"
)

func TestNew(t *testing.T) {
	g, err := game.New("pile:stones=5,rain=true")
	if err != nil {
		t.Fatal(err)
	}
	if p, ok := g.(*pile); !ok || *p != (pile{5, true}) {
		t.Errorf("the game is %+v; want five stones and rain", g)
	}
}

func TestNewRefuses(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", `game "": a name is missing; write it as name:key=value,key=value`},
		{"pil", "no game is called \"pil\" (did you mean \"pile\"?); `tengen games` lists them"},
		{"chess960", "no game is called \"chess960\"; `tengen games` lists them"},
		{"pile:stone=5", `game "pile:stone=5": pile has no key "stone" (did you mean "stones"?); its keys are stones, rain`},
		{"pile:stones=10",
			`game "pile:stones=10": stones=10: a whole number from 1 to 9 is wanted`},
		{"pile:stones=7", `game "pile:stones=7": stones=7: any other number is wanted`},
		{"pile:rain=some", `game "pile:rain=some": rain=some: true or false is wanted`},
		{"pile:" + strings.Repeat("a", 1<<20),
			`game "pile:` + strings.Repeat("a", 195) + `": a name of 1048581 bytes, such as "pile:aaaaaaaaaaaaaaa"…; at most 16384 are wanted`},
	} {
		if _, err := game.New(c.text); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%q: the error is %v; want %s", c.text, err, c.want)
		}
	}
}

// registered is a package variable since the registry is: tests may run more than once in a
// process.
var registered sync.Once

func TestFamilies(t *testing.T) {
	registered.Do(func() {
		game.Register(game.Family{Name: "zebra"})
		game.Register(game.Family{Name: "ant"})
	})
	var names []string
	for _, f := range game.Families() {
		names = append(names, f.Name)
	}
	if want := []string{"ant", "pile", "zebra"}; !slices.Equal(names, want) {
		t.Errorf("the families are %v; want %v", names, want)
	}
	defer func() {
		if p := recover(); p != "game: ant is registered twice" {
			t.Errorf("registering a name twice panics with %v", p)
		}
	}()
	game.Register(game.Family{Name: "ant"})
}

func TestMust(t *testing.T) {
	if g := game.Must(game.New("pile")); g.Name() != "pile" {
		t.Errorf("the game is %q", g.Name())
	}
	defer func() {
		if recover() == nil {
			t.Error("Must does not panic at an error")
		}
	}()
	game.Must(game.New("chess960"))
}
