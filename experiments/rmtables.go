package experiments

import (
	"context"
	"fmt"
	"time"

	"tengen/game"
)

// RMTable2 is the paper's Table 2: search by representative moves from the
// benchmark hand.
type RMTable2 struct {
	Made  Made         `json:"made"`
	Times int          `json:"times"` // that each search was made, for the median
	Rows  []RMDepthRow `json:"rows"`
}

// RMDepthRow is one depth.
type RMDepthRow struct {
	Depth  int       `json:"depth"`
	Plain  *RMSearch `json:"plain,omitempty"` // full width; nil at depths at which that takes too long
	Pruned RMSearch  `json:"pruned"`          // as the player expectiminimax searches, all depths before included
}

// paperRM is what the paper prints in Table 2.
var paperRM = map[int]struct{ leaves, ms string }{3: {"3,100", "108"}, 4: {"62,400", "246"}, 5: {"238,100", "2,200"}}

// RMGames is how the experiments of the representative-moves paper are made.
type RMGames struct {
	Game  string // a game for two with an abstraction of its own: "tcg"
	Games int    // of a match at equal time; 0: Table4 goes without
	// AlphaZeroGames of AlphaZero against the paper's representatives; 0: as many as Games.
	AlphaZeroGames int
	Pairs          int // at most, of a match by depth, which a sequential test ends
	// Whole matches by depth are played to their end.
	Whole bool
	// Decisions of which Table4 says what representative moves lose; 0: none.
	Decisions int
	Seed      uint64
	Time      time.Duration // a move, or for Table 3 the limit of depth 4; 0: none
	// Parallel is the number of games at measured time that are played side by
	// side: each wants a core of its own.
	Parallel int
	// Progress, if not nil, is told how far something has come, in some unit, by one
	// goroutine at a time.
	Progress func(what, unit string, finished, all int)
}

func (m *RMGames) progress(what, unit string, finished, all int) {
	if m.Progress != nil {
		m.Progress(what, unit, finished, all)
	}
}

// rmTimes is how often a search is repeated for its time.
const rmTimes = 5

// Depths to which Table 2 goes, at full width and with pruning.
const (
	rmPlainDepth  = 5
	rmPrunedDepth = 8
)

// Table2 searches by representative moves to depths 1 to 8, at full width to 5.
func (m *RMGames) Table2(ctx context.Context, made Made) (*RMTable2, error) {
	g := game.Must(game.New(rmBenchmark))
	x := g.(game.Abstracted).Abstraction()
	derived := x.Game()
	image := derived.NewState()
	x.Abstract(image, g.NewState())
	t := &RMTable2{Made: made, Times: rmTimes}
	for depth := 1; depth <= rmPrunedDepth; depth++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		row := RMDepthRow{Depth: depth}
		var err error
		if row.Pruned, err = rmMedian(derived, image, rmPruned(depth), rmTimes); err != nil {
			return nil, err
		}
		if depth <= rmPlainDepth {
			plain, err := rmMedian(derived, image, rmPlain(depth), rmTimes)
			if err == nil {
				err = plain.agree(row.Pruned, fmt.Sprintf("representative moves to depth %d", depth))
			}
			if err != nil {
				return nil, err
			}
			row.Plain = &plain
		}
		t.Rows = append(t.Rows, row)
		m.progress("representative moves", "depths", depth, rmPrunedDepth)
	}
	return t, nil
}

// RMTable3 is the paper's Table 3: search with all cards from the benchmark
// hand, by both rules.
type RMTable3 struct {
	Made  Made     `json:"made"`
	Rules []RMRule `json:"rules"`
}

// RMRule is one of the rules by which cards are drawn.
type RMRule struct {
	Game string      `json:"game"`
	Rows []RMFullRow `json:"rows"`
	// Deep is depth 4, where it was tried.
	Deep *RMDeepRow `json:"deep,omitempty"`
}

// RMFullRow is one depth.
type RMFullRow struct {
	Depth  int      `json:"depth"`
	Leaves int64    `json:"leaves"` // with every card of a deck a branch of its own
	Plain  RMSearch `json:"plain"`  // full width, copies of a card one branch
	Pruned RMSearch `json:"pruned"` // alpha-beta, Star 2 and transpositions
}

// RMDeepRow is a search within a limit of time.
type RMDeepRow struct {
	Depth    int      `json:"depth"`
	Limit    float64  `json:"limit_seconds"`
	Done     int      `json:"outcomes_done"` // first draws that were searched
	Outcomes int      `json:"outcomes"`      // of all
	Pruned   RMSearch `json:"pruned"`
}

// paperFull is what the paper prints in Table 3.
var paperFull = map[int]struct{ leaves, seconds string }{3: {"263,836,900", "132.1"}, 4: {"not in 30 min", "–"}}

// rmFullDepth is the depth to which all leaves are enumerated.
const rmFullDepth = 3

// Table3 searches with all cards, by both rules: to depths 1 to 3, and to
// depth 4 within m.Time for each rule.
func (m *RMGames) Table3(ctx context.Context, made Made) (*RMTable3, error) {
	return m.table3(ctx, made, rmFullDepth)
}

func (m *RMGames) table3(ctx context.Context, made Made, deepest int) (*RMTable3, error) {
	t := &RMTable3{Made: made}
	for _, name := range []string{rmBenchmark, rmBenchmarkAlways} {
		g := game.Must(game.New(name))
		s := g.NewState()
		rule := RMRule{Game: g.Name()}
		for depth := 1; depth <= deepest; depth++ {
			row := RMFullRow{Depth: depth}
			var err error
			if row.Leaves, err = rmLeaves(ctx, g, depth); err != nil {
				return nil, err
			}
			if row.Plain, err = rmValue(g, s, rmPlain(depth)); err != nil {
				return nil, err
			}
			if row.Pruned, err = rmValue(g, s, rmPruned(depth)); err != nil {
				return nil, err
			}
			if err := row.Plain.agree(row.Pruned, fmt.Sprintf("%s to depth %d", name, depth)); err != nil {
				return nil, err
			}
			rule.Rows = append(rule.Rows, row)
			m.progress(name, "depths", depth, deepest)
		}
		if m.Time > 0 {
			deep := &RMDeepRow{Depth: deepest + 1, Limit: m.Time.Seconds()}
			var err error
			deep.Pruned, deep.Done, deep.Outcomes, err = rmDeep(ctx, g, s, deep.Depth, m.Time, func(done, all int) {
				m.progress(fmt.Sprintf("%s to depth %d", name, deep.Depth), "draws", done, all)
			})
			if err != nil {
				return nil, err
			}
			rule.Deep = deep
		}
		t.Rules = append(t.Rules, rule)
	}
	return t, nil
}
