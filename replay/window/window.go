package window

import (
	"fmt"
	"math/bits"
	"sort"

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
	// Auxiliary keeps the auxiliary targets of each game, if games have any, for
	// Encoder.Auxiliary.
	Auxiliary bool
}

// Window holds the most recent games, in order of game number, packed (record.Packed) and outside
// the heap of the garbage collector: a few dozen bytes a ply.
//
// A share of the games is held out: their samples are never trained on, and losses on
// them measure overfitting. A hash of the run's seed and the game's number selects
// these games, so the selection is the same after resuming.
type Window struct {
	config    Config
	game      game.Game
	check     *record.Checker
	auxiliary auxiliary
	store     store
	entries   []entry
	first     int        // games dropped
	parts     [2]part    // training, held out
	resigns   *resigns   // nil: not asked for yet
	buf       []byte     // of a game that enters
	end       game.State // of a game that enters unchecked; nil without auxiliary targets
}

// part counts samples for training, or those held out.
type part struct {
	gone uint64   // of games dropped
	ends []uint64 // of the games up to each entry, those dropped included
}

// end returns the number of samples added so far.
func (p *part) end() uint64 {
	if n := len(p.ends); n > 0 {
		return p.ends[n-1]
	}
	return p.gone
}

// entry is a game: its encoding, followed by its auxiliary targets.
type entry struct {
	number uint64
	place  place
	size   uint32 // of the encoding
	held   bool
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
	w := &Window{config: config, game: g, check: record.NewChecker(g)}
	if config.Auxiliary {
		w.auxiliary = auxiliaryOf(g)
	}
	if w.auxiliary.any() {
		w.end = g.NewState()
	}
	return w, nil
}

// Close frees the memory of the games. The window and its encoders must not be used after it.
func (w *Window) Close() { w.store.close() }

// Add adds a game, whose number must be greater than those before, and drops the
// oldest one if the window is full. It checks the record against the rules. If it is
// illegal, it returns an error and leaves the window unchanged.
func (w *Window) Add(rec *record.Game) error {
	if err := w.follows(rec.Number); err != nil {
		return err
	}
	err := w.check.Check(rec)
	if err == nil {
		w.buf, err = record.AppendEncoded(w.buf[:0], rec)
	}
	if err != nil {
		return fmt.Errorf("replay window: %w", err)
	}
	var p record.Packed
	p.Reopen(w.buf)
	w.add(&p, w.check.State())
	return nil
}

// AddChecked adds a game that has passed a record.Checker or Add before, as Add does. It does not
// check the moves again. p is copied.
func (w *Window) AddChecked(p *record.Packed) error {
	if err := w.follows(p.Number); err != nil {
		return err
	}
	if !p.Is(w.game.Name()) || p.Players() != w.game.Players() {
		return fmt.Errorf("replay window: game %d: a record of %q with %d seats, want %q with %d",
			p.Number, p.Name(), p.Players(), w.game.Name(), w.game.Players())
	}
	if w.end != nil && !p.Resigned {
		w.end.CopyFrom(w.check.Initial())
		for ply := range p.Plies() {
			w.end.Apply(p.Action(ply))
		}
	}
	w.buf = append(w.buf[:0], p.Data()...)
	w.add(p, w.end)
	return nil
}

// follows returns an error if a game can't be the next.
func (w *Window) follows(number uint64) error {
	if n := len(w.entries); n > 0 && number <= w.entries[n-1].number {
		return fmt.Errorf("replay window: game %d follows game %d",
			number, w.entries[n-1].number)
	}
	return nil
}

// add adds the game in w.buf, whose last position is end.
func (w *Window) add(p *record.Packed, end game.State) {
	e := entry{number: p.Number, size: uint32(len(w.buf)), held: w.Held(p.Number)}
	samples := uint64(w.plies(p) + w.states(p))
	if w.resigns != nil {
		w.resigns.count(p, 1)
	}
	if !p.Resigned {
		w.buf = w.auxiliary.append(w.buf, end)
	}
	e.place = w.store.add(w.buf)
	w.entries = append(w.entries, e)
	for i := range w.parts {
		part := &w.parts[i]
		n := part.end()
		if i == index(e.held) {
			n += samples
		}
		part.ends = append(part.ends, n)
	}
	w.shrink()
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

// drop removes the oldest game.
func (w *Window) drop() {
	e := &w.entries[0]
	if w.resigns != nil {
		var p record.Packed
		w.open(0, &p)
		w.resigns.count(&p, -1)
	}
	w.store.drop(e.place)
	w.entries = w.entries[1:]
	w.first++
	for i := range w.parts {
		part := &w.parts[i]
		part.gone, part.ends = part.ends[0], part.ends[1:]
	}
}

// open makes p game i of the window, and returns its auxiliary targets.
func (w *Window) open(i int, p *record.Packed) (auxiliary []byte) {
	e := &w.entries[i]
	b := w.store.at(e.place)
	p.Reopen(b[:e.size:e.size])
	return b[e.size:]
}

// learnsTrees reports whether the states of a game's trees are samples.
func (w *Window) learnsTrees(p *record.Packed) bool { return w.config.Trees && p.Trees() > 0 }

// states returns the number of samples that are states of a game's trees.
func (w *Window) states(p *record.Packed) int {
	if !w.learnsTrees(p) {
		return 0
	}
	return p.States()
}

// plies returns the number of samples that are positions of a game.
func (w *Window) plies(p *record.Packed) (n int) {
	for i := 0; i*record.WordPlies < p.Plies(); i++ {
		n += bits.OnesCount64(w.word(p, i))
	}
	return n
}

// word returns which positions of a game are samples: bit k is of that before ply WordPlies·i + k.
func (w *Window) word(p *record.Packed, i int) (set uint64) {
	if w.config.Afterstates {
		for k := range min(record.WordPlies, p.Plies()-record.WordPlies*i) {
			if afterstate(p, record.WordPlies*i+k) {
				set |= 1 << k
			}
		}
	} else {
		set = p.Choices(i)
		if trees := w.learnsTrees(p); trees || w.config.FullOnly {
			omitted := p.Of(record.Network, i)
			if !trees {
				omitted &^= p.Targets(i)
			}
			set &^= omitted
		}
	}
	if before := p.Prefix - record.WordPlies*i; before > 0 {
		set &^= 1<<before - 1 // all if it is 64 or more
	}
	return set
}

// afterstate reports whether a player moved before an outcome of chance.
func afterstate(p *record.Packed, ply int) bool {
	return ply > 0 && p.Mover(ply) == game.Chance && p.Mover(ply-1) != game.Chance
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

// Game decodes game i of the window, from 0, the oldest.
func (w *Window) Game(i int) *record.Game {
	var p record.Packed
	w.open(i, &p)
	return p.Game()
}

// Positions returns the number of samples for training, or of those held out.
func (w *Window) Positions(held bool) int {
	p := &w.parts[index(held)]
	return int(p.end() - p.gone)
}

// Added returns the number of samples for training, or held-out ones, added so far,
// those of dropped games included.
func (w *Window) Added(held bool) int { return int(w.parts[index(held)].end()) }

// At returns sample k, from 0, of those for training, or of those held out: for each game its own
// positions, then the states of its trees, in order.
func (w *Window) At(held bool, k int) Sample {
	part := &w.parts[index(held)]
	i := sort.Search(len(part.ends), func(i int) bool {
		return part.ends[i] > part.gone+uint64(k)
	})
	if i > 0 {
		k -= int(part.ends[i-1] - part.gone)
	}
	var p record.Packed
	w.open(i, &p)
	for word := 0; word*record.WordPlies < p.Plies(); word++ {
		set := w.word(&p, word)
		n := bits.OnesCount64(set)
		if k >= n {
			k -= n
			continue
		}
		for ; k > 0; k-- {
			set &= set - 1
		}
		ply := record.WordPlies*word + bits.TrailingZeros64(set)
		return Sample{Game: w.first + i, tree: -1, Ply: int32(ply)}
	}
	tree, ply, state := p.StateOf(k)
	return Sample{Game: w.first + i, tree: int32(tree), Ply: int32(ply), State: int32(state)}
}

// Sample is a position of a window to train on: one of a game, in which a player had several legal
// actions, one in which an outcome of chance was due (Config.Afterstates), or a state of one of its
// trees.
type Sample struct {
	Game int   // the games that the window got before
	tree int32 // -1 for a position of the game itself
	// the position is the one before this ply; for a tree, that of its root
	Ply int32
	// State is the index in the tree, from 0; 0 for a position of the game itself.
	State int32
}

// Tree returns the index of the tree in the game that the sample is a state of, -1 for a position
// of the game itself.
func (s Sample) Tree() int { return int(s.tree) }
