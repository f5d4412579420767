package turtle

import (
	"fmt"
	"math/bits"
	"strings"

	"tengen/game"
)

// letters are the turtles on the track, codes their ANSI colours.
var (
	letters = [Turtles]string{"R", "G", "B", "Y", "P"}
	codes   = [Turtles]string{"\x1b[31m", "\x1b[32m", "\x1b[34m", "\x1b[33m", "\x1b[35m"}
)

// View is a position for display: as seen by one seat, by all players, or with
// everything shown.
type View struct {
	Turn int // from 1: cards played and discarded so far, plus one
	// Phase is tiles, stack, deal, play, draw or over.
	Phase   string
	Mover   game.Player   // who plays, or is dealt to, or draws
	Winners []game.Player // once over
	// Squares holds the turtles on each square, the start first, each stack from below.
	Squares [][]Turtle
	Stacked bool // whether turtles stack on the start, rather than stand side by side
	Sides   []Side
	// Discards are sorted by kind.
	Discards []Card
	Left     int // cards in the draw pile
}

// Side is what is visible of a player.
type Side struct {
	Seen  bool   // whether colour and hand are visible
	Owner Turtle // NoTurtle before it is dealt and if it is not visible
	Held  int    // cards in hand
	Hand  []Card // sorted by kind; nil if not visible
}

// View returns the position with all hands and colours.
func (s *base) View() View { return s.seenBy(func(int) bool { return true }) }

// ViewFor returns the position as seat sees it, or as all players see it if seat is
// game.Nobody. Once the game is over, everything is visible.
func (s *State) ViewFor(seat game.Player) View {
	return s.seenBy(func(p int) bool { return p == int(seat) || s.phase == over })
}

func (s *base) seenBy(seen func(p int) bool) View {
	t := View{
		Turn: int(s.turn) + 1, Phase: phaseNames[s.phase], Mover: game.Player(s.mover),
		Stacked: s.g.stacked, Discards: s.discards.cards(), Left: int(s.deck.n),
	}
	for i := range s.g.goal + 1 {
		t.Squares = append(t.Squares, s.stack(i))
	}
	for p := range s.g.rules.Players {
		side := Side{Seen: seen(p), Owner: NoTurtle, Held: int(s.hands[p].n)}
		if side.Seen {
			side.Owner, side.Hand = s.owner[p], s.hands[p].cards()
		}
		t.Sides = append(t.Sides, side)
		if s.phase == over && s.winners>>p&1 != 0 {
			t.Winners = append(t.Winners, game.Player(p))
		}
	}
	return t
}

// cards lists a pile, sorted by kind.
func (p *pile) cards() []Card {
	list := make([]Card, 0, p.n)
	for c, n := range p.count {
		for range n {
			list = append(list, Card(c))
		}
	}
	return list
}

// Draw shows the track, all hands and all colours.
func (s *base) Draw(color bool) string { return s.draw(color, func(int) bool { return true }) }

// DrawFor shows the track, seat's own colour and hand, and the number of the others'
// cards. Once the game is over it shows everything.
func (s *State) DrawFor(seat game.Player, color bool) string {
	return s.draw(color, func(p int) bool { return p == int(seat) || s.phase == over })
}

// draw shows the position, with hands and colours of the players for which seen is
// true.
func (s *base) draw(color bool, seen func(p int) bool) string {
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
	head := fmt.Sprintf("draw pile %d   discards ", s.deck.n)
	fmt.Fprintf(&b, "%s%s\n%s\n",
		head, wrapped(listed(&s.discards, color), len(head)), s.situation(seen(int(s.mover))))
	return b.String()
}

// drawTrack shows the squares from the start to the goal, stacks upward.
func (s *base) drawTrack(b *strings.Builder, color bool) {
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
				cell = paint(column[row], letters[column[row]],
					color) + strings.Repeat(" ", width-1)
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

// stack returns the turtles on a square, from below.
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

// paint colours text like a turtle.
func paint(t Turtle, text string, color bool) string {
	if !color {
		return text
	}
	return codes[t] + text + "\x1b[0m"
}

// listed formats the cards of a pile, with the number of each kind if above one, or a
// dash.
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

// wrapped breaks a line that begins after indent columns at spaces, so that it fits a terminal of
// 80 columns. Colours take no space.
func wrapped(text string, indent int) string {
	var b strings.Builder
	at := indent
	for i, word := range strings.Split(text, " ") {
		width := len(word)
		if strings.HasPrefix(word, "\x1b[") {
			width -= len("\x1b[30m") + len("\x1b[0m")
		}
		switch {
		case i > 0 && at+1+width >= 80:
			b.WriteString("\n" + strings.Repeat(" ", indent))
			at = indent
		case i > 0:
			b.WriteByte(' ')
			at++
		}
		b.WriteString(word)
		at += width
	}
	return b.String()
}

// situation says what happens next and, if the current player's hand is visible, what
// it can play.
func (s *base) situation(seen bool) string {
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
	switch legal := s.legal(); {
	case !seen: // a discard would reveal that no card can be played
		return name + " plays a card"
	case isDiscard(game.Action(bits.TrailingZeros64(legal))):
		return name + " can't play a card, and discards one: " + options(legal)
	default:
		return name + " plays a card: " + options(legal)
	}
}

// options lists the cards of a set of actions, those of all colours with the letters
// of the turtles that they may move.
func options(set uint64) string {
	var words []string
	last := Card(Cards)
	for m := set; m != 0; m &= m - 1 {
		a := game.Action(bits.TrailingZeros64(m))
		c := playedCard(a)
		switch {
		case c < AnyPlus || isDiscard(a):
			words = append(words, c.String())
		case c == last:
			words[len(words)-1] += " " + letters[turtleOf(a)]
		default:
			words = append(words, c.String()+" of "+letters[turtleOf(a)])
		}
		last = c
	}
	return strings.Join(words, ", ")
}
