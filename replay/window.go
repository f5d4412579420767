package replay

import (
	"fmt"
	"math/rand/v2"

	"tengen/game"
	"tengen/internal/stream"
)

// WindowConfig describes a Window.
type WindowConfig struct {
	Capacity int     // games held, at least 1
	HeldOut  float64 // share of games that are kept out of training, in [0, 1)
	Seed     uint64  // of the run: decides which games are held out
	// Trees asks for tree learning: each listed state of a game's trees is a
	// sample, in place of the positions in which a seat of kind Network was to
	// move; those of other seats stay samples, and so do all positions of a
	// game without trees. Otherwise trees are ignored.
	Trees bool
}

// Window holds the most recent games, in order of game number.
//
// A share of the games is held out: their samples are never trained on, and
// losses on them show what a network has learned by heart. Which games, a hash
// of the run's seed and the game's number decides, so that it depends on
// nothing else and stays so after a resume.
type Window struct {
	config  WindowConfig
	check   *replayer
	trees   indexer
	entries []entry
	samples [2][]Sample // training, held out; in order of game, then ply, then tree, then state
	added   [2]int      // samples that ever entered, likewise
}

type entry struct {
	game    *Game
	held    bool
	samples int
}

// NewWindow makes an empty window for records of one game.
func NewWindow(g game.Game, config WindowConfig) (*Window, error) {
	if config.Capacity < 1 {
		return nil, fmt.Errorf("replay window: a capacity of %d games; at least 1 is wanted", config.Capacity)
	}
	if !(config.HeldOut >= 0 && config.HeldOut < 1) {
		return nil, fmt.Errorf("replay window: a held-out share of %v; it must lie in [0, 1)", config.HeldOut)
	}
	return &Window{config: config, check: newReplayer(g), trees: indexer{game: g}}, nil
}

// Add takes the next game, whose number is greater than those before, and
// drops the oldest one where the window is full. It replays the record, and
// its trees where they count; one that breaks the rules is refused, and the
// window stays as it was.
func (w *Window) Add(rec *Game) error {
	if n := len(w.entries); n > 0 && rec.Number <= w.entries[n-1].game.Number {
		return fmt.Errorf("replay window: game %d follows game %d", rec.Number, w.entries[n-1].game.Number)
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
	if len(w.entries) > w.config.Capacity {
		w.drop()
	}
	return nil
}

// replay checks a record by the rules and appends its samples.
func (w *Window) replay(rec *Game, list *[]Sample) error {
	r := w.check
	if err := r.start(rec); err != nil {
		return err
	}
	trees := w.config.Trees && len(rec.Trees) > 0
	if trees {
		w.trees.start(rec)
		defer func() { w.trees.trees, w.trees.last = nil, nil }() // the samples alone keep them
	}
	for ply := range rec.Moves {
		if err := r.checkMover(rec); err != nil {
			return err
		}
		legal := r.LegalActions()
		if trees {
			if err := w.trees.at(rec, ply, r.State(), legal); err != nil {
				return err
			}
		}
		if len(legal) > 1 && !(trees && rec.Seats[rec.Moves[ply].Mover].Kind == Network) {
			*list = append(*list, Sample{Game: rec, Ply: int32(ply)})
		}
		if err := r.step(rec); err != nil {
			return err
		}
	}
	if trees {
		for k := range w.trees.trees {
			t := &w.trees.trees[k]
			for i := range t.links {
				*list = append(*list, Sample{Game: rec, tree: t, Ply: int32(t.Ply), State: int32(i)})
			}
		}
	}
	return r.finish(rec)
}

// drop forgets the oldest game. What it leaves in front of the slices is
// cleared, so that the game can be collected, and goes when they next grow.
func (w *Window) drop() {
	e := w.entries[0]
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

// Held says whether the game of a number is held out, in the window or not.
func (w *Window) Held(number uint64) bool {
	hash, _ := stream.Seeds(w.config.Seed, stream.Replay, number, 1)
	return float64(hash>>11)*0x1p-53 < w.config.HeldOut
}

// Len is the number of games in the window, those held out included.
func (w *Window) Len() int { return len(w.entries) }

// Game returns game i of the window; game 0 is the oldest.
func (w *Window) Game(i int) *Game { return w.entries[i].game }

// Positions is the number of samples for training, or of those held out.
func (w *Window) Positions(held bool) int { return len(w.samples[index(held)]) }

// Added is the number of samples for training, or of those held out, that
// have entered the window so far, those that have left it since included.
func (w *Window) Added(held bool) int { return w.added[index(held)] }

// Samples lists the samples for training, or those held out: game by game the
// game's own positions, then the states of its trees, in their order. The slice
// holds until the next Add and is not to be changed.
func (w *Window) Samples(held bool) []Sample { return w.samples[index(held)] }

// Sample appends n samples drawn uniformly with replacement, from those for
// training or those held out, and returns the extended slice. It appends
// nothing where there are none.
func (w *Window) Sample(rng *rand.Rand, n int, held bool, dst []Sample) []Sample {
	list := w.samples[index(held)]
	if len(list) == 0 {
		return dst
	}
	for range n {
		dst = append(dst, list[rng.IntN(len(list))])
	}
	return dst
}

// Pass appends every sample for training, or every one held out, once, in
// random order, and returns the extended slice: one pass over the window.
func (w *Window) Pass(rng *rand.Rand, held bool, dst []Sample) []Sample {
	start := len(dst)
	dst = append(dst, w.samples[index(held)]...)
	pass := dst[start:]
	rng.Shuffle(len(pass), func(i, j int) { pass[i], pass[j] = pass[j], pass[i] })
	return dst
}
