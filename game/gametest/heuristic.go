package gametest

import (
	"fmt"
	"math"
	"math/rand/v2"

	"tengen/game"
)

// checkHeuristics holds the values, ranges and shortcuts of a game's heuristics
// to what they promise.
func checkHeuristics(c *checker) error {
	seen := map[string]bool{}
	for _, h := range game.Heuristics(c.g) {
		if h.Name == "" || seen[h.Name] {
			return fmt.Errorf("a heuristic is called %q, which is no name or that of another", h.Name)
		}
		seen[h.Name] = true
		if err := c.heuristic(h); err != nil {
			return fmt.Errorf("heuristic %q: %w", h.Name, err)
		}
	}
	return nil
}

// longestTurns is how many turns ranges are asked for.
const longestTurns = 4

func (c *checker) heuristic(h game.Heuristic) error {
	if !(h.Low < h.High) || math.IsInf(h.Low, 0) || math.IsInf(h.High, 0) || !(h.TurnLow <= 0 && h.TurnHigh >= 0) {
		return fmt.Errorf("values are bounded by %v and %v, gains by %v and %v", h.Low, h.High, h.TurnLow, h.TurnHigh)
	}
	err := c.cut(func(prefix, all []game.Action, rng *rand.Rand) error {
		s := c.at(prefix)
		was := c.look(s)
		copied := c.g.NewState()
		copied.CopyFrom(s)
		for p := range game.Player(c.g.Players()) {
			v := h.Value(s, p)
			if !(v >= h.Low && v <= h.High) {
				return fmt.Errorf("the value to %d is %v, beyond %v and %v", p, v, h.Low, h.High)
			}
			if w := h.Value(copied, p); w != v {
				return fmt.Errorf("the value to %d is %v, that of a copy %v", p, v, w)
			}
		}
		if err := was.differs(c.look(s)); err != nil {
			return fmt.Errorf("a state before and after it was valued: %w", err)
		}
		if _, ok := s.(game.Turned); !ok || s.CurrentPlayer() == game.Nobody {
			return nil
		}
		for p := range game.Player(c.g.Players()) {
			if err := c.ranges(h, prefix, all[len(prefix):], p, 1+rng.IntN(longestTurns)); err != nil {
				return err
			}
			if err := c.flat(h, s); err != nil {
				return err
			}
			if err := c.lastTurn(h, s, p, rng); err != nil {
				return err
			}
		}
		if err := was.differs(c.look(s)); err != nil {
			return fmt.Errorf("a state before and after it was valued with what follows: %w", err)
		}
		return nil
	})
	if err != nil || len(c.played) == 0 {
		return err
	}
	actions := c.played[0]
	n := c.allocations(func(s, _ game.State) {
		h.Value(s, 0)
		for _, a := range actions {
			if h.Gain != nil && s.CurrentPlayer() >= 0 {
				h.Gain(s, a, 0)
			}
			if h.Range != nil {
				h.Range(s, 0, 1)
			}
			s.Apply(a)
			h.Value(s, 0)
		}
	})
	if n > 0 {
		return fmt.Errorf("its functions allocate %v times in a game of %d actions", n, len(actions))
	}
	return nil
}

// ranges plays on from prefix for so many turns, and holds what comes of it to
// Range and to the bounds of a turn's gains.
func (c *checker) ranges(h game.Heuristic, prefix, rest []game.Action, p game.Player, turns int) error {
	s := c.at(prefix)
	low, high := h.Low, h.High
	if h.Range != nil {
		low, high = h.Range(s, p, turns)
	} else {
		low += float64(turns) * h.TurnLow
		high += float64(turns) * h.TurnHigh
	}
	end := s.(game.Turned).Turn() + turns
	worth := 0.0
	for _, a := range rest {
		if s.(game.Turned).Turn() >= end || s.CurrentPlayer() == game.Nobody {
			break
		}
		if h.Gain != nil && s.CurrentPlayer() >= 0 {
			worth += h.Gain(s, a, p)
		}
		s.Apply(a)
	}
	worth += h.Value(s, p)
	if rounding := 1e-9 * (1 + math.Abs(low) + math.Abs(high)); !(worth >= low-rounding && worth <= high+rounding) {
		return fmt.Errorf("%d turns later s is worth %v to %d, beyond the range of %v to %v", turns, worth, p, low, high)
	}
	return nil
}

// flat holds the game's word that nothing comes of a turn but its gains.
func (c *checker) flat(h game.Heuristic, s game.State) error {
	if h.Flat == nil || s.CurrentPlayer() < 0 || !h.Flat(s) {
		return nil
	}
	turn := s.(game.Turned).Turn()
	for _, a := range s.LegalActions(nil) {
		next := c.g.NewState()
		next.CopyFrom(s)
		next.Apply(a)
		if next.CurrentPlayer() == game.Nobody || next.(game.Turned).Turn() != turn+1 {
			return fmt.Errorf("heuristic: Flat is true, where action %d brings no turn after this one", a)
		}
		for p := range c.g.Players() {
			if v := h.Value(next, game.Player(p)); v != 0 {
				return fmt.Errorf("heuristic: Flat is true, where after action %d the value for player %d is %v", a, p, v)
			}
		}
	}
	return nil
}

// longestTurn is the number of positions after which a turn is too long to be enumerated here.
const longestTurn = 3000

// lastTurn holds the game's shortcut to playing the turn action by action.
func (c *checker) lastTurn(h game.Heuristic, s game.State, p game.Player, rng *rand.Rand) error {
	if h.LastTurn == nil || s.CurrentPlayer() < 0 {
		return nil
	}
	e := &turnEnder{c: c, h: h, p: p, end: s.(game.Turned).Turn() + 1}
	want := e.value(s)
	if e.made > longestTurn {
		return nil
	}
	value, leaves, ok := h.LastTurn(s, p, math.Inf(-1), math.Inf(1))
	if ok && (value != want || leaves < 1) {
		return fmt.Errorf("LastTurn gives player %d %v after %d leaves; want %v", p, value, leaves, want)
	}
	alpha := want + (rng.Float64()-0.7)*(h.High-h.Low)/50
	beta := alpha + rng.Float64()*(h.High-h.Low)/50 + 1e-6
	value, _, ok = h.LastTurn(s, p, alpha, beta)
	if ok && (want > alpha && want < beta && value != want ||
		want <= alpha && !(value >= want && value <= alpha) ||
		want >= beta && !(value <= want && value >= beta)) {
		return fmt.Errorf("LastTurn gives player %d %v in the window from %v to %v, where the value is %v", p, value, alpha, beta, want)
	}
	return nil
}

// turnEnder follows a turn to all its ends.
type turnEnder struct {
	c    *checker
	h    game.Heuristic
	p    game.Player
	end  int // Turn of the positions that are valued
	made int
}

func (e *turnEnder) value(s game.State) float64 {
	m := s.CurrentPlayer()
	if e.made++; e.made > longestTurn || m == game.Nobody || s.(game.Turned).Turn() >= e.end {
		return e.h.Value(s, e.p)
	}
	next := e.c.g.NewState()
	if m == game.Chance {
		mean := 0.0
		for _, o := range s.(game.Chancer).Outcomes(nil) {
			next.CopyFrom(s)
			next.Apply(o.Action)
			mean += float64(o.Probability * e.value(next))
		}
		return mean
	}
	best := math.Inf(1)
	if m == e.p {
		best = math.Inf(-1)
	}
	for _, a := range s.LegalActions(nil) {
		next.CopyFrom(s)
		next.Apply(a)
		if v := e.value(next); m == e.p {
			best = max(best, v)
		} else {
			best = min(best, v)
		}
	}
	return best
}
