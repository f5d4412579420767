package gametest

import (
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tengen/game"
	"tengen/internal/random"
)

// Rows is a game in which players place stones in turn and the first row of InRow wins, by the
// simplest rules: after each stone it checks every line of InRow cells.
type Rows struct {
	Rows, Columns, InRow, Seats int
	// Drops: an action is a column, and the stone falls to its bottom; else it is a cell.
	Drops bool
	// MoverAtEnd: the observation of a finished game shows who would be next.
	MoverAtEnd bool

	grid  [][]int // [row from the top][column], -1 where empty
	moves int
}

// Clear takes all stones away.
func (n *Rows) Clear() {
	n.grid, n.moves = nil, 0
	for range n.Rows {
		n.grid = append(n.grid, slices.Repeat([]int{-1}, n.Columns))
	}
}

// winner returns the player with a row, or -1.
func (n *Rows) winner() int {
	for r := range n.Rows {
		for c := range n.Columns {
			for dr := -1; dr <= 1; dr++ {
				for dc := -1; dc <= 1; dc++ {
					if (dr != 0 || dc != 0) && n.grid[r][c] >= 0 && n.row(r, c, dr, dc) {
						return n.grid[r][c]
					}
				}
			}
		}
	}
	return -1
}

// row reports whether the InRow cells from r, c on have one owner.
func (n *Rows) row(r, c, dr, dc int) bool {
	for i := range n.InRow {
		y, x := r+i*dr, c+i*dc
		if y < 0 || y >= n.Rows || x < 0 || x >= n.Columns || n.grid[y][x] != n.grid[r][c] {
			return false
		}
	}
	return true
}

// CurrentPlayer is the next player in turn, or game.Nobody once there is a row or the board is
// full.
func (n *Rows) CurrentPlayer() game.Player {
	if n.winner() >= 0 || n.moves == n.Rows*n.Columns {
		return game.Nobody
	}
	return game.Player(n.moves % n.Seats)
}

// LegalActions appends the empty cells, or the columns that are not full.
func (n *Rows) LegalActions(dst []game.Action) []game.Action {
	for r := range n.Rows {
		for c := range n.Columns {
			if n.grid[r][c] < 0 && (r == 0 || !n.Drops) {
				dst = append(dst, game.Action(r*n.Columns+c))
			}
		}
	}
	return dst
}

// Apply places a stone of the player to move.
func (n *Rows) Apply(a game.Action) {
	r, c := int(a)/n.Columns, int(a)%n.Columns
	for n.Drops && r+1 < n.Rows && n.grid[r+1][c] < 0 {
		r++
	}
	n.grid[r][c] = n.moves % n.Seats
	n.moves++
}

// Returns writes the utilities of a finished game.
func (n *Rows) Returns(dst []float32) {
	w := n.winner()
	for p := range n.Seats {
		switch {
		case w < 0:
			dst[p] = 1 / float32(n.Seats)
		case w == p:
			dst[p] = 1
		default:
			dst[p] = 0
		}
	}
}

func (n *Rows) observation() []float32 {
	var planes []float32
	for p := range n.Seats {
		for r := range n.Rows {
			for c := range n.Columns {
				planes = append(planes, truth(n.grid[r][c] == p))
			}
		}
	}
	mover := n.CurrentPlayer()
	if n.MoverAtEnd {
		mover = game.Player(n.moves % n.Seats)
	}
	for p := range n.Seats {
		for range n.Rows * n.Columns {
			planes = append(planes, truth(mover == game.Player(p)))
		}
	}
	return planes
}

func truth(b bool) float32 {
	if b {
		return 1
	}
	return 0
}

// AgreesWithRows plays random games by a game's rules and by slow's, and compares everything that
// they say.
func AgreesWithRows(t *testing.T, g game.Game, slow *Rows, games int) {
	t.Helper()
	for i := range games {
		rng := random.New(1, random.Test, uint64(slow.Rows*slow.Columns), uint64(i))
		fast := g.NewState()
		slow.Clear()
		var actions []game.Action
		differs := func(what string, got, want any) {
			t.Helper()
			t.Fatalf("%s after %v: %s %v, by the naive rules %v",
				g.Name(), actions, what, got, want)
		}
		for {
			if got, want := fast.CurrentPlayer(), slow.CurrentPlayer(); got != want {
				differs("the current player is", got, want)
			}
			planes := make([]float32, g.Planes().Size())
			fast.Observation(planes)
			if want := slow.observation(); !slices.Equal(planes, want) {
				differs("the observation is", planes, want)
			}
			if slow.CurrentPlayer() == game.Nobody {
				break
			}
			legal, want := fast.LegalActions(nil), slow.LegalActions(nil)
			if !slices.Equal(legal, want) {
				differs("the legal actions are", legal, want)
			}
			a := legal[rng.IntN(len(legal))]
			fast.Apply(a)
			slow.Apply(a)
			actions = append(actions, a)
		}
		got, want := make([]float32, g.Players()), make([]float32, g.Players())
		fast.Returns(got)
		slow.Returns(want)
		if !slices.Equal(got, want) {
			differs("the utilities are", got, want)
		}
	}
}

// GoldenRows compares a game with the playthroughs in a file of testdata, which are made by slow's
// rules.
func GoldenRows(t *testing.T, g game.Game, slow *Rows, file string) {
	t.Helper()
	path := filepath.Join("testdata", file)
	Rewrite(t, path, func(w io.Writer) error {
		for i := range uint64(6) {
			slow.Clear()
			if err := Record(w, g.Name(), g.Players(), slow,
				random.New(2, random.Test, i)); err != nil {
				return err
			}
		}
		return nil
	})
	Golden(t, g, path)
}

// TargetsAreTheStones checks that the targets of cells are the stones that the observation of the
// final position shows.
func TargetsAreTheStones(t *testing.T, g game.Game) {
	t.Helper()
	shape := g.Planes()
	cellCount := shape.H * shape.W
	for i := range uint64(20) {
		s := g.NewState()
		s.(game.Playouter).Playout(random.New(1, random.Test, 31, i))
		planes, cells := make([]float32, shape.Size()), make([]int8, cellCount)
		s.Observation(planes)
		s.(game.AuxiliaryTargetState).AuxiliaryTargets(cells, nil)
		for c, class := range cells {
			want := int8(g.Players())
			for p := range g.Players() {
				if planes[p*cellCount+c] == 1 {
					want = int8(p)
				}
			}
			if class != want {
				t.Errorf("game %d: cell %d has class %d, the observation shows %d",
					i, c, class, want)
			}
		}
	}
}

// Names checks what names are read as. fails is part of the error's text.
func Names(t *testing.T, list []Name) {
	t.Helper()
	for _, c := range list {
		g, err := game.New(c.Text)
		switch {
		case c.Fails != "":
			if err == nil || !strings.Contains(err.Error(), c.Fails) {
				t.Errorf("%s: the error is %v; want %q", c.Text, err, c.Fails)
			}
		case err != nil:
			t.Errorf("%s: %v", c.Text, err)
		case g.Name() != c.Name:
			t.Errorf("%s has the name %s; want %s", c.Text, g.Name(), c.Name)
		}
	}
}

// Name is a name of a game, and what it is read as.
type Name struct{ Text, Name, Fails string }
