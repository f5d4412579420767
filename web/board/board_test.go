package board

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tengen/game"
	_ "tengen/game/all"
	"tengen/game/goban"
	"tengen/internal/random"
)

// positions returns the positions of a few random games.
func positions(t *testing.T, g game.Game, games int) []game.State {
	t.Helper()
	rng := random.New(1, random.Test)
	var list []game.State
	for range games {
		s := g.NewState()
		for {
			kept := g.NewState()
			kept.CopyFrom(s)
			list = append(list, kept)
			if s.CurrentPlayer() == game.Nobody {
				break
			}
			legal := s.LegalActions(nil)
			s.Apply(legal[rng.IntN(len(legal))])
		}
	}
	return list
}

func TestGoDrawsItsStones(t *testing.T) {
	for _, name := range []string{
		"go:size=5,players=3", "go:rows=2,columns=4,players=4", "go:size=13,players=2",
	} {
		g := game.Must(game.New(name))
		d := For(g)
		spots := d.Layout().Spots
		for _, s := range positions(t, g, 1) {
			want := goban.Stones(s, nil)
			got := slices.Repeat([]game.Player{game.Nobody}, len(want))
			for _, shape := range d.Draw(s, game.Nobody).Shapes {
				point := slices.IndexFunc(spots, func(x Spot) bool {
					return x.X == shape.X && x.Y == shape.Y
				})
				if point < 0 || shape.Kind != Disc || shape.At != spots[point].Name {
					t.Fatalf("%s: %+v stands on no point", name, shape)
				}
				got[point] = game.Player(slices.Index(stoneTones[:], shape.Tone))
				if want := game.SeatName(g, got[point]); shape.Of != want {
					t.Errorf("%s: a stone of %s is called %s", name, want, shape.Of)
				}
			}
			if !slices.Equal(got, want) {
				t.Fatalf("%s: drawn %v, on the board %v", name, got, want)
			}
		}
	}
}

// By hand: X on b2, O on a3 of tic-tac-toe.
func TestTicTacToe(t *testing.T) {
	g := game.Must(game.New("tictactoe"))
	s := g.NewState()
	s.Apply(4)
	s.Apply(0)
	want := []Shape{
		{Key: "0", Kind: Ring, Tone: Blue, X: 1, Y: 0.6, R: 0.28, Of: "O", At: "a3"},
		{Key: "4", Kind: Cross, Tone: Red, X: 2, Y: 1.6, R: 0.28, Of: "X", At: "b2"},
	}
	if d := cmp.Diff(want, For(g).Draw(s, game.Nobody).Shapes); d != "" {
		t.Error(d)
	}
}

// By hand: X and O in column a of Connect Four, and where the next stones land.
func TestConnectFour(t *testing.T) {
	g := game.Must(game.New("connect-four:rows=2,columns=4"))
	s := g.NewState()
	s.Apply(0)
	s.Apply(0)
	s.Apply(2)
	f := For(g).Draw(s, game.Nobody)
	want := []Shape{
		{Key: "0", Kind: Disc, Tone: Gold, X: 1, Y: 0.6, R: 0.43, Of: "O", At: "a2"},
		{Key: "4", Kind: Disc, Tone: Red, X: 1, Y: 1.6, R: 0.43, Of: "X", At: "a1"},
		{Key: "6", Kind: Disc, Tone: Red, X: 3, Y: 1.6, R: 0.43, Of: "X", At: "c1"},
	}
	if d := cmp.Diff(want, f.Shapes); d != "" {
		t.Error(d)
	}
	spots := []Spot{
		{Action: 1, X: 2, Y: 1.6, R: 0.43, Name: "Drop into column b"},
		{Action: 2, X: 3, Y: 0.6, R: 0.43, Name: "Drop into column c"},
		{Action: 3, X: 4, Y: 1.6, R: 0.43, Name: "Drop into column d"},
	}
	if d := cmp.Diff(spots, f.Spots); d != "" {
		t.Error(d)
	}
	for s.CurrentPlayer() != game.Nobody {
		s.Apply(s.LegalActions(nil)[0])
	}
	if f := For(g).Draw(s, game.Nobody); len(f.Spots) > 0 {
		t.Errorf("after the end there are spots: %+v", f.Spots)
	}
}

// TestLayouts checks what every drawer must satisfy, whatever the game.
func TestLayouts(t *testing.T) {
	for _, name := range []string{
		"go:size=5,players=3", "go:size=19,players=2", "go:rows=1,columns=3", "tictactoe:players=3",
		"mnk:rows=15,columns=12,in_row=5", "connect-four:players=3",
	} {
		g := game.Must(game.New(name))
		l := For(g).Layout()
		if len(l.Seats) != g.Players() {
			t.Errorf("%s: %d tokens for %d seats", name, len(l.Seats), g.Players())
		}
		inside := func(x, y float64) bool {
			return x >= 0 && x <= l.Width && y >= 0 && y <= l.Height
		}
		for _, s := range l.Ground {
			if !inside(s.X, s.Y) || s.Kind == Line && !inside(s.X+s.W, s.Y+s.H) {
				t.Errorf("%s: %+v leaves the picture of %g × %g", name, s, l.Width, l.Height)
			}
		}
		names := map[string]bool{}
		for i, s := range l.Spots {
			if !inside(s.X-s.R, s.Y-s.R) || !inside(s.X+s.R, s.Y+s.R) || int(s.Action) != i ||
				names[s.Name] {
				t.Errorf("%s: spot %+v", name, s)
			}
			names[s.Name] = true
		}
	}
}

func TestStars(t *testing.T) {
	for _, c := range []struct {
		rows, columns int
		want          []int
	}{
		{3, 3, nil},
		{5, 5, []int{12}},
		{4, 5, nil},
		{9, 9, []int{20, 24, 56, 60, 40}},
		{19, 19, []int{60, 66, 72, 174, 180, 186, 288, 294, 300}},
	} {
		if got := stars(c.rows, c.columns); !slices.Equal(got, c.want) {
			t.Errorf("%d × %d: %v, want %v", c.rows, c.columns, got, c.want)
		}
	}
}

// Applying deltas gives the same frames as drawing whole ones.
func TestDeltas(t *testing.T) {
	for _, name := range []string{"go:size=4,players=3", "tictactoe", "connect-four"} {
		g := game.Must(game.New(name))
		d := For(g)
		var whole, stepped Frame
		for i, s := range positions(t, g, 3) {
			next := d.Draw(s, game.Nobody)
			stepped = DeltaOf(whole, next).Apply(stepped)
			whole = next
			if a, b := byKey(whole), byKey(stepped); !cmp.Equal(a, b) {
				t.Fatalf("%s, position %d: %s", name, i, cmp.Diff(a, b))
			}
		}
	}
}

func byKey(f Frame) map[string]Shape {
	m := map[string]Shape{}
	for _, s := range f.Shapes {
		m[s.Key] = s
	}
	if len(m) != len(f.Shapes) {
		panic(fmt.Sprintf("two shapes of one key in %+v", f.Shapes))
	}
	return m
}

// A game without a drawer shows its text, and a registered drawer takes precedence.
func TestRegister(t *testing.T) {
	tic := game.Must(game.New("tictactoe"))
	plain := newWords(tic)
	s := tic.NewState()
	if text := plain.Draw(s, 0).Text; text != s.(game.Drawn).Draw(false) {
		t.Errorf("drawn as %q", text)
	}
	if l := plain.Layout(); l.Width != 0 || len(l.Seats) != 2 || l.Seats[1].Of != "O" {
		t.Errorf("layout %+v", l)
	}
	before := makers
	defer func() { makers = before }()
	Register(func(g game.Game) Drawer {
		if g != tic {
			return nil
		}
		return plain
	})
	if For(tic) != Drawer(plain) {
		t.Error("the registered drawing is not used")
	}
	if For(game.Must(game.New("tictactoe:players=3"))) == Drawer(plain) {
		t.Error("the registered drawing is used for another game")
	}
}
