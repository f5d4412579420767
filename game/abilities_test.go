package game_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tengen/game"
	"tengen/internal/random"
)

// Two stones, with rain. Chance takes one with probability 3/4; then player 0 takes
// the last and wins. Otherwise player 0 takes one or two with equal probability. After
// two player 0 has won; after one, player 1 gets the last stone, by taking it or by
// rain. So player 0 wins with probability 1 - 1/4·1/2 = 7/8.
func TestPlayoutIsUniform(t *testing.T) {
	const games = 20_000
	g := &pile{2, true}
	rng := random.New(1, random.Test)
	var buf []game.Action
	var utilities [2]float32
	var wins float64
	for range games {
		s := g.NewState()
		buf = game.Playout(s, rng, buf)
		if s.CurrentPlayer() != game.Nobody {
			t.Fatalf("after a playout the current player is %d", s.CurrentPlayer())
		}
		s.Returns(utilities[:])
		wins += float64(utilities[0])
	}
	// Five standard deviations.
	if p := wins / games; math.Abs(p-0.875) > 5*math.Sqrt(0.875*0.125/games) {
		t.Errorf("player 0 wins %.4f of the playouts; want 0.8750", p)
	}
	s := g.NewState()
	if n := testing.AllocsPerRun(100, func() {
		s.(*pileState).left, s.(*pileState).raining = 2, true
		buf = game.Playout(s, rng, buf)
	}); n > 0 {
		t.Errorf("a playout allocates %v times", n)
	}
}

// quick is a pile with its own playout, scores, scale and names.
type quick struct{ pile }
type quickState struct{ pileState }

func (*quick) PointsPerUtility() float64     { return 25 }
func (*quick) SeatName(p game.Player) string { return [...]string{"Ann", "Bob"}[p] }
func (*quickState) Scores(dst []float32)     { dst[0], dst[1] = 7, 5 }
func (s *quickState) Playout(rng *rand.Rand) { s.left = 0 }
func (*quick) ActionName(_ game.State, a game.Action) string {
	return [...]string{"none", "one", "two"}[a]
}
func (*quick) ParseAction(game.State, string) (game.Action, error) { return 1, nil }

func TestOwnPlayout(t *testing.T) {
	s := &quickState{pileState{g: &pile{stones: 3}, left: 3}}
	game.Playout(s, nil, nil) // any other playout would need a random source
	if s.left != 0 {
		t.Errorf("%d stones are left; the game's own playout takes all", s.left)
	}
}

func TestScoresAndScale(t *testing.T) {
	s := &quickState{pileState{g: &pile{}, mover: 1}}
	var got [2]float32
	game.Scores(s, got[:])
	if got != [2]float32{7, 5} {
		t.Errorf("the scores are %v; want the raw 7 and 5", got)
	}
	game.Scores(&s.pileState, got[:])
	if got != [2]float32{1, 0} {
		t.Errorf("the scores of a game without any are %v; want the utilities 1 and 0", got)
	}
	if a, b := game.PointsPerUtility(&quick{}), game.PointsPerUtility(&pile{}); a != 25 || b != 1 {
		t.Errorf("the points per utility are %v with a scale and %v without; want 25 and 1", a, b)
	}
}

func TestNames(t *testing.T) {
	for _, c := range []struct {
		g    game.Game
		p    game.Player
		want string
	}{
		{&quick{}, 1, "Bob"}, {&pile{}, 1, "player 2"}, {&quick{}, game.Nobody, "nobody"},
		{&pile{}, game.Chance, "chance"},
	} {
		if got := game.SeatName(c.g, c.p); got != c.want {
			t.Errorf("seat %d of %T has the name %q; want %q", c.p, c.g, got, c.want)
		}
	}
	if a, b := game.ActionName(&quick{}, nil, 2),
		game.ActionName(&pile{}, nil, 2); a != "two" || b != "2" {
		t.Errorf(
			"the action is called %q and, without names, %q, where \"two\" and \"2\" are wanted",
			a, b)
	}
}

// Two planes of three cells, both planes and cells permuted.
func TestTransform(t *testing.T) {
	symmetry := game.Symmetry{Cells: []int{1, 2, 0}, Planes: []int{1, 0}}
	src := []float32{1, 2, 3, 4, 5, 6}
	dst := make([]float32, 6)
	symmetry.Transform(dst, src)
	if want := []float32{6, 4, 5, 3, 1, 2}; !slices.Equal(dst, want) {
		t.Errorf("the transformed planes are %v; want %v", dst, want)
	}
}

func TestShapeSize(t *testing.T) {
	if n := (game.Shape{C: 6, H: 5, W: 4}).Size(); n != 120 {
		t.Errorf("6 planes of 5×4 have %d values; want 120", n)
	}
}

// TestAbilitiesAreDocumented: docs/adding-a-game.md names every ability, which is an exported
// interface of this package.
func TestAbilitiesAreDocumented(t *testing.T) {
	text, err := os.ReadFile("../docs/adding-a-game.md")
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	// Parts of other abilities, which their comments explain.
	part := map[string]bool{
		"Game": true, "State": true, "Abstraction": true, "AuxiliaryTargetState": true, "HiddenFactState": true,
		"Solver": true,
	}
	abilities := 0
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			spec, ok := n.(*ast.TypeSpec)
			if !ok || !spec.Name.IsExported() || part[spec.Name.Name] {
				return true
			}
			if _, ok := spec.Type.(*ast.InterfaceType); ok {
				abilities++
				if !strings.Contains(string(text), "`"+spec.Name.Name+"`") {
					t.Errorf("docs/adding-a-game.md does not name %s", spec.Name.Name)
				}
			}
			return true
		})
	}
	for _, elsewhere := range []string{"PlaneNamed", "Drawer", "Teller"} {
		if !strings.Contains(string(text), "`"+elsewhere+"`") {
			t.Errorf("docs/adding-a-game.md does not name %s", elsewhere)
		}
	}
	if abilities < 30 {
		t.Errorf("%d abilities are found", abilities)
	}
}
