package turtle

import (
	"fmt"
	"strconv"
	"strings"

	"tengen/game"
	"tengen/internal/random"
)

// MostHistory is the greatest number of last plays that are remembered of a player.
const MostHistory = 8

// Planes of the public history, after all others: for each of the last plays, the last one first,
// and each player, the play; then for each player what it has played; then what it has passed up.
// A cell is an action; discarding a [−] of all colours is the row rowDiscardAny. Then for each
// player how far its plays moved the turtle of the column, forward less backward, by cards of its
// colour and then by cards of all colours.
const (
	rowDiscardAny = rowDiscard + 1
	// historyScale is the number of times that a count of 1 in a plane stands for.
	historyScale = 8
)

// historyPlanes returns the number of planes of the public history.
func historyPlanes(players, history int) int {
	if history == 0 {
		return 0
	}
	return (history + 4) * players
}

// HistoryPlanes implements game.Historic.
func (g *Game) HistoryPlanes() (from, to int) {
	return g.shape.C - historyPlanes(g.rules.Players, g.rules.History), g.shape.C
}

// ObservedAs implements game.Observed: a game with a longer history shows what others do.
func (g *Game) ObservedAs(other game.Game) (planes []int, ok bool) {
	o, ok := other.(*Game)
	if !ok {
		return nil, false
	}
	same := o.rules
	same.History = g.rules.History
	if same != g.rules || o.rules.History > g.rules.History {
		return nil, false
	}
	add := func(from, to int) {
		for p := from; p < to; p++ {
			planes = append(planes, p)
		}
	}
	from, to := g.HistoryPlanes()
	add(0, from)
	if o.rules.History > 0 {
		add(from, from+o.rules.History*g.rules.Players)
		add(from+g.rules.History*g.rules.Players, to)
	}
	return planes, true
}

// past is the public history of a game with Rules.History: what each player has played, in total
// and last, and which turtles it did not choose for cards of all colours. Counts end at 255.
type past struct {
	// a byte for each of the last plays: the action plus 1, the last play in the lowest byte
	last   [Turtles]uint64
	played [Turtles][actions]uint8
	passed [Turtles][actions]uint8
	sum    uint64 // of the keys of what was played and passed up
}

// pastKeys holds random numbers for each action played and passed up, lastKeys one for each player.
var (
	pastKeys = func() (keys [2][actions]uint64) {
		for i := range keys {
			for a := range keys[i] {
				keys[i][a] = random.Mix(uint64(1000*i+a+1000) * random.Gamma)
			}
		}
		return keys
	}()
	lastKeys = [Turtles]uint64{
		0x9e3779b97f4a7c15, 0xd1b54a32d192ed03, 0xaef17502108ef2d9, 0x8cb92ba72f3d8dd7,
		0xf1357aea2e62a9c5,
	}
)

// count adds n to a count, and its key to sum for each that fits.
func (h *past) count(list *uint8, key uint64, n int) {
	for range n {
		if *list == 255 {
			return
		}
		*list++
		h.sum += key
	}
}

// record records an action that the current player plays in s, before it is applied.
func (h *past) record(s *base, a game.Action) {
	p := s.mover
	h.last[p] = h.last[p]<<8 | uint64(a+1)
	if n := s.g.rules.History; n < MostHistory {
		h.last[p] &= 1<<(8*n) - 1
	}
	h.count(&h.played[p][a], handFactors[p]*pastKeys[0][a], 1)
	if !isPlay(a) || playedCard(a) < AnyPlus {
		return
	}
	row, legal := rowOf(a), s.legal()
	for t := range Turtle(Turtles) {
		if b := action(row, t); b != a && legal>>b&1 != 0 {
			h.count(&h.passed[p][b], handFactors[p]*pastKeys[1][b], 1)
		}
	}
}

// key identifies the history.
func (h *past) key() uint64 {
	k := h.sum
	for p, last := range h.last {
		k += random.Mix(last ^ lastKeys[p])
	}
	return k
}

// observe writes the planes of the history, [historyPlanes, 10, 5].
func (h *past) observe(g *Game, dst []float32) {
	const cells = rows * Turtles
	players := g.rules.Players
	write := func(plane []float32, a int, v float32) {
		if a < int(DiscardAny) {
			plane[a] = v
			return
		}
		for t := range Turtles {
			plane[rowDiscardAny*Turtles+t] = v
		}
	}
	for p := range players {
		for i, last := 0, h.last[p]; last != 0; i, last = i+1, last>>8 {
			write(dst[(i*players+p)*cells:][:cells], int(last&255)-1, 1)
		}
	}
	dst = dst[g.rules.History*players*cells:]
	for _, counts := range []*[Turtles][actions]uint8{&h.played, &h.passed} {
		for p := range players {
			for a, n := range counts[p] {
				if n > 0 {
					write(dst[p*cells:][:cells], a, float32(min(n, historyScale))/historyScale)
				}
			}
		}
		dst = dst[players*cells:]
	}
	for chosen := range 2 { // by cards of the turtle's colour, by cards of all colours
		for p := range players {
			plane := dst[(chosen*players+p)*cells:][:cells]
			for t := range Turtle(Turtles) {
				if v := h.moved(p, t, chosen == 1); v != 0 {
					for row := range rows {
						plane[row*Turtles+int(t)] = float32(v) / historyScale
					}
				}
			}
		}
	}
}

// moved returns how far the plays of a player moved a turtle, forward less backward: by cards of
// its colour, or by cards of all colours, for which the player chose it. A card counts in full if
// the turtle stopped at an end of the track.
func (h *past) moved(p int, t Turtle, chosen bool) int {
	from, to := 0, rowAnyPlus
	if chosen {
		from, to = rowAnyPlus, cardRows
	}
	squares := 0
	for row := from; row < to; row++ {
		squares += steps[row] * int(h.played[p][action(row, t)])
	}
	return squares
}

// text formats the history as the last parts of a position, one for each player: the last plays,
// the last one first, what was played in total, and what was passed up.
func (h *past) text(g *Game, p int) string {
	var last []string
	for rest := h.last[p]; rest != 0; rest >>= 8 {
		last = append(last, g.ActionName(nil, game.Action(rest&255)-1))
	}
	counts := func(list *[actions]uint8) (words []string) {
		for a, n := range list {
			if n > 0 {
				words = append(words, g.ActionName(nil, game.Action(a))+"*"+strconv.Itoa(int(n)))
			}
		}
		return words
	}
	parts := [][]string{
		{"last"}, last, {"played"}, counts(&h.played[p]), {"passed"}, counts(&h.passed[p]),
	}
	var words []string
	for _, part := range parts {
		words = append(words, part...)
	}
	return strings.Join(words, " ")
}

// splitHistory divides the parts of a position into those of every game and those of the history.
func (g *Game) splitHistory(parts []string) (position, history []string) {
	if n := len(parts) - g.rules.Players; g.rules.History > 0 && n == g.rules.Players+3 {
		return parts[:n:n], parts[n:]
	}
	return parts, nil
}

// read parses what text formats.
func (h *past) read(g *Game, p int, text string) error {
	kind := ""
	lasts := 0
	for _, word := range strings.Fields(text) {
		if word == "last" || word == "played" || word == "passed" {
			kind = word
			continue
		}
		name, times, _ := strings.Cut(word, "*")
		a, err := g.ParseAction(nil, name)
		if err != nil {
			return err
		}
		if !isPlay(a) && !isDiscard(a) {
			return fmt.Errorf("%q: nobody plays that", word)
		}
		if kind == "last" {
			if lasts == g.rules.History {
				return fmt.Errorf("history: more than %d last plays", g.rules.History)
			}
			h.last[p] |= uint64(a+1) << (8 * lasts)
			lasts++
			continue
		}
		n, err := strconv.Atoi(times)
		if err != nil || n < 1 || n > 255 {
			return fmt.Errorf("history: %q: a number from 1 to 255 is wanted after *", word)
		}
		switch kind {
		case "played":
			h.count(&h.played[p][a], handFactors[p]*pastKeys[0][a], n)
		case "passed":
			h.count(&h.passed[p][a], handFactors[p]*pastKeys[1][a], n)
		default:
			return fmt.Errorf("history: %q: the words last, played and passed come before actions",
				word)
		}
	}
	return nil
}
