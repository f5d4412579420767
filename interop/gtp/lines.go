package gtp

import (
	"fmt"
	"math"
	"strings"

	"tengen/game"
	"tengen/interop/findings"
)

// reporter writes the lines of an analysis. All values are of the colour to move.
type reporter struct {
	analysis
	findings.Finder
	game game.Game
	line strings.Builder
}

// Line returns what is known so far, "" if no move has been visited.
func (r *reporter) Line() string {
	moves, visits := r.Moves(), 0
	for i := range moves {
		visits += moves[i].Visits
	}
	if visits == 0 {
		return ""
	}
	shown := moves
	if r.moves > 0 {
		shown = shown[:min(r.moves, len(shown))]
	}
	r.line.Reset()
	for i := range shown {
		if i > 0 {
			r.line.WriteByte(' ')
		}
		r.move(i, &shown[i])
	}
	if r.root {
		fmt.Fprintf(&r.line, " rootInfo visits %d", visits)
		r.values(r.Root())
	}
	return r.line.String()
}

// move writes the section of a move.
func (r *reporter) move(order int, m *findings.Move) {
	fmt.Fprintf(&r.line, "info move %s visits %d", vertex(r.game, m.Action), m.Visits)
	if r.dialect == leela {
		fmt.Fprintf(&r.line, " winrate %d", basis(m.Winrate))
		if m.Prior > 0 {
			fmt.Fprintf(&r.line, " prior %d", basis(float64(m.Prior)))
		}
		fmt.Fprintf(&r.line, " lcb %d", basis(m.LCB))
	} else {
		r.values(m.Expectation)
		if m.Prior > 0 {
			fmt.Fprintf(&r.line, " prior %.6f", m.Prior)
		}
		fmt.Fprintf(&r.line, " lcb %.6f", m.LCB)
	}
	fmt.Fprintf(&r.line, " order %d pv", order)
	steps := r.Variation(*m)
	for _, s := range steps {
		r.line.WriteByte(' ')
		r.line.WriteString(vertex(r.game, s.Action))
	}
	if r.visits {
		r.line.WriteString(" pvVisits")
		for _, s := range steps {
			fmt.Fprintf(&r.line, " %d", s.Visits)
		}
	}
}

// values writes what KataGo's lines tell of a move and of the position.
func (r *reporter) values(x findings.Expectation) {
	fmt.Fprintf(&r.line, " utility %.6f winrate %.6f", x.Difference, x.Winrate)
	if x.Scored {
		fmt.Fprintf(&r.line, " scoreMean %.4f scoreStdev %.4f scoreLead %.4f", x.Lead, x.SD, x.Lead)
	}
}

// basis returns a share in ten thousandths.
func basis(x float64) int { return int(math.Round(10_000 * x)) }
