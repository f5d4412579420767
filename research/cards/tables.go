package cards

import (
	"context"
	"fmt"
	"time"

	"tengen/game"
	"tengen/research"
)

// Table2 is the paper's Table 2: search by representative moves from the
// benchmark hand.
type Table2 struct {
	research.Made `json:"made"`
	Times         int        `json:"times"` // that each search was made, for the median
	Rows          []DepthRow `json:"rows"`
}

// DepthRow is one depth.
type DepthRow struct {
	Depth int `json:"depth"`
	// full width; nil at depths at which that takes too long
	Plain *Search `json:"plain,omitempty"`
	Apart int64   `json:"leaves_apart,omitempty"` // full width, alike targets apart
	// Of the reading that gives the paper's counts; see reading.go.
	RealRoot int64 `json:"real_root,omitempty"`
	// The same in the game, in whole numbers.
	RealRootExact int64 `json:"real_root_exact,omitempty"`
	// as the player expectiminimax searches, all depths before included
	Pruned Search `json:"pruned"`
}

// paperRepresentative is the paper's Table 2.
var paperRepresentative = map[int]struct {
	leaves, ms string
}{3: {"3,100", "108"}, 4: {"62,400", "246"}, 5: {"238,100", "2,200"}}

// Experiments says how the experiments are made.
type Experiments struct {
	Game  string // a game for two with an abstraction of its own: "tcg"
	Games int    // of a match at equal time; 0: Table4 has none
	// AlphaZeroGames of AlphaZero against the paper's representatives; 0: as many as Games.
	AlphaZeroGames int
	Pairs          int // at most, of a match by depth, which a sequential test can end
	// RealGames of each match of the players with the real hand at the root.
	RealGames int
	// Save is a folder that keeps the finished games of these matches; "": none.
	Save string
	// Decisions at which Table4 values what representative moves lose; 0: none.
	Decisions int
	Seed      uint64
	Time      time.Duration   // of a move, or for Table 3 the limit of depth 4; 0: none
	Device    research.Device // evaluates AlphaZero's network
	// Progress, if not nil, is called with the progress of a search or match in some unit, from one
	// goroutine at a time.
	Progress func(what, unit string, finished, all int)
}

func (e *Experiments) progress(what, unit string, finished, all int) {
	if e.Progress != nil {
		e.Progress(what, unit, finished, all)
	}
}

// repeats is how often a search is repeated to measure its time.
const repeats = 5

// Greatest depths of Table 2, at full width and with pruning.
const (
	plainDepth  = 5
	prunedDepth = 8
)

// Table2 searches by representative moves to depths 1 to 8, at full width to 5. If ctx ends, it
// returns the depths so far and the context's error.
func (e *Experiments) Table2(ctx context.Context, made research.Made) (*Table2, error) {
	g := game.Must(game.New(benchmark))
	x := g.(game.Abstracted).Abstraction()
	derived := x.Game()
	image := derived.NewState()
	x.Abstract(image, g.NewState())
	t := &Table2{Made: made, Times: repeats}
	for depth := 1; depth <= prunedDepth; depth++ {
		if err := ctx.Err(); err != nil {
			return t, t.Interrupt(fmt.Sprintf("the searches to depth %d", depth), err)
		}
		row := DepthRow{Depth: depth}
		var err error
		if row.Pruned, err = median(derived, image, prunedOptions(depth), repeats); err != nil {
			return nil, err
		}
		if depth <= plainDepth {
			plain, err := median(derived, image, plainOptions(depth), repeats)
			if err == nil {
				err = plain.agree(row.Pruned,
					fmt.Sprintf("representative moves to depth %d", depth))
			}
			if err != nil {
				return nil, err
			}
			row.Plain = &plain
			if row.Apart, err = countApart(ctx, derived, image, depth); err == nil {
				row.RealRoot, err = countReading(ctx, depth)
			}
			if err == nil {
				row.RealRootExact, err = countRealRoot(ctx, depth)
			}
			if err != nil {
				return t, t.Interrupt(fmt.Sprintf("the counts to depth %d", depth), err)
			}
		}
		t.Rows = append(t.Rows, row)
		e.progress("representative moves", "depths", depth, prunedDepth)
	}
	return t, nil
}

// Table3 is the paper's Table 3: search with all cards from the benchmark
// hand, by both rules.
type Table3 struct {
	research.Made `json:"made"`
	Rules         []Rule `json:"rules"`
	// Readings are other counts to depth 3 with a draw in every turn.
	Readings []Reading `json:"readings,omitempty"`
}

// Reading is a count of leaves by another reading of the rules.
type Reading struct {
	Name   string `json:"name"`
	Game   string `json:"game"`
	Leaves int64  `json:"leaves"`
}

// readings are those of Table 3.
var readings = []Reading{
	{Name: "the newest card acts first", Game: benchmarkAlways + ",order=newest"},
	{
		Name: "the same, and 2/1/1 and 2/3/2 take the place of 2/2/2 and 2/4/2",
		Game: "tcg:deck=[1/1/1,2/1/1,3/3/3,4/4/4,4/0/3,2/3/2,0/0/7,4/1/0,1/1/2,3/2/2,1/1/5,6/0/0,3/3/2,4/0/4,2/4/1,5/1/0,1/0/3,0/4/4,4/4/0,3/3/0,1/3/3,4/1/1,6/6/6,removal,removal]," +
			"opening=[6/6/6,2/1/1,4/1/1,2/3/2,1/3/3],draw=always,order=newest",
	},
}

// Rule is one of the rules by which cards are drawn.
type Rule struct {
	Game string    `json:"game"`
	Rows []FullRow `json:"rows"`
	// Deep is the search to depth 4, nil if it was not tried.
	Deep *DeepRow `json:"deep,omitempty"`
}

// FullRow is one depth.
type FullRow struct {
	Depth  int    `json:"depth"`
	Leaves int64  `json:"leaves"` // with every card of a deck a branch of its own
	Plain  Search `json:"plain"`  // full width, copies of a card one branch
	Pruned Search `json:"pruned"` // alpha-beta, Star 2 and transpositions
}

// DeepRow is a search within a limit of time.
type DeepRow struct {
	Depth    int     `json:"depth"`
	Limit    float64 `json:"limit_seconds"`
	Done     int     `json:"outcomes_done"` // first draws that were searched
	Outcomes int     `json:"outcomes"`      // all first draws
	Pruned   Search  `json:"pruned"`
}

// paperFull is the paper's Table 3.
var paperFull = map[int]struct {
	leaves, seconds string
}{3: {"263,836,900", "132.1"}, 4: {"not in 30 min", "–"}}

// enumeratedDepth is the depth to which all leaves are enumerated.
const enumeratedDepth = 3

// Table3 searches with all cards, by both rules: to depths 1 to 3, and to
// depth 4 within e.Time for each rule. If ctx ends, it returns the rows so far and the context's
// error.
func (e *Experiments) Table3(ctx context.Context, made research.Made) (*Table3, error) {
	return e.table3(ctx, made, enumeratedDepth)
}

func (e *Experiments) table3(
	ctx context.Context, made research.Made, deepest int,
) (*Table3, error) {
	t := &Table3{Made: made}
	for _, name := range []string{benchmark, benchmarkAlways} {
		g := game.Must(game.New(name))
		s := g.NewState()
		t.Rules = append(t.Rules, Rule{Game: g.Name()})
		rule := &t.Rules[len(t.Rules)-1]
		for depth := 1; depth <= deepest; depth++ {
			row := FullRow{Depth: depth}
			var err error
			if row.Leaves, err = countLeaves(ctx, g, depth); err != nil {
				return t, t.Interrupt(fmt.Sprintf("%s, depth %d", name, depth), err)
			}
			if row.Plain, err = searchValue(g, s, plainOptions(depth)); err != nil {
				return nil, err
			}
			if row.Pruned, err = searchValue(g, s, prunedOptions(depth)); err != nil {
				return nil, err
			}
			if err := row.Plain.agree(row.Pruned,
				fmt.Sprintf("%s to depth %d", name, depth)); err != nil {
				return nil, err
			}
			rule.Rows = append(rule.Rows, row)
			e.progress(name, "depths", depth, deepest)
		}
		if e.Time > 0 {
			deep := &DeepRow{Depth: deepest + 1, Limit: e.Time.Seconds()}
			var err error
			deep.Pruned,
				deep.Done, deep.Outcomes, err = deepSearch(ctx, g, s, deep.Depth, e.Time, func(
				done, all int,
			) {
				e.progress(fmt.Sprintf("%s to depth %d", name, deep.Depth), "draws", done, all)
			})
			if err != nil {
				return t, t.Interrupt(fmt.Sprintf("%s, depth %d", name, deep.Depth), err)
			}
			rule.Deep = deep
		}
	}
	for i, r := range readings {
		var err error
		if r.Leaves, err = countLeaves(ctx, game.Must(game.New(r.Game)), deepest); err != nil {
			return t, t.Interrupt(r.Name, err)
		}
		t.Readings = append(t.Readings, r)
		e.progress("other readings", "counts", i+1, len(readings))
	}
	return t, nil
}
