package backgammon

import (
	"fmt"
	"strings"

	"tengen/game"
)

// marks are the players' checkers in plain text, codes their ANSI colours.
var (
	marks = [players]string{"O", "X"}
	codes = [players]string{"\x1b[33m", "\x1b[31m"}
)

// stack is the number of checkers that are drawn on a point; a number tells of more.
const stack = 5

// View is a position for display.
type View struct {
	Mover game.Player // who moves or is to roll, or has won
	// Dice are the larger die and the smaller one, 0 before the roll. Left are the moves left.
	Dice [2]int
	Left int
	// Checkers are those of each player on its points 1 to 24, on the bar (25), and off the board
	// (0).
	Checkers [players][bar + 1]int
	Over     bool
	Won      int // points, once over
}

// View returns the position for display.
func (s *State) View() View {
	v := View{
		Mover: game.Player(s.mover), Dice: [2]int{int(s.large), int(s.small)}, Left: int(s.left),
		Over: s.over, Won: s.won(int(s.mover)),
	}
	for p := range s.sides {
		for i, n := range s.sides[p].n {
			v.Checkers[p][i] = int(n)
		}
	}
	return v
}

// Moves returns the points between which an action of the current player moves a checker, by its
// own count: 25 is the bar, 0 off the board. ok is false for Pass.
func (s *State) Moves(a game.Action) (from, to int, ok bool) {
	if a < 0 || a >= Pass {
		return 0, 0, false
	}
	from, die, _ := s.decode(a)
	return from, max(0, from-die), true
}

// Situation says whose turn it is, and the roll.
func (s *State) Situation() string {
	name := s.g.SeatName(game.Player(s.mover))
	switch {
	case s.over:
		return name + " has won " + [...]string{
			1: "a single game", 2: "a gammon", 3: "a backgammon",
		}[s.won(int(s.mover))]
	case s.large == 0:
		return name + " rolls"
	case s.left == 0:
		return fmt.Sprintf("%s has rolled %d-%d and can't move", name, s.large, s.small)
	case s.last != 0 && s.large != s.small && s.early:
		return fmt.Sprintf("%s has rolled %d-%d: %d to play", name, s.large, s.small, s.large)
	case s.last != 0 && s.large != s.small:
		return fmt.Sprintf("%s has rolled %d-%d: %d to play", name, s.large, s.small, s.small)
	case s.left == 1:
		return fmt.Sprintf("%s has rolled %d-%d: 1 move to play", name, s.large, s.small)
	}
	return fmt.Sprintf("%s has rolled %d-%d: %d moves to play", name, s.large, s.small, s.left)
}

// Draw shows the board from White's side, with the points numbered by the player whose turn it is.
func (s *State) Draw(color bool) string {
	var b strings.Builder
	number := func(white int) string {
		if s.mover == 1 {
			white = bar - white
		}
		return fmt.Sprintf("%3d", white)
	}
	mark := func(p int, text string) string {
		text = fmt.Sprintf("%3s", text)
		if color {
			return codes[p] + text + "\x1b[0m"
		}
		return text
	}
	// pile is row i, from the edge of the board, of n checkers of p.
	pile := func(p, n, i int) string {
		switch {
		case n > stack && i == stack-1:
			return mark(p, fmt.Sprint(n))
		case n > i:
			return mark(p, marks[p])
		}
		return ""
	}
	at := func(white, i int) string {
		for p, point := range [players]int{white, bar - white} {
			if text := pile(p, int(s.sides[p].n[point]), i); text != "" {
				return text
			}
		}
		return "  ·"
	}
	line := func(left, right []int, what func(int) string, middle, end string) {
		for _, x := range left {
			b.WriteString(what(x))
		}
		b.WriteString(" |" + middle + " |")
		for _, x := range right {
			b.WriteString(what(x))
		}
		b.WriteString(" |" + end)
	}
	row := func(left, right []int, p, i int) {
		middle := pile(p, int(s.sides[p].n[bar]), i)
		if middle == "" {
			middle = "   "
		}
		line(left, right, func(x int) string { return at(x, i) }, middle, "")
		if n := s.sides[1-p].n[0]; i == 0 && n > 0 {
			b.WriteString(mark(1-p, marks[1-p]) + fmt.Sprintf(" off %d", n))
		}
		b.WriteString("\n")
	}
	top, bottom := [2][]int{{13, 14, 15, 16, 17, 18}, {19, 20, 21, 22, 23, 24}},
		[2][]int{{12, 11, 10, 9, 8, 7}, {6, 5, 4, 3, 2, 1}}
	line(top[0], top[1], number, "   ", "\n")
	for i := range stack {
		row(top[0], top[1], 0, i)
	}
	line(top[0], top[1], func(int) string { return "   " }, "bar", "\n")
	for i := stack - 1; i >= 0; i-- {
		row(bottom[0], bottom[1], 1, i)
	}
	line(bottom[0], bottom[1], number, "   ", "\n")
	for p := range s.sides {
		fmt.Fprintf(&b, "%s %s %d pips   ",
			strings.TrimSpace(mark(p, marks[p])), s.g.SeatName(game.Player(p)), s.sides[p].pips())
	}
	b.WriteString("\n" + s.Situation() + "\n")
	var lines []string
	for _, l := range strings.Split(b.String(), "\n") {
		lines = append(lines, strings.TrimRight(l, " "))
	}
	return strings.Join(lines, "\n")
}
