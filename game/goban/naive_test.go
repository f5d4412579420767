package goban

import "slices"

// naive follows the rules as they are written: an array of points, recursive flood
// fill, and a map of all past positions. Tests compare the fast boards with it.
type naive struct {
	r      Rules
	board  []int // a colour, or -1
	plies  int
	passes int
	near   [][]int         // each point's orthogonal neighbours
	past   map[string]bool // positions, with the colour to move for situational superko
	trail  []string        // the stones before the first ply and after each
}

func newNaive(r Rules) *naive {
	r, err := r.complete()
	if err != nil {
		panic(err)
	}
	n := &naive{r: r, board: make([]int, r.Rows*r.Columns), past: map[string]bool{}}
	for p := range n.board {
		n.board[p] = -1
		n.near = append(n.near, n.neighbours(p, straight))
	}
	n.record()
	return n
}

func (n *naive) clone() *naive {
	m := *n
	m.board = append([]int(nil), n.board...)
	m.trail = append([]string(nil), n.trail...)
	m.past = map[string]bool{}
	for k := range n.past {
		m.past[k] = true
	}
	return &m
}

func (n *naive) color() int { return n.plies % n.r.Players }
func (n *naive) pass() int  { return len(n.board) }

// over: all players have passed in a row, or max_plies is reached.
func (n *naive) over() bool { return n.passes >= n.r.Players || n.plies >= n.r.MaxPlies }

// text encodes a position as a map key: a letter for each point.
func text(board []int) string {
	letters := make([]byte, len(board))
	for p, c := range board {
		letters[p] = ".XO#@"[c+1]
	}
	return string(letters)
}

// turn encodes the colour to move.
func turn(c int) string { return colors[c].name }

// record stores the position after a ply.
func (n *naive) record() {
	key := text(n.board)
	n.trail = append(n.trail, key)
	if n.r.Ko == Situational {
		key += turn(n.color())
	}
	n.past[key] = true
}

// forbidden reports whether ko forbids the colour to move to leave these stones.
func (n *naive) forbidden(board []int) bool {
	key := text(board)
	switch n.r.Ko {
	case Positional:
		return n.past[key]
	case Situational:
		return n.past[key+turn((n.plies+1)%n.r.Players)]
	}
	// trail[len-1] is before this ply; the player's last turn left trail[len-P].
	for i := len(n.trail) - n.r.Players; i < len(n.trail); i++ {
		if i >= 0 && n.trail[i] == key {
			return true
		}
	}
	return false
}

func (n *naive) neighbours(p int, steps [][2]int) (list []int) {
	for _, d := range steps {
		r, c := p/n.r.Columns+d[0], p%n.r.Columns+d[1]
		if r >= 0 && r < n.r.Rows && c >= 0 && c < n.r.Columns {
			list = append(list, r*n.r.Columns+c)
		}
	}
	return list
}

var (
	straight = [][2]int{{-1, 0}, {1, 0}, {0, -1}, {0, 1}}
	across   = [][2]int{{-1, -1}, {-1, 1}, {1, -1}, {1, 1}}
)

// fill marks the points connected with p through its colour.
func (n *naive) fill(board []int, p int, mark []bool) {
	mark[p] = true
	for _, q := range n.near[p] {
		if board[q] == board[p] && !mark[q] {
			n.fill(board, q, mark)
		}
	}
}

// group lists the points connected with p through points like it.
func (n *naive) group(board []int, p int) (list []int) {
	mark := make([]bool, len(board))
	n.fill(board, p, mark)
	for q, in := range mark {
		if in {
			list = append(list, q)
		}
	}
	return list
}

func (n *naive) hasLiberty(board []int, group []int) bool {
	for _, q := range group {
		for _, l := range n.near[q] {
			if board[l] < 0 {
				return true
			}
		}
	}
	return false
}

// placed returns the board after color c has placed a stone on p, or nil for suicide.
func (n *naive) placed(p, c int) []int {
	board := append([]int(nil), n.board...)
	board[p] = c
	result := append([]int(nil), board...)
	for _, q := range n.near[p] {
		if board[q] < 0 || board[q] == c {
			continue
		}
		if group := n.group(board, q); !n.hasLiberty(board, group) {
			for _, dead := range group {
				result[dead] = -1
			}
		}
	}
	if !n.hasLiberty(result, n.group(result, p)) {
		return nil
	}
	return result
}

// mayPlace reports whether the colour to move may place a stone on p.
func (n *naive) mayPlace(p int) bool {
	if n.board[p] >= 0 {
		return false
	}
	after := n.placed(p, n.color())
	return after != nil && !n.forbidden(after)
}

// placements lists the points on which the colour to move may place a stone.
func (n *naive) placements() (list []int) {
	for p := range n.board {
		if n.mayPlace(p) {
			list = append(list, p)
		}
	}
	return list
}

// isEye reports whether p is an eye of color c.
func (n *naive) isEye(p, c int) bool {
	if n.board[p] >= 0 {
		return false
	}
	neighbours := n.near[p]
	for _, q := range neighbours {
		if n.board[q] != c {
			return false
		}
	}
	switch n.r.Eye {
	case Orthogonal:
		return true
	case Chain:
		if len(neighbours) == 0 {
			return true
		}
		group := n.group(n.board, neighbours[0])
		for _, q := range neighbours {
			if !slices.Contains(group, q) {
				return false
			}
		}
		return true
	}
	others := 0
	for _, q := range n.neighbours(p, across) {
		if n.board[q] >= 0 && n.board[q] != c {
			others++
		}
	}
	if len(neighbours) == 4 {
		return others <= 1
	}
	return others == 0
}

// useful returns the placements that do not fill an own eye of the player.
func (n *naive) useful(placements []int) (list []int) {
	for _, p := range placements {
		if !n.isEye(p, n.color()) {
			list = append(list, p)
		}
	}
	return list
}

// legal lists the legal actions.
func (n *naive) legal() []int {
	placements := n.placements()
	if n.r.Pass == Free {
		return append(placements, n.pass())
	}
	if len(n.useful(placements)) > 0 {
		return placements
	}
	return []int{n.pass()}
}

func (n *naive) apply(a int) {
	if a == n.pass() {
		n.passes++
	} else {
		n.board = n.placed(a, n.color())
		n.passes = 0
	}
	n.plies++
	n.record()
}

// area counts each colour's stones plus the empty regions that touch only it.
func (n *naive) area() []int {
	points := make([]int, n.r.Players)
	for p, c := range n.board {
		if c >= 0 {
			points[c]++
			continue
		}
		touching := map[int]bool{}
		for _, q := range n.group(n.board, p) {
			for _, s := range n.near[q] {
				if n.board[s] >= 0 {
					touching[n.board[s]] = true
				}
			}
		}
		if len(touching) == 1 {
			for c := range touching {
				points[c]++
			}
		}
	}
	return points
}

func (n *naive) scores() []float32 {
	scores := make([]float32, n.r.Players)
	for c, points := range n.area() {
		scores[c] = float32(float64(points) + n.r.Komi[c])
	}
	return scores
}

func (n *naive) returns() []float32 {
	utilities := make([]float32, n.r.Players)
	if n.r.Reward == Score {
		for c, points := range n.area() {
			utilities[c] = float32(points) / float32(len(n.board))
		}
		return utilities
	}
	scores := n.scores()
	for c := range scores {
		beaten, equal := false, 0
		for _, x := range scores {
			beaten = beaten || x > scores[c]
			if x == scores[c] {
				equal++
			}
		}
		if !beaten {
			utilities[c] = 1 / float32(equal)
		}
	}
	return utilities
}
