package backgammon

import (
	"context"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"tengen/game"
)

// MostSolved is the number of checkers up to which the game is solved.
const MostSolved = 3

// arrangements numbers where the checkers of a player can be: all multisets of n of the 26 points,
// the bar and off the board included. Number 0 has all checkers off the board.
type arrangements struct {
	n     int
	sides []side
	// below[k][p] counts the multisets of k points below p.
	below [MostSolved + 1][bar + 2]int
}

func newArrangements(n int) *arrangements {
	x := &arrangements{n: n}
	for p := range bar + 2 {
		x.below[0][p] = 1
		for k := 1; k <= n; k++ {
			if p > 0 {
				x.below[k][p] = x.below[k][p-1] + x.below[k-1][p]
			}
		}
	}
	x.sides = make([]side, x.below[n][bar+1])
	var fill func(s side, left, most int)
	fill = func(s side, left, most int) {
		if left == 0 {
			x.sides[x.index(&s)] = s
			return
		}
		for p := range most + 1 {
			next := s
			next.put(p)
			fill(next, left-1, p)
		}
	}
	fill(side{}, n, bar)
	return x
}

// index returns the number of an arrangement.
func (x *arrangements) index(s *side) int {
	i, k := 0, x.n
	for m := s.one; m != 0; {
		p := bits.Len32(m) - 1
		m &^= 1 << p
		for range s.n[p] {
			i += x.below[k][p]
			k--
		}
	}
	return i
}

// Equities are the exact values of a small game: for each position in which a player is about to
// roll, the points that it wins in the mean if both play to win as many points as they can.
type Equities struct {
	*arrangements
	// values[own·len(sides) + other] is the value for the player to roll. Arrangements of which
	// both have checkers on one point are no positions, and have the value 0.
	values []float32

	// Sweeps is the number of sweeps over all positions, and Change the greatest change of a value
	// in the last one.
	Sweeps int
	Change float64
}

// Checkers is the number of checkers of a player.
func (e *Equities) Checkers() int { return e.n }

// Positions is the number of positions in which a player is about to roll.
func (e *Equities) Positions() (n int) {
	for a := range e.sides {
		for b := range e.sides {
			if e.legal(a, b) {
				n++
			}
		}
	}
	return n
}

// legal reports whether own and other are a position in which a player is about to roll.
func (x *arrangements) legal(own, other int) bool {
	a, b := &x.sides[own], &x.sides[other]
	return own != 0 && other != 0 && a.one&onBoard&flip(b.one&onBoard) == 0
}

// of returns the value for the player with own arrangement, who is about to roll. If other is 0, it
// has lost.
func (e *Equities) of(own, other int) float32 { return e.values[own*len(e.sides)+other] }

// Start is the value for White before its first roll, which is no double.
func (e *Equities) Start() float64 {
	s := New(e.n).NewState().(*State)
	sum := 0.
	for _, o := range s.Outcomes(nil) {
		next := *s
		next.Apply(o.Action)
		sum += o.Probability * e.turn(&next)
	}
	return sum
}

// Value returns the mean number of points that the player whose turn it is wins. It is not called
// after the end.
func (e *Equities) Value(s *State) float64 {
	if s.large != 0 {
		return e.turn(s)
	}
	if s.opening {
		return e.Start()
	}
	return float64(e.of(e.index(&s.sides[s.mover]), e.index(&s.sides[1-s.mover])))
}

// turn returns the value of the best way to complete the turn for the player whose turn it is.
func (e *Equities) turn(s *State) float64 {
	var list [maxActions]game.Action
	best := math.Inf(-1)
	for _, a := range s.LegalActions(list[:0]) {
		best = max(best, e.action(s, a))
	}
	return best
}

// maxActions is more than can be legal.
const maxActions = actions + 1

// action returns the value of an action for the player whose turn it is.
func (e *Equities) action(s *State, a game.Action) float64 {
	next := *s
	next.Apply(a)
	switch {
	case next.over:
		return float64(next.won(int(s.mover)))
	case next.large == 0:
		return -e.Value(&next)
	}
	return e.turn(&next)
}

// reach is a result of a turn: where the own checkers are after it, and on which points checkers
// landed.
type reach struct {
	own    uint16
	landed uint32
}

// turnsOf appends what a roll can lead to, if the other player blocks some points. Turns that use
// fewer dice than possible, or the smaller one where the larger could be used, are not among them.
func (x *arrangements) turnsOf(dst []reach, own side, blocked uint32, large, small int) []reach {
	from := len(dst)
	dice := [4]int{large, small}
	n := own.moves(blocked, large, small)
	if large == small {
		dice = [4]int{large, large, large, large}
	}
	if n == 1 && large != small && own.movable(blocked, large) == 0 {
		dice[0] = small
	}
	dst = x.walk(dst, &own, blocked, dice[:n], 0)
	if n == 2 && large != small {
		dst = x.walk(dst, &own, blocked, []int{small, large}, 0)
	}
	part := dst[from:]
	slices.SortFunc(part, func(a, b reach) int {
		if a.own != b.own {
			return int(a.own) - int(b.own)
		}
		return int(int64(a.landed) - int64(b.landed))
	})
	return dst[:from+len(slices.Compact(part))]
}

func (x *arrangements) walk(
	dst []reach, own *side, blocked uint32, dice []int, landed uint32,
) []reach {
	if len(dice) == 0 {
		return append(dst, reach{uint16(x.index(own)), landed})
	}
	for m := own.movable(blocked, dice[0]); m != 0; m &= m - 1 {
		p := bits.TrailingZeros32(m)
		next := landed
		if to := p - dice[0]; to > 0 {
			next |= 1 << to
		}
		own.move(p, dice[0])
		dst = x.walk(dst, own, blocked, dice[1:], next)
		own.unmove(p, dice[0])
	}
	return dst
}

// Solve computes the equities of the game with 1 to MostSolved checkers by value iteration, until
// no value changes by more than tolerance in a sweep over all positions and all turns. It goes on
// from start, if that is not nil. progress may be nil: it is called within and after each sweep,
// with the share that is done, and the change once it is complete. With three checkers it takes
// some 500 MB of memory. If ctx ends, it returns the equities so far and ctx's error.
func Solve(
	ctx context.Context, checkers int, tolerance float64, start *Equities, progress func(s Sweep),
) (*Equities, error) {
	if checkers < 1 || checkers > MostSolved {
		return nil, fmt.Errorf("backgammon with %d checkers can't be solved: 1 to %d is wanted",
			checkers, MostSolved)
	}
	v := newIteration(newArrangements(checkers))
	e := &Equities{
		arrangements: v.arrangements, values: make([]float32, len(v.values)),
		Change: 2 * mostPoints,
	}
	if start != nil {
		if start.n != checkers {
			return nil, fmt.Errorf("the equities to go on from are those of %d checkers, not of %d",
				start.n, checkers)
		}
		e.Sweeps, e.Change = start.Sweeps, start.Change
		for i, x := range start.values {
			v.values[i] = float64(x)
		}
	}
	var err error
	for err == nil && e.Change > tolerance {
		// A few sweeps with the turns that were the best last are much faster than one with all
		// turns, and bring values nearly as far.
		for _, all := range [...]bool{true, false, false, false, false} {
			var change float64
			tell := func(share float64) {
				if progress != nil {
					progress(Sweep{Number: e.Sweeps + 1, All: all, Share: share, Change: change})
				}
			}
			if change, err = v.sweep(ctx, all, func(share float64) {
				tell(min(share, 0.999))
			}); err != nil {
				break
			}
			tell(1)
			e.Sweeps++
			if all {
				if e.Change = change; change <= tolerance {
					break
				}
			}
		}
	}
	for i, x := range v.values {
		e.values[i] = float32(x)
	}
	return e, err
}

// Sweep is what Solve tells of a sweep over all positions.
type Sweep struct {
	Number int
	All    bool    // over all turns; else only over those that were the best last
	Share  float64 // that is done; 1: complete
	Change float64 // the greatest change of a value, once complete
}

// iteration is the state of the value iteration.
type iteration struct {
	*arrangements
	values []float64
	pips   [][]int // the arrangements by pips
	// hit[i·(bar+1) + p] is arrangement i after its checker on point p has been hit.
	hit []uint16
	// groups[a] lists the turns of arrangement a by the point that is blocked; key 0 is none.
	groups [][points + 1]group
	// best[(own·len(sides) + other)·21 + roll] is the best turn by the last sweep over all turns,
	// as its index among those of the roll.
	best []uint8
	// of each arrangement: the point it blocks, by the other's count, or 0; and its single
	// checkers, by the other's count
	block   []int
	singles []uint32
}

// group lists the turns of all rolls: those of roll i begin at from[i] and end at from[i+1].
type group struct {
	reaches []reach
	from    [len(rolls) + 1]uint16
}

func newIteration(x *arrangements) *iteration {
	n := len(x.sides)
	v := &iteration{
		arrangements: x, values: make([]float64, n*n), best: make([]uint8, n*n*len(rolls)),
		hit: make([]uint16, n*(bar+1)), groups: make([][points + 1]group, n), block: make([]int, n),
		singles: make([]uint32, n),
	}
	v.pips = make([][]int, x.n*bar+1)
	var scratch []reach
	for i := range x.sides {
		s := &x.sides[i]
		v.pips[s.pips()] = append(v.pips[s.pips()], i)
		if two := s.blocked(); two != 0 {
			v.block[i] = bits.TrailingZeros32(two)
		}
		v.singles[i] = flip(s.one & onBoard &^ s.two)
		for m := s.one & onBoard &^ s.two; m != 0; m &= m - 1 {
			p := bits.TrailingZeros32(m)
			u := *s
			u.take(p)
			u.put(bar)
			v.hit[i*(bar+1)+p] = uint16(x.index(&u))
		}
		if i > 0 { // the other has borne off all checkers
			v.values[i*n] = -float64(s.stake())
		}
		for k := range points + 1 {
			if k > 0 && s.one&(1<<k) != 0 || i == 0 || k > 0 && x.n < 2 {
				continue
			}
			g := &v.groups[i][k]
			scratch = scratch[:0]
			for r, d := range rolls {
				g.from[r] = uint16(len(scratch))
				scratch = x.turnsOf(scratch, *s, (1<<k)&^1, int(d[0]), int(d[1]))
			}
			g.from[len(rolls)] = uint16(len(scratch))
			for r := range rolls {
				if g.from[r+1]-g.from[r] > math.MaxUint8+1 {
					panic("backgammon: too many turns of a roll")
				}
			}
			g.reaches = slices.Clone(scratch)
		}
	}
	return v
}

// sweep computes the value of every position from those of the positions after it, those with fewer
// pips first, with all turns or with the best ones of the last sweep with all.
func (v *iteration) sweep(
	ctx context.Context, all bool, progress func(share float64),
) (change float64, err error) {
	n := len(v.sides)
	most := 2 * (len(v.pips) - 1)
	for total := 1; total <= most; total++ {
		if ctx.Err() != nil {
			return 0, ctx.Err()
		}
		for p := max(1, total-len(v.pips)+1); p < min(total, len(v.pips)); p++ {
			for _, a := range v.pips[p] {
				for _, b := range v.pips[total-p] {
					if !v.legal(a, b) {
						continue
					}
					var x float64
					if all {
						x = v.value(a, b)
					} else {
						x = v.same(a, b)
					}
					old := &v.values[a*n+b]
					change = max(change, math.Abs(x-*old))
					*old = x
				}
			}
		}
		progress(float64(total) / float64(most))
	}
	return change, nil
}

// value returns the mean over the rolls of the best turn, and notes the turns.
func (v *iteration) value(a, b int) (sum float64) {
	n := len(v.sides)
	g := &v.groups[a][v.block[b]]
	singles := v.singles[b]
	row := v.values[b*n : (b+1)*n] // of the other player, unless it is hit
	best := v.best[(a*n+b)*len(rolls) : (a*n+b+1)*len(rolls)]
	for r := range rolls {
		worst, at := math.Inf(1), 0 // for the other
		for i, t := range g.reaches[g.from[r]:g.from[r+1]] {
			var x float64
			if hits := t.landed & singles; hits == 0 {
				x = row[t.own]
			} else {
				x = v.values[v.after(b, hits)*n+int(t.own)]
			}
			if x < worst {
				worst, at = x, i
			}
		}
		best[r] = uint8(at)
		sum += weights[r] * worst
	}
	return -sum
}

// same returns the mean over the rolls with the turns that value noted.
func (v *iteration) same(a, b int) (sum float64) {
	n := len(v.sides)
	g := &v.groups[a][v.block[b]]
	singles := v.singles[b]
	best := v.best[(a*n+b)*len(rolls) : (a*n+b+1)*len(rolls)]
	for r, at := range best {
		t := g.reaches[int(g.from[r])+int(at)]
		other := b
		if hits := t.landed & singles; hits != 0 {
			other = v.after(b, hits)
		}
		sum += weights[r] * v.values[other*n+int(t.own)]
	}
	return -sum
}

// after returns an arrangement of the other player after its checkers on some points, by the own
// count, have been hit.
func (v *iteration) after(other int, hits uint32) int {
	for ; hits != 0; hits &= hits - 1 {
		other = int(v.hit[other*(bar+1)+bar-bits.TrailingZeros32(hits)])
	}
	return other
}

// weights are the probabilities of the rolls.
var weights = func() (w [len(rolls)]float64) {
	for r, d := range rolls {
		w[r] = 2. / (sides * sides)
		if d[0] == d[1] {
			w[r] /= 2
		}
	}
	return w
}()
