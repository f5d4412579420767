package gtp

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"tengen/game"
	"tengen/search"
)

// reporter writes the lines of an analysis. All values are of the colour to move.
type reporter struct {
	analysis
	game     game.Game
	result   search.Result
	outlook  *outlook
	children []search.Child
	line     strings.Builder
	steps    []search.Step
}

// Line returns what is known so far, "" if no move has been visited.
func (r *reporter) Line() string {
	r.children = r.result.Children(r.children[:0])
	visits := 0
	r.children = slices.DeleteFunc(r.children, func(c search.Child) bool {
		visits += c.Visits
		return c.Visits == 0
	})
	if visits == 0 {
		return ""
	}
	best := r.result.Best()
	first := func(c search.Child) int { // the best move is the first, whatever it was chosen by
		if c.Action == best {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(r.children, func(a, b search.Child) int {
		return cmp.Or(cmp.Compare(first(a), first(b)), cmp.Compare(b.Visits, a.Visits),
			cmp.Compare(b.Value[r.color], a.Value[r.color]), cmp.Compare(b.Prior, a.Prior))
	})
	shown := r.children
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
		var utilities [2]float32
		r.result.Value(utilities[:])
		fmt.Fprintf(&r.line, " rootInfo visits %d", visits)
		r.values(r.outlook.of(utilities[:], r.color))
	}
	return r.line.String()
}

// move writes the section of a move.
func (r *reporter) move(order int, c *search.Child) {
	fmt.Fprintf(&r.line, "info move %s visits %d", vertex(r.game, c.Action), c.Visits)
	x := r.outlook.of(c.Value[:2], r.color)
	lcb := lower(x.winrate, c.Visits)
	if r.dialect == leela {
		fmt.Fprintf(&r.line, " winrate %d", basis(x.winrate))
		if c.Prior > 0 {
			fmt.Fprintf(&r.line, " prior %d", basis(float64(c.Prior)))
		}
		fmt.Fprintf(&r.line, " lcb %d", basis(lcb))
	} else {
		r.values(x)
		if c.Prior > 0 {
			fmt.Fprintf(&r.line, " prior %.6f", c.Prior)
		}
		fmt.Fprintf(&r.line, " lcb %.6f", lcb)
	}
	fmt.Fprintf(&r.line, " order %d pv", order)
	r.steps = r.steps[:0]
	if v, ok := r.result.(search.Variations); ok {
		r.steps = v.Variation(r.steps, c.Action)
	} else {
		r.steps = append(r.steps, search.Step{Action: c.Action, Visits: c.Visits})
	}
	for _, s := range r.steps {
		r.line.WriteByte(' ')
		r.line.WriteString(vertex(r.game, s.Action))
	}
	if r.visits {
		r.line.WriteString(" pvVisits")
		for _, s := range r.steps {
			fmt.Fprintf(&r.line, " %d", s.Visits)
		}
	}
}

// values writes what KataGo's lines tell of a move and of the position.
func (r *reporter) values(x expectation) {
	fmt.Fprintf(&r.line, " utility %.6f winrate %.6f", x.difference, x.winrate)
	if x.scored {
		fmt.Fprintf(&r.line, " scoreMean %.4f scoreStdev %.4f scoreLead %.4f", x.lead, x.sd, x.lead)
	}
}

// basis returns a share in ten thousandths.
func basis(x float64) int { return int(math.Round(10_000 * x)) }
