package cards

import (
	"context"
	"slices"
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
