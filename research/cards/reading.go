package cards

import (
	"context"
	"math"
	"slices"

	"tengen/game"
)

// A reading of the paper's Table 2 that gives its counts: alpha-beta with the real hand in the turn
// at the root, each way to play that turn with a full window, and representatives, averages of the
// starting position, from the next turn on. A card is placed in every turn. The newest card acts
// first, then the others, the oldest first; each tries nothing, heal, battle (the oldest target
// first), attack. Numbers are floating-point, so that rounding decides ties, and with them some
// cutoffs.

// soldier is a card with its Fight, Heal and Attack.
type soldier struct{ fight, heal, attack float64 }

func (s soldier) total() float64 { return s.fight + s.heal + s.attack }

// The paper's starting hand, and the sums over the rest of the deck, Removals counted as 5/0/0.
var (
	startingHand = []soldier{{6, 6, 6}, {2, 1, 1}, {4, 1, 1}, {2, 3, 2}, {1, 3, 3}}
	restOfDeck   = soldier{59, 35, 41}
)

// army is what one player has: its health, the balance of its hand, its field.
type army struct {
	health, balance float64
	field           []soldier
}

// reading counts leaves.
type reading struct {
	ctx     context.Context
	depth   int
	average soldier // of hand and deck, with the hand counted double
	leaves  int64
	ended   error
}

// countReading counts the leaves to a depth in turns.
func countReading(ctx context.Context, depth int) (int64, error) {
	sum := restOfDeck
	for _, c := range startingHand {
		sum.fight += 2 * c.fight
		sum.heal += 2 * c.heal
		sum.attack += 2 * c.attack
	}
	r := &reading{
		ctx: ctx, depth: depth,
		average: soldier{
			sum.fight / benchmarkCards, sum.heal / benchmarkCards, sum.attack / benchmarkCards,
		},
	}
	both := [2]army{}
	for p := range both {
		both[p] = army{health: 50, balance: balanceOf(startingHand)}
	}
	for i, c := range startingHand {
		own := both
		own[0].balance = balanceOf(slices.Delete(slices.Clone(startingHand), i, i+1))
		r.place(own, 0, c, -limitless, limitless)
	}
	return r.leaves, r.ended
}

// benchmarkCards are a player's cards in hand and deck.
const benchmarkCards = benchmarkDeck + 5

// limitless exceeds all values.
const limitless = 1e18

// balanceOf returns the difference between the greatest and the least total.
func balanceOf(hand []soldier) float64 {
	least, greatest := hand[0].total(), hand[0].total()
	for _, c := range hand {
		least, greatest = min(least, c.total()), max(greatest, c.total())
	}
	return greatest - least
}

// value returns three times the paper's evaluation for the first player. The conversion keeps
// compilers from fusing the two operations, which would round differently.
func value(both *[2]army) float64 {
	var sums [2]float64
	for p := range both {
		for _, c := range both[p].field {
			sums[p] += c.total()
		}
	}
	a, b := &both[0], &both[1]
	return float64(3*(a.health-b.health-(a.balance-b.balance))) + (sums[0] - sums[1])
}

// window is that of one turn's decisions.
type window struct {
	alpha, beta, best float64
	maximise, root    bool
}

func (r *reading) window(turn int, alpha, beta float64) window {
	w := window{alpha, beta, limitless, turn%2 == 0, turn == 0}
	if w.maximise {
		w.best = -limitless
	}
	return w
}

// found takes a value, and reports whether the others are cut off.
func (w *window) found(v float64) bool {
	if w.maximise {
		w.best = max(w.best, v)
	} else {
		w.best = min(w.best, v)
	}
	switch {
	case w.root:
	case w.maximise:
		w.alpha = max(w.alpha, v)
	default:
		w.beta = min(w.beta, v)
	}
	return w.alpha >= w.beta
}

// turn returns the value of a position before a turn with representatives.
func (r *reading) turn(both [2]army, turn int, alpha, beta float64) float64 {
	if r.leaves&0xfff == 0 && r.ended == nil {
		r.ended = r.ctx.Err()
	}
	if turn == r.depth || r.ended != nil {
		r.leaves++
		return value(&both)
	}
	w := r.window(turn, alpha, beta)
	for _, c := range []soldier{
		{fight: r.average.fight}, {heal: r.average.heal}, {attack: r.average.attack},
	} {
		if w.found(r.place(both, turn, c, w.alpha, w.beta)) {
			break
		}
	}
	return w.best
}

// place returns the value after a card is placed.
func (r *reading) place(both [2]army, turn int, c soldier, alpha, beta float64) float64 {
	own := &both[turn%2]
	own.field = append(slices.Clone(own.field), c)
	return r.act(both, turn, len(own.field)-1, true, len(own.field)-1, alpha, beta)
}

// act returns the value when the card at slot i acts. The newest is the first, and the others are
// those before rest.
func (r *reading) act(
	both [2]army, turn, i int, newest bool, rest int, alpha, beta float64,
) float64 {
	p := turn % 2
	if !newest && i >= rest {
		return r.turn(both, turn+1, alpha, beta)
	}
	c := both[p].field[i]
	w := r.window(turn, alpha, beta)
	// after returns the value once the card has acted; gone of the cards before rest were removed.
	after := func(both [2]army, gone int) bool {
		next := i + 1 - gone
		if newest {
			next = 0
		}
		return w.found(r.act(both, turn, next, false, rest-gone, w.alpha, w.beta))
	}
	if after(both, 0) {
		return w.best
	}
	healed := both
	healed[p].health += c.heal
	if after(healed, 0) {
		return w.best
	}
	for j, t := range both[1-p].field {
		fought, gone := both, 0
		if c.fight >= t.fight {
			fought[1-p].field = slices.Delete(slices.Clone(both[1-p].field), j, j+1)
		}
		if c.fight <= t.fight {
			fought[p].field = slices.Delete(slices.Clone(both[p].field), i, i+1)
			if !newest {
				gone = 1
			}
		}
		if after(fought, gone) {
			return w.best
		}
	}
	attacked := both
	attacked[1-p].health -= c.attack
	after(attacked, 0)
	return w.best
}

// table is a state of the trading-card game.
type table interface {
	game.State
	game.Turned
	Phase() string                              // "place", "target" or "act" where a player decides
	Targets(dst []game.Action) []game.Action    // one action for each opposing card
	Placements(dst []game.Action) []game.Action // one for each card in hand
}

// walker counts the leaves of searches of the trading-card game action by action, as a textbook
// search visits them: without transpositions, shortcuts or another order of actions. Alike
// representatives on a field are targets of their own. minimax.Searcher merges these.
type walker struct {
	ctx    context.Context
	last   int // Turn at which a position is a leaf
	value  func(s game.State, p game.Player) float64
	states []table
	g      game.Game
	legal  [][]game.Action // by ply
	leaves int64
	ended  error
}

// newWalker starts at s, a position of g in which a player is to move.
func newWalker(ctx context.Context, g game.Game, s game.State, depth int) *walker {
	w := &walker{
		ctx: ctx, g: g, value: game.Heuristics(g)[0].Value, last: s.(game.Turned).Turn() + depth,
	}
	w.grow(0)
	w.states[0].CopyFrom(s)
	return w
}

func (w *walker) grow(ply int) {
	for len(w.states) <= ply {
		w.states = append(w.states, w.g.NewState().(table))
		w.legal = append(w.legal, nil)
	}
}

// leaf reports whether the position of a ply is a leaf, or the count has ended.
func (w *walker) leaf(ply int) bool {
	s := w.states[ply]
	if w.leaves&0xfff == 0 && w.ended == nil {
		w.ended = w.ctx.Err()
	}
	if w.ended == nil && s.CurrentPlayer() != game.Nobody && s.Turn() < w.last {
		return false
	}
	w.leaves++
	return true
}

// enter puts the position after an action into the next ply.
func (w *walker) enter(ply int, a game.Action) {
	w.grow(ply + 1)
	w.states[ply+1].CopyFrom(w.states[ply])
	w.states[ply+1].Apply(a)
}

// actions returns the actions of the position of a ply, in the order nothing, heal, battle, attack.
// With must a card is placed if there is one.
func (w *walker) actions(ply int, must bool) []game.Action {
	s := w.states[ply]
	list := s.LegalActions(w.legal[ply][:0])
	switch s.Phase() {
	case "act":
		attack := list[2] // after nothing and heal
		list = append(s.Targets(list[:2]), attack)
	case "target":
		list = s.Targets(list[:0])
	case "place":
		if must && len(list) > 1 {
			list = append(list[:0], list[1:]...) // without Pass, which is the first
		}
	}
	w.legal[ply] = list
	return list
}

// every counts the leaves of full-width search.
func (w *walker) every(ply int) {
	if w.leaf(ply) {
		return
	}
	for _, a := range w.actions(ply, false) {
		w.enter(ply, a)
		w.every(ply + 1)
	}
}

// alphaBeta counts the leaves of alpha-beta, and returns the value to the player who begins. Each
// way to play the turn at the root has a full window, and players must place a card.
func (w *walker) alphaBeta(ply int, alpha, beta float64) float64 {
	s := w.states[ply]
	if w.leaf(ply) {
		return w.value(s, 0)
	}
	root := s.Turn() == w.states[0].Turn()
	best := math.Inf(-1)
	maximise := s.CurrentPlayer() == 0
	if !maximise {
		best = math.Inf(1)
	}
	for _, a := range w.actions(ply, true) {
		w.enter(ply, a)
		v := w.alphaBeta(ply+1, alpha, beta)
		if maximise {
			best = max(best, v)
		} else {
			best = min(best, v)
		}
		if root {
			continue
		}
		if maximise {
			alpha = max(alpha, v)
		} else {
			beta = min(beta, v)
		}
		if alpha >= beta {
			break
		}
	}
	return best
}

// countApart counts the leaves of full-width search from s, alike targets apart.
func countApart(ctx context.Context, g game.Game, s game.State, depth int) (int64, error) {
	w := newWalker(ctx, g, s, depth)
	w.every(0)
	return w.leaves, w.ended
}

// realRoot is the game of the reading that gives the paper's counts: the newest card acts first.
const realRoot = "tcg:deck=benchmark,order=newest"

// countRealRoot counts the leaves of alpha-beta from the starting hand, with the real hand in the
// turn at the root, and representatives, averages of the position at the root, from the next on.
func countRealRoot(ctx context.Context, depth int) (int64, error) {
	g := game.Must(game.New(realRoot))
	x := g.(game.RootAbstracted).RootAbstraction()
	image := x.Game().NewState()
	x.Abstract(image, g.NewState())
	w := newWalker(ctx, x.Game(), image, depth)
	w.alphaBeta(0, math.Inf(-1), math.Inf(1))
	return w.leaves, w.ended
}
