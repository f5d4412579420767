package turtle

import (
	"fmt"
	"math/bits"
	"strings"

	"tengen/game"
)

// letters are the turtles on the track, and codes their ANSI colours.
var (
	letters = [Turtles]string{"R", "G", "B", "Y", "P"}
	codes   = [Turtles]string{"\x1b[31m", "\x1b[32m", "\x1b[34m", "\x1b[33m", "\x1b[35m"}
)

// Draw shows the track, all hands and all colours.
func (s *table) Draw(color bool) string { return s.draw(color, func(int) bool { return true }) }

// DrawFor shows the track, seat's own colour and hand, and the backs of the
// others' cards. Once the game is over it shows everything.
func (s *State) DrawFor(seat game.Player, color bool) string {
	return s.draw(color, func(p int) bool { return p == int(seat) || s.phase == over })
}

// draw shows what is on the table, and of the players of whom it is seen hands
// and colours.
func (s *table) draw(color bool, seen func(p int) bool) string {
	var b strings.Builder
	s.drawTrack(&b, color)
	for p := range s.g.rules.Players {
		turn := " "
		if s.phase != over && p == int(s.mover) {
			turn = "*"
		}
		owner, cards := "?", strings.Repeat("[ ] ", int(s.hands[p].n))
		if seen(p) {
			owner = "-"
			if t := s.owner[p]; t != NoTurtle {
				owner = paint(t, t.String(), color)
				owner += strings.Repeat(" ", len("yellow")-len(t.String()))
			}
			cards = listed(&s.hands[p], color)
		}
		if !seen(p) || s.owner[p] == NoTurtle {
			owner = fmt.Sprintf("%-6s", owner)
		}
		fmt.Fprintf(&b, "%s player %d  %s  %s\n", turn, p+1, owner, strings.TrimRight(cards, " "))
	}
	fmt.Fprintf(&b, "draw pile %d   discards %s\n%s\n", s.deck.n, listed(&s.discards, color), s.situation())
	return b.String()
}

// drawTrack shows the squares from the start to the goal, stacks upward.
func (s *table) drawTrack(b *strings.Builder, color bool) {
	const width = 4
	columns := make([][]Turtle, s.g.goal+1) // from below
	height := 1
	for i := range columns {
		columns[i] = s.stack(i)
		if i > 0 || s.g.stacked {
			height = max(height, len(columns[i]))
		}
	}
	for row := height - 1; row >= 0; row-- {
		var line strings.Builder
		for i, column := range columns {
			cell := ""
			switch {
			case i == 0 && !s.g.stacked: // side by side
				shown := 0
				if row == 0 {
					shown = len(column)
				}
				for _, t := range column[:shown] {
					cell += paint(t, letters[t], color) + " "
				}
				cell += strings.Repeat(" ", 2*(Turtles-shown)+2)
			case row < len(column):
				cell = paint(column[row], letters[column[row]], color) + strings.Repeat(" ", width-1)
			case row == 0 && i > 0:
				cell = "." + strings.Repeat(" ", width-1)
			default:
				cell = strings.Repeat(" ", width)
			}
			if i == 0 && s.g.stacked {
				cell += strings.Repeat(" ", 2*Turtles+2-width)
			}
			line.WriteString(cell)
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
	fmt.Fprintf(b, "%-*s", 2*Turtles+2, "start")
	for i := 1; i < s.g.goal; i++ {
		fmt.Fprintf(b, "%-*d", width, i)
	}
	b.WriteString("goal\n")
}

// stack is who stands on a square, from below.
func (s *board) stack(square int) []Turtle {
	on := s.at(square)
	list := make([]Turtle, 0, Turtles)
	for under := range Turtles {
		for m := on; m != 0; m &= m - 1 {
			if t := Turtle(bits.TrailingZeros32(m)); s.under(t) == under {
				list = append(list, t)
			}
		}
	}
	return list
}

// paint puts text into a turtle's colour.
func paint(t Turtle, text string, color bool) string {
	if !color {
		return text
	}
	return codes[t] + text + "\x1b[0m"
}

// listed is the cards of a pile, several of a kind with their number, or a dash.
func listed(p *pile, color bool) string {
	var words []string
	for c, n := range p.count {
		word := Card(c).String()
		if t := Card(c).Turtle(); t != NoTurtle {
			word = paint(t, word, color)
		}
		if n > 1 {
			word += fmt.Sprintf("*%d", n)
		}
		if n > 0 {
			words = append(words, word)
		}
	}
	if len(words) == 0 {
		return "-"
	}
	return strings.Join(words, " ")
}

// situation says what is about to happen.
func (s *table) situation() string {
	name := fmt.Sprintf("player %d", s.mover+1)
	switch s.phase {
	case owners:
		return name + " is dealt a turtle"
	case heap:
		return "the turtles are stacked on the start"
	case deal:
		return name + " is dealt a card"
	case draw:
		return name + " draws a card"
	case over:
		var names []string
		for p := range s.g.rules.Players {
			if s.winners>>p&1 != 0 {
				names = append(names, fmt.Sprint(p+1))
			}
		}
		if len(names) == 1 {
			return "player " + names[0] + " has won"
		}
		return "players " + strings.Join(names, ", ") + " share the win"
	}
	if isDiscard(game.Action(bits.TrailingZeros64(s.legal()))) {
		return name + " can't play a card, and discards one"
	}
	return name + " plays a card"
}
