package minimax

import (
	"fmt"
	"math/bits"
	"math/rand/v2"

	"tengen/game"
	"tengen/internal/random"
)

// grove is a game for tests drawn from a seed: the player to move, the legal actions, the
// outcomes of chance and the values of positions are hashes of the seed and the position. A
// turn is a set of up to picks actions, taken in any order, then, unless it is full, the action
// "end". There are few positions, so lines of play transpose.
type grove struct {
	seed     uint64
	players  int
	actions  int // to pick from, beside "end"
	picks    int // a turn
	turns    int // after which the game is over
	grounds  int // positions told apart at the beginning of a turn
	chance   bool
	gains    bool
	thirds   bool // values are thirds instead of whole numbers, which round
	turned   bool // states offer Turn
	undo     bool // states offer Undo
	skip     bool // states offer Skip
	secrets  int  // of which one is drawn by Determinize, where there are any
	regular  bool // turns alternate
	lastTurn bool
	ranges   bool // the heuristic has a Range
	endless  bool // what happens does not depend on the turn, and turns have no end
}

func (g *grove) Name() string       { return fmt.Sprintf("%+v", *g) }
func (g *grove) Players() int       { return g.players }
func (g *grove) Actions() int       { return g.actions + 1 }
func (g *grove) Planes() game.Shape { return game.Shape{C: 1, H: 1, W: 1} }
func (g *grove) Support() []float32 { return nil }

func (g *grove) NewState() game.State {
	s := &tree{g: g}
	switch {
	case g.secrets > 0:
		return &hiddenTree{s}
	case g.turned && g.undo:
		return &undoTurnedTree{undoTree{s}}
	case g.turned && g.skip:
		return &skipTurnedTree{turnedTree{s}}
	case g.turned:
		return &turnedTree{s}
	case g.undo:
		return &undoTree{s}
	case g.skip:
		return &skipTree{s}
	}
	return s
}

// spot identifies a position.
type spot struct {
	ground  int
	turn    int
	mask    uint
	mover   int
	rolling bool // chance is to move
	over    bool
	secret  int
}

type tree struct {
	g *grove
	spot
	past []spot
}

func (s *tree) base() *tree { return s }

// draw returns a hash of the seed, the position and the purpose, below n.
func (s *tree) draw(n int, purpose uint64, more ...int) int {
	h := random.Mix(s.g.seed ^ random.Mix(purpose))
	h = random.Mix(h ^ uint64(s.ground)<<32 ^ uint64(s.time())<<16 ^ uint64(s.mask)<<8 ^
		uint64(s.mover)<<4)
	for _, m := range more {
		h = random.Mix(h ^ random.Mix(uint64(m+1000)))
	}
	return int(h>>11) % n
}

// time returns the turn, as far as the future depends on it.
func (s *tree) time() int {
	if s.g.endless {
		return 0
	}
	return s.turn
}

func (s *tree) CurrentPlayer() game.Player {
	switch {
	case s.over:
		return game.Nobody
	case s.rolling:
		return game.Chance
	}
	return game.Player(s.mover)
}

func (s *tree) LegalActions(dst []game.Action) []game.Action {
	if bits.OnesCount(s.mask) < s.g.picks {
		for a := range s.g.actions {
			if s.mask>>a&1 == 0 && (s.g.secrets > 0 || (s.ground+a)%5 != 0) {
				dst = append(dst, game.Action(a))
			}
		}
	}
	return append(dst, game.Action(s.g.actions))
}

func (s *tree) Apply(a game.Action) {
	if s.g.undo {
		s.past = append(s.past, s.spot)
	}
	switch {
	case s.rolling:
		s.ground = s.draw(s.g.grounds, 1, int(a))
		s.rolling = false
	case int(a) == s.g.actions:
		s.end()
	default:
		s.mask |= 1 << a
		s.rolling = s.g.chance && s.draw(4, 2, int(a)) == 0
	}
}

// end ends the turn.
func (s *tree) end() {
	next := (s.mover + 1) % s.g.players
	if !s.g.regular && s.draw(4, 3) == 0 {
		next = s.draw(s.g.players, 4)
	}
	ground := s.draw(s.g.grounds, 5)
	s.turn++
	s.over = s.turn >= s.g.turns && !s.g.endless || s.draw(9, 6) == 0
	s.rolling = s.g.chance && s.draw(2, 7) == 0
	s.ground, s.mask, s.mover = ground, 0, next
}

func (s *tree) Outcomes(dst []game.Outcome) []game.Outcome {
	n := 1 + s.draw(4, 8)
	total := 0
	for i := range n {
		total += 1 + s.draw(5, 9, i)
	}
	for i := range n {
		dst = append(dst, game.Outcome{
			Action: game.Action(i), Probability: float64(1+s.draw(5, 9, i)) / float64(total),
		})
	}
	return dst
}

func (s *tree) Sample(rng *rand.Rand) game.Action {
	x := rng.Float64()
	n := 1 + s.draw(4, 8)
	total := 0
	for i := range n {
		total += 1 + s.draw(5, 9, i)
	}
	for i := range n {
		if x -= float64(1+s.draw(5, 9, i)) / float64(total); x < 0 {
			return game.Action(i)
		}
	}
	return game.Action(n - 1)
}

func (s *tree) CopyFrom(src game.State) {
	o := src.(interface{ base() *tree }).base()
	s.spot, s.past = o.spot, s.past[:0]
}

func (s *tree) Returns(dst []float32) {
	for p := range s.g.players {
		dst[p] = float32(s.worth(p)-low) / float32(high-low)
	}
}
func (s *tree) Observation(dst []float32) { dst[0] = float32(s.ground) }

func (s *tree) Hash() uint64 {
	h := random.Mix(
		uint64(s.ground)<<40 ^ uint64(s.time())<<24 ^ uint64(s.mask)<<8 ^ uint64(s.mover)<<4 ^
			uint64(s.secret))
	if s.rolling {
		h = random.Mix(h + 1)
	}
	if s.over {
		h = random.Mix(h + 2)
	}
	return h
}

// The bounds of values and gains. They are reached.
const low, high, mostGain = -6, 6, 2

// worth returns the value to p, with two players the negative of the other's.
func (s *tree) worth(p int) float64 {
	if s.g.players == 2 && p == 1 {
		return -s.worth(0)
	}
	v := float64(low + s.draw(high-low+1, 10, p, s.secret))
	if s.over && s.draw(3, 11, p) == 0 {
		v = high
	}
	if s.g.thirds {
		v /= 3
	}
	return v
}

func (g *grove) Heuristics() []game.Heuristic {
	h := game.Heuristic{
		Name: "worth", Low: low, High: high,
		Value: func(s game.State, p game.Player) float64 {
			return s.(interface{ base() *tree }).base().worth(int(p))
		},
	}
	if g.gains {
		h.TurnLow, h.TurnHigh = -float64(mostGain*(g.picks+1)), float64(mostGain*(g.picks+1))
		h.Gain = func(state game.State, a game.Action, p game.Player) float64 {
			s := state.(interface{ base() *tree }).base()
			sign := 1.0
			if g.players == 2 && p == 1 {
				p, sign = 0, -1
			}
			v := float64(s.draw(2*mostGain+1, 12, int(a), int(p)) - mostGain)
			switch g.seed % 3 { // in some games one side gains all the time
			case 0:
				v = mostGain
			case 1:
				v = -mostGain
			}
			if g.thirds {
				v /= 3
			}
			return sign * v
		}
	}
	return []game.Heuristic{h}
}

func (g *grove) LastTurn(
	string,
) func(s game.State, p game.Player, alpha, beta float64) (value float64, leaves int64, ok bool) {
	if !g.lastTurn {
		return nil
	}
	return g.last
}

func (g *grove) Range(string) func(s game.State, p game.Player, turns int) (low, high float64) {
	if !g.ranges {
		return nil
	}
	known, heuristic := map[[3]uint64][2]float64{}, g.Heuristics()[0]
	return func(s game.State, p game.Player, turns int) (float64, float64) {
		l, h := g.reach(heuristic, known, s, p, turns)
		return l - float64(s.Hash()%3), h + float64(s.Hash()%5)/2
	}
}

// reach returns the least and the greatest value that s can lead to for p, by enumeration.
func (g *grove) reach(
	h game.Heuristic, known map[[3]uint64][2]float64, s game.State, p game.Player, turns int,
) (least, greatest float64) {
	if s.CurrentPlayer() == game.Nobody || turns == 0 {
		v := h.Value(s, p)
		return v, v
	}
	key := [3]uint64{s.Hash(), uint64(p), uint64(turns)}
	if r, ok := known[key]; ok {
		return r[0], r[1]
	}
	least, greatest = inf, -inf
	try := func(a game.Action, gain float64) {
		next := g.NewState()
		next.CopyFrom(s)
		next.Apply(a)
		l, u := g.reach(h, known, next, p, turns+s.(game.Turned).Turn()-next.(game.Turned).Turn())
		least, greatest = min(least, gain+l), max(greatest, gain+u)
	}
	if s.CurrentPlayer() == game.Chance {
		for _, o := range s.(game.Chancer).Outcomes(nil) {
			try(o.Action, 0)
		}
	} else {
		for _, a := range s.LegalActions(nil) {
			gain := 0.0
			if h.Gain != nil {
				gain = h.Gain(s, a, p)
			}
			try(a, gain)
		}
	}
	known[key] = [2]float64{least, greatest}
	return least, greatest
}

// last is LastTurn, by plain recursion that stops as soon as the window allows. It returns
// false for some positions, which are then searched.
func (g *grove) last(state game.State, p game.Player, alpha, beta float64) (float64, int64, bool) {
	if state.Hash()%7 == 0 {
		return 0, 0, false
	}
	turn := state.(game.Turned).Turn()
	leaves := int64(0)
	var value func(s game.State, window bool) float64
	value = func(s game.State, window bool) float64 {
		m := s.CurrentPlayer()
		if m == game.Nobody || s.(game.Turned).Turn() > turn {
			leaves++
			return s.(interface{ base() *tree }).base().worth(int(p))
		}
		next := g.NewState()
		if m == game.Chance {
			mean := 0.0
			for _, o := range s.(game.Chancer).Outcomes(nil) {
				next.CopyFrom(s)
				next.Apply(o.Action)
				mean += float64(o.Probability * value(next, false))
			}
			return mean
		}
		best := inf
		if m == p {
			best = -inf
		}
		for _, a := range s.LegalActions(nil) {
			next.CopyFrom(s)
			next.Apply(a)
			v := value(next, window)
			if m == p {
				best = max(best, v)
			} else {
				best = min(best, v)
			}
			if window && (m == p && best >= beta || m != p && best <= alpha) {
				break
			}
		}
		return best
	}
	v := value(state, true)
	return v, leaves, true
}

type turnedTree struct{ *tree }

func (s *turnedTree) Turn() int { return s.turn }

type undoTree struct{ *tree }

func (s *undoTree) Undo() {
	s.spot = s.past[len(s.past)-1]
	s.past = s.past[:len(s.past)-1]
}

type undoTurnedTree struct{ undoTree }

func (s *undoTurnedTree) Turn() int { return s.turn }

type skipTree struct{ *tree }

func (s *skipTree) Skip() { s.end() }

type skipTurnedTree struct{ turnedTree }

func (s *skipTurnedTree) Skip() { s.end() }

type hiddenTree struct{ *tree }

func (s *hiddenTree) Determinize(rng *rand.Rand, _ game.Player) { s.secret = rng.IntN(s.g.secrets) }
func (s *hiddenTree) InformationStateKey(game.Player) uint64 {
	t := *s.tree
	t.secret = 0
	return t.Hash()
}
