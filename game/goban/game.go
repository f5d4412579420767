package goban

import (
	"slices"

	"tengen/game"
)

// New returns a game of Go, or an error if the rules are invalid.
func New(r Rules) (game.Game, error) {
	r, err := r.complete()
	if err != nil {
		return nil, err
	}
	r.Komi = slices.Clone(r.Komi)
	g := &goGame{
		Rules:    r,
		name:     r.name(),
		points:   r.Rows * r.Columns,
		geometry: newGeometry(r.Rows, r.Columns),

		positional:  r.Ko == Positional,
		situational: r.Ko == Situational,
		diagonalEye: r.Eye == Diagonal,
		chainEye:    r.Eye == Chain,
		forced:      r.Pass == Forced,
	}
	g.actions = g.points
	if r.Pass == Free {
		g.actions++
	}
	switch r.Reward {
	case Score:
		for i := 0; i <= g.points; i++ {
			g.support = append(g.support, float32(i)/float32(g.points))
		}
	case Win:
		g.support = append(g.support, 0)
		for k := r.Players; k >= 1; k-- {
			g.support = append(g.support, 1/float32(k))
		}
	}
	g.keys = newKeys(r.Players, g.points)
	g.symmetries = symmetries(r.Rows, r.Columns, g.actions, r.Players)
	if r.Reward == Win {
		return winGame{g}, nil
	}
	return g, nil
}

// goGame holds the rules and the tables that all states share.
type goGame struct {
	Rules
	name       string
	points     int
	actions    int
	support    []float32
	symmetries []game.Symmetry
	geometry
	*keys

	// The rules in a form that is quick to test.
	positional, situational bool // neither: simple ko
	diagonalEye, chainEye   bool // neither: orthogonal
	forced                  bool
}

func (g *goGame) Name() string       { return g.name }
func (g *goGame) Players() int       { return g.Rules.Players }
func (g *goGame) Actions() int       { return g.actions }
func (g *goGame) Support() []float32 { return g.support }

// PlyLimit implements game.Limited.
func (g *goGame) PlyLimit() int { return g.MaxPlies }

// ScoreBounds implements game.Measured: from no point to all of them, plus komi.
func (g *goGame) ScoreBounds() (low, high float64) {
	return slices.Min(g.Komi), slices.Max(g.Komi) + float64(g.points)
}

func (g *goGame) Planes() game.Shape {
	return game.Shape{C: 2 * g.Rules.Players, H: g.Rows, W: g.Columns}
}

// pass is the action number of the pass.
func (g *goGame) pass() game.Action { return game.Action(g.points) }

func (g *goGame) NewState() game.State {
	if g.points <= 64 {
		return newSmall(g)
	}
	return newLarge(g)
}

// PointsPerUtility is the number of points of the board if utilities are scores, else
// one.
func (g *goGame) PointsPerUtility() float64 {
	if g.Reward == Win {
		return 1
	}
	return float64(g.points)
}

// Symmetries are the rotations and reflections of the board: eight of a
// square, four of a rectangle, two of a single row, one of a single point.
func (g *goGame) Symmetries() []game.Symmetry { return g.symmetries }

// SeatName is the name of the colour.
func (g *goGame) SeatName(p game.Player) string { return colors[p].name }

// winGame is a game with the win reward, whose utilities sum to one.
type winGame struct{ *goGame }

func (winGame) UtilitySum() float64 { return 1 }

// symmetries lists the rotations and reflections of a board, without duplicates on a
// single row or point. Colours are not exchanged: they move in a fixed order, and komi
// may differ. A pass stays a pass.
func symmetries(rows, columns, actions, players int) []game.Symmetry {
	planes := make([]int, 2*players)
	for i := range planes {
		planes[i] = i
	}
	seats := make([]game.Player, players)
	for i := range seats {
		seats[i] = game.Player(i)
	}
	var list []game.Symmetry
	for kind := range 8 {
		transpose, flipRows, flipColumns := kind&4 != 0, kind&2 != 0, kind&1 != 0
		if transpose && rows != columns {
			continue
		}
		cells := make([]int, rows*columns)
		for r := range rows {
			for c := range columns {
				i, j := r, c
				if transpose {
					i, j = j, i
				}
				if flipRows {
					i = rows - 1 - i
				}
				if flipColumns {
					j = columns - 1 - j
				}
				cells[r*columns+c] = i*columns + j
			}
		}
		if slices.ContainsFunc(list, func(t game.Symmetry) bool {
			return slices.Equal(t.Cells, cells)
		}) {
			continue
		}
		moves := make([]game.Action, actions)
		for a := range moves {
			moves[a] = game.Action(a)
			if a < len(cells) {
				moves[a] = game.Action(cells[a])
			}
		}
		list = append(list, game.Symmetry{
			Cells: cells, Planes: planes, Actions: moves, Players: seats,
		})
	}
	return list
}
