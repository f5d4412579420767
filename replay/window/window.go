package window

import (
	"fmt"
	"math"

	"tengen/game"
	"tengen/internal/random"
	"tengen/replay/record"
)

// Config describes a Window.
type Config struct {
	Capacity int     // games held, at least 1
	HeldOut  float64 // share of games that are not trained on, in [0, 1)
	Seed     uint64  // of the run; determines which games are held out
	// Trees enables tree learning: the states of a game's trees are samples, instead of
	// the positions in which a seat of kind Network was to move. Positions of other
	// seats, and all positions of a game without trees, are still samples. Without it,
	// trees are ignored.
	Trees bool
	// FullOnly leaves out the positions in which a seat of kind Network was to move and has
	// recorded no policy target: those of the cheap searches of playout cap randomization.
	// Positions of other seats are samples whether they have a policy target or not. It is
	// for networks with a policy; Descent records no policy target at all.
	FullOnly bool
	// Afterstates makes samples of the positions in which an outcome of chance was due, from the
	// first decision on, and of no others. They have no policy target. It is not for Trees and
	// FullOnly.
	Afterstates bool
	// Auxiliary, if not nil, receives the targets of the window's games.
	Auxiliary *AuxiliaryTargets
}

// Window holds the most recent games, in order of game number.
//
// A share of the games is held out: their samples are never trained on, and losses on
// them measure overfitting. A hash of the run's seed and the game's number selects
// these games, so the selection is the same after resuming.
type Window struct {
	config  Config
	check   *record.Replayer
	trees   record.Indexer
	entries []entry
	samples [2][]Sample // training, held out; in order of game, then ply, then tree, then state
	added   [2]int      // samples added so far, training and held out
}

type entry struct {
	game    *record.Game
	held    bool
	samples int
}

// New returns an empty window for records of g.
func New(g game.Game, config Config) (*Window, error) {
	if config.Capacity < 1 {
		return nil, fmt.Errorf("replay window: a capacity of %d games; must be at least 1",
			config.Capacity)
	}
	if !(config.HeldOut >= 0 && config.HeldOut < 1) {
		return nil, fmt.Errorf("replay window: a held-out share of %v; must be in [0, 1)",
			config.HeldOut)
	}
	return &Window{
		config: config, check: record.NewReplayer(g), trees: record.Indexer{Game: g},
	}, nil
}

// Add adds a game, whose number must be greater than those before, and drops the
// oldest one if the window is full. It replays the record, and its trees with
// Config.Trees. If they are illegal, it returns an error and leaves the window
// unchanged.
func (w *Window) Add(rec *record.Game) error {
	if n := len(w.entries); n > 0 && rec.Number <= w.entries[n-1].game.Number {
		return fmt.Errorf("replay window: game %d follows game %d",
			rec.Number, w.entries[n-1].game.Number)
	}
	if err := rec.Check(); err != nil {
		return fmt.Errorf("replay window: game %d: %w", rec.Number, err)
	}
	e := entry{game: rec, held: w.Held(rec.Number)}
	list := &w.samples[index(e.held)]
	before := len(*list)
	if err := w.replay(rec, list); err != nil {
		clear((*list)[before:])
		*list = (*list)[:before]
		return fmt.Errorf("replay window: %w", err)
	}
	e.samples = len(*list) - before
	w.added[index(e.held)] += e.samples
	w.entries = append(w.entries, e)
	w.shrink()
	return nil
}

// SetCapacity changes the number of games that the window holds, at least 1. If it holds more, it
// drops the oldest.
func (w *Window) SetCapacity(games int) {
	w.config.Capacity = games
	w.shrink()
}

func (w *Window) shrink() {
	for len(w.entries) > w.config.Capacity {
		w.drop()
	}
}

// replay checks a record against the rules and appends its samples.
func (w *Window) replay(rec *record.Game, list *[]Sample) error {
	r := w.check
	if err := r.Begin(rec); err != nil {
		return err
	}
	trees := w.config.Trees && len(rec.Trees) > 0
	if trees {
		w.trees.Start(rec)
		defer w.trees.Release()
	}
	for ply := range rec.Moves {
		if err := r.CheckMover(rec); err != nil {
			return err
		}
		legal := r.LegalActions()
		if trees {
			if err := w.trees.At(rec, ply, r.State(), legal); err != nil {
				return err
			}
		}
		if ply >= rec.Prefix && w.learns(rec, ply, len(legal), trees) {
			*list = append(*list, Sample{Game: rec, Ply: int32(ply)})
		}
		if err := r.Step(rec); err != nil {
			return err
		}
	}
	if trees {
		for k := range w.trees.Trees {
			t := &w.trees.Trees[k]
			for i := range t.States() {
				*list = append(*list, Sample{
					Game: rec, tree: t, Ply: int32(t.Ply), State: int32(i),
				})
			}
		}
	}
	if err := r.Finish(rec); err != nil {
		return err
	}
	w.config.Auxiliary.add(rec, r.State())
	return nil
}

// learns reports whether the position before a ply, with a number of legal actions, is a sample.
func (w *Window) learns(rec *record.Game, ply, legal int, trees bool) bool {
	if w.config.Afterstates || rec.Moves[ply].Mover == game.Chance {
		return w.config.Afterstates && afterstate(rec, ply)
	}
	return legal > 1 && !w.omits(rec, ply, trees)
}

// afterstate reports whether a player moved before an outcome of chance.
func afterstate(rec *record.Game, ply int) bool {
	return ply > 0 && rec.Moves[ply].Mover == game.Chance && rec.Moves[ply-1].Mover != game.Chance
}

// omits reports whether a decision of the game is no sample. trees says that the states of its
// trees are samples.
func (w *Window) omits(rec *record.Game, ply int, trees bool) bool {
	m := &rec.Moves[ply]
	if rec.Seats[m.Mover].Kind != record.Network {
		return false
	}
	return trees || w.config.FullOnly && len(m.Visits) == 0
}

// drop removes the oldest game. It clears the elements before the new start of the
// slices, so that the game can be garbage collected; they are freed when the slices
// next grow.
func (w *Window) drop() {
	e := w.entries[0]
	w.config.Auxiliary.drop(e.game)
	list := &w.samples[index(e.held)]
	clear((*list)[:e.samples])
	*list = (*list)[e.samples:]
	w.entries[0] = entry{}
	w.entries = w.entries[1:]
}

func index(held bool) int {
	if held {
		return 1
	}
	return 0
}

// Held reports whether the game of a number, in the window or not, is held out.
func (w *Window) Held(number uint64) bool {
	hash, _ := random.Seeds(w.config.Seed, random.Replay, number, 1)
	return float64(hash>>11)*0x1p-53 < w.config.HeldOut
}

// Len returns the number of games in the window, those held out included.
func (w *Window) Len() int { return len(w.entries) }

// Game returns game i of the window, from 0, the oldest.
func (w *Window) Game(i int) *record.Game { return w.entries[i].game }

// Positions returns the number of samples for training, or of those held out.
func (w *Window) Positions(held bool) int { return len(w.samples[index(held)]) }

// Added returns the number of samples for training, or held-out ones, added so far,
// those of dropped games included.
func (w *Window) Added(held bool) int { return w.added[index(held)] }

// Samples returns the samples for training, or those held out: for each game its own
// positions, then the states of its trees, in order. The slice is valid until the next Add and
// must not be modified.
func (w *Window) Samples(held bool) []Sample { return w.samples[index(held)] }

// Sample is a position to train on: one of a game, in which a player had several legal
// actions, one in which an outcome of chance was due (Config.Afterstates), or a state of one of its
// trees.
//
// A sample of a game's own position can be made by setting Game and Ply. Samples of
// trees come only from a Window, which has checked the tree; they are valid for
// encoders of the game that the window was made with.
type Sample struct {
	Game *record.Game
	tree *record.IndexedTree // nil for a position of the game itself
	// the position is the one before this ply; for a tree, that of its root
	Ply int32
	// State is the index in the tree, from 0; 0 for a position of the game itself.
	State int32
}

// Resignation is what games that were played to their end tell of a threshold.
type Resignation struct {
	// Threshold is the utility below which a player has no hope, in [0, MaxResign]; 0: nobody
	// resigns.
	Threshold float32
	Games     int // that were played to their end and tell of thresholds
	Resigned  int // of these, games that would have ended by resignation
	False     int // of these, games in which one that would have resigned did not lose
}

// Rate returns the share of resignations that would have been wrong, 0 without any.
func (r Resignation) Rate() float64 { return float64(r.False) / float64(max(1, r.Resigned)) }

// resignSteps is the number of thresholds in a unit of utility that are tried.
const resignSteps = 1000

// CalibrateResign returns the greatest threshold, in steps of 1/1000 and at most most, at which no
// greater share than rate of the resignations in the window would have been wrong: somebody who
// would have resigned had more than utility 0 in the end. One wrong resignation is added to those
// counted, so that few games say little: at least 1/rate - 1 resignations without a wrong one are
// needed. AlphaGo Zero chooses its threshold so (Silver et al. 2017, Methods, "Self-play": below 5
// % of the games of which a tenth is played out).
//
// Only games with a seat of kind Network count in which nobody could resign (Game.Resign 0),
// held-out ones included. In the others it is not known how they would have ended. The result
// depends on the games of the window alone.
func (w *Window) CalibrateResign(rate, most float64) Resignation {
	n := int(math.Round(math.Min(most, record.MaxResign) * resignSteps))
	resigned, wrong := make([]int, n+1), make([]int, n+1) // by threshold
	games := 0
	for _, e := range w.entries {
		g := e.game
		if g.Resign > 0 {
			continue
		}
		told := false
		upper := n // thresholds above it end the game earlier
		g.Hopes(func(_ int, level float32, winner game.Player) bool {
			told = true
			lost := true
			for p, u := range g.Returns {
				lost = lost && (game.Player(p) == winner || u == 0)
			}
			for upper > 0 && level < threshold(upper) {
				resigned[upper]++
				if !lost {
					wrong[upper]++
				}
				upper--
			}
			return upper > 0
		})
		if told {
			games++
		}
	}
	for k := n; k > 0; k-- {
		if float64(wrong[k]+1) <= rate*float64(resigned[k]+1) {
			return Resignation{threshold(k), games, resigned[k], wrong[k]}
		}
	}
	return Resignation{Games: games}
}

func threshold(k int) float32 { return float32(k) / resignSteps }
