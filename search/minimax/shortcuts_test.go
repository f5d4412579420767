package minimax

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"tengen/game"
	_ "tengen/game/all"
	"tengen/internal/random"
)

// TestShortcuts compares the shortcuts of games with playing action by action.
func TestShortcuts(t *testing.T) {
	for _, name := range []string{
		"tcg", "tcg:deck=benchmark", "turtle:players=3", "turtle:players=2,hands=open",
	} {
		g := game.Must(game.New(name))
		for _, h := range game.Heuristics(g) {
			if err := checkShortcuts(g, h, ShortcutsOf(g, h)); err != nil {
				t.Errorf("%s: %s: %v", name, h.Name, err)
			}
		}
	}
}

// TestWrongShortcuts: checkShortcuts finds wrong shortcuts.
func TestWrongShortcuts(t *testing.T) {
	g := game.Must(game.New("tcg"))
	h := game.Heuristics(g)[0]
	right := ShortcutsOf(g, h)
	for want, s := range map[string]Shortcuts{
		"Flat": {Flat: func(s game.State, _ game.Player) (float64, game.Action, int64, bool) {
			if s.CurrentPlayer() < 0 {
				return 0, game.NoAction, 0, false
			}
			legal := s.LegalActions(nil)
			return 0, legal[0], int64(len(legal)), true
		}},
		"beyond": {Range: func(s game.State, p game.Player, _ int) (low, high float64) {
			v := h.Value(s, p)
			return v, v
		}},
		"LastTurn is": {LastTurn: func(
			s game.State, p game.Player, alpha, beta float64,
		) (float64, int64, bool) {
			v, n, ok := right.LastTurn(s, p, alpha, beta)
			return v + 1, n, ok
		}},
		"window": {LastTurn: func(
			s game.State, p game.Player, alpha, beta float64,
		) (float64, int64, bool) {
			v, n, ok := right.LastTurn(s, p, alpha, beta)
			if !math.IsInf(alpha, -1) {
				v += h.High
			}
			return v, n, ok
		}},
	} {
		if err := checkShortcuts(g, h, s); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: the error is %v", want, err)
		}
	}
}

// checkShortcuts plays random games and checks the shortcuts in some of their states.
func checkShortcuts(g game.Game, h game.Heuristic, x Shortcuts) error {
	if x.Range == nil && x.Flat == nil && x.LastTurn == nil {
		return nil
	}
	for i := range uint64(30) {
		rng := random.New(1, random.Test, 90, i)
		line := []game.State{g.NewState()}
		var gains [][]float64 // of each step, by player
		for s := line[0]; s.CurrentPlayer() != game.Nobody; {
			next, gain := g.NewState(), make([]float64, g.Players())
			next.CopyFrom(s)
			if s.CurrentPlayer() == game.Chance {
				next.Apply(s.(game.Chancer).Sample(rng))
			} else {
				legal := s.LegalActions(nil)
				a := legal[rng.IntN(len(legal))]
				for p := range gain {
					if h.Gain != nil {
						gain[p] = h.Gain(s, a, game.Player(p))
					}
				}
				next.Apply(a)
			}
			line, gains, s = append(line, next), append(gains, gain), next
		}
		for range 10 {
			from := rng.IntN(len(line) - 1)
			for p := range game.Player(g.Players()) {
				if err := checkState(g, h, x, line[from:], gains[from:], p, rng); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// checkState checks the shortcuts in the first state of a line for player p.
func checkState(
	g game.Game, h game.Heuristic, x Shortcuts, line []game.State, gains [][]float64, p game.Player,
	rng *rand.Rand,
) error {
	s := line[0]
	turn := s.(game.Turned).Turn()
	if x.Range != nil {
		turns := 1 + rng.IntN(4)
		low, high := x.Range(s, p, turns)
		worth, end := 0.0, 0
		for ; end < len(gains) && line[end].(game.Turned).Turn() < turn+turns; end++ {
			worth += gains[end][p]
		}
		worth += h.Value(line[end], p)
		if rounding := 1e-9 * (1 + math.Abs(low) + math.Abs(high)); !(worth >= low-rounding &&
			worth <= high+rounding) {
			return fmt.Errorf("%d turns later s is worth %v to %d, beyond the range of %v to %v",
				turns, worth, p, low, high)
		}
	}
	if x.Flat != nil {
		if err := checkFlat(g, h, x, s, p); err != nil {
			return err
		}
	}
	if s.CurrentPlayer() < 0 {
		return nil
	}
	if x.LastTurn == nil {
		return nil
	}
	e := &turnEnder{g: g, h: h, p: p, end: turn + 1}
	want := e.value(s)
	if e.made > longestTurn {
		return nil
	}
	if value, leaves, ok := x.LastTurn(s, p, math.Inf(-1), math.Inf(1)); ok &&
		(value != want || leaves < 1) {
		return fmt.Errorf("LastTurn is %v for player %d after %d leaves; want %v",
			value, p, leaves, want)
	}
	alpha := want + (rng.Float64()-0.7)*(h.High-h.Low)/50
	beta := alpha + rng.Float64()*(h.High-h.Low)/50 + 1e-6
	value, _, ok := x.LastTurn(s, p, alpha, beta)
	if ok && (want > alpha && want < beta && value != want ||
		want <= alpha && !(value >= want && value <= alpha) ||
		want >= beta && !(value <= want && value >= beta)) {
		return fmt.Errorf(
			"LastTurn is %v for player %d in the window from %v to %v, where the value is %v",
			value, p, alpha, beta, want)
	}
	return nil
}

// checkFlat checks what Flat says of s for player p.
func checkFlat(g game.Game, h game.Heuristic, x Shortcuts, s game.State, p game.Player) error {
	value, best, leaves, ok := x.Flat(s, p)
	if !ok {
		return nil
	}
	if s.CurrentPlayer() == game.Chance {
		for _, o := range s.(game.Chancer).Outcomes(nil) {
			next := g.NewState()
			next.CopyFrom(s)
			next.Apply(o.Action)
			if v, a, n, ok := x.Flat(next, p); next.CurrentPlayer() < 0 || !ok || v != value ||
				a != best || n != leaves {
				return fmt.Errorf("Flat is %v for player %d, by action %d of %d, before an outcome, and %v, by action %d of %d, %t after it", value, p, best, leaves, v, a, n, ok)
			}
		}
		return nil
	}
	maximise := s.CurrentPlayer() == p
	want, first := math.Inf(1), game.NoAction
	legal := s.LegalActions(nil)
	for _, a := range legal {
		next := g.NewState()
		next.CopyFrom(s)
		next.Apply(a)
		if next.CurrentPlayer() == game.Nobody ||
			next.(game.Turned).Turn() != s.(game.Turned).Turn()+1 || h.Value(next, p) != 0 {
			return fmt.Errorf("Flat is true, but action %d leads to turn %d and the value %v",
				a, next.(game.Turned).Turn(), h.Value(next, p))
		}
		gain := 0.0
		if h.Gain != nil {
			gain = h.Gain(s, a, p)
		}
		if first == game.NoAction || maximise && gain > want || !maximise && gain < want {
			want, first = gain, a
		}
	}
	if value != want || best != first || leaves != int64(len(legal)) {
		return fmt.Errorf(
			"Flat is %v for player %d, by action %d of %d; want %v, by action %d of %d",
			value, p, best, leaves, want, first, len(legal))
	}
	return nil
}

// longestTurn is the number of positions beyond which a turn is not enumerated.
const longestTurn = 3000

// turnEnder enumerates the ends of a turn.
type turnEnder struct {
	g    game.Game
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
	next := e.g.NewState()
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
