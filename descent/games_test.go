package descent_test

import (
	"math"
	"math/rand/v2"

	"tengen/game"
	"tengen/internal/random"
	"tengen/search"
)

// maze is a game defined by hashes: the player to move, the legal actions, where they lead, the
// end and the utilities all follow from a seed and the place reached, a level and a cell. It
// has states with a sole action, some outside the policy, and players who move twice in a row.
// With few cells, many lines lead to the same place; if actions may skip levels, these lines
// differ in length.
type maze struct {
	seed    uint64
	players int
	actions int
	levels  int // the game ends there at the latest
	skip    int // the most levels that an action goes on by, at least 1
	cells   uint64
	steps   int // utilities are multiples of 1/steps: few make ties
	zeroSum bool
}

func (g *maze) Name() string         { return "maze" }
func (g *maze) Players() int         { return g.players }
func (g *maze) Actions() int         { return g.actions }
func (g *maze) Planes() game.Shape   { return game.Shape{C: 1, H: 1, W: 1} }
func (g *maze) Support() []float32   { return nil }
func (g *maze) NewState() game.State { return &mazeState{g: g} }
func (g *maze) PlyLimit() int        { return g.levels }

func (g *maze) ScoreBounds() (low, high float64) { return -3, 7 }

// constant is a maze in which two players have opposite utilities.
type constant struct{ maze }

func (g *constant) UtilitySum() float64 { return 1 }

type mazeState struct {
	g     *maze
	level int
	cell  uint64
}

func (s *mazeState) Hash() uint64 { return random.Step(random.Step(s.cell) + uint64(s.level)) }

// draw returns the i-th of the place's numbers, below n.
func (s *mazeState) draw(i, n int) int {
	return int(random.Step(random.Step(s.Hash()^s.g.seed)+uint64(i)) % uint64(n))
}

func (s *mazeState) CurrentPlayer() game.Player {
	if s.level >= s.g.levels || s.level > 1 && s.draw(0, 10) == 0 {
		return game.Nobody
	}
	return game.Player(s.draw(2, s.g.players))
}

func (s *mazeState) LegalActions(dst []game.Action) []game.Action {
	n := len(dst)
	if s.draw(3, 5) == 0 {
		return append(dst, game.Action(s.draw(4, s.g.actions+3)))
	}
	for a := range s.g.actions {
		if s.draw(5+a, 3) > 0 {
			dst = append(dst, game.Action(a))
		}
	}
	if len(dst) == n {
		dst = append(dst, 0)
	}
	return dst
}

func (s *mazeState) Apply(a game.Action) {
	cell := uint64(s.draw(100+int(a), math.MaxInt))
	if s.level += 1 + s.draw(200+int(a), s.g.skip); s.g.cells > 0 {
		cell %= s.g.cells
	}
	s.cell = cell
}

func (s *mazeState) CopyFrom(src game.State) { *s = *src.(*mazeState) }

func (s *mazeState) Returns(dst []float32) {
	for p := range s.g.players {
		dst[p] = float32(s.draw(1000+p, s.g.steps+1)) / float32(s.g.steps)
	}
	if s.g.zeroSum {
		dst[1] = 1 - dst[0]
	}
}

func (s *mazeState) Scores(dst []float32) {
	for p := range s.g.players {
		dst[p] = float32(s.draw(2000+p, 11) - 3)
	}
}

func (s *mazeState) Observation(dst []float32) { dst[0] = 0 }

// mazes returns mazes of many kinds.
func mazes(n uint64) (list []game.Game) {
	for seed := range n {
		m := maze{
			seed:    seed,
			players: 1 + int(seed%4),
			actions: 2 + int(seed/2%4),
			levels:  4 + int(seed%5),
			skip:    1 + int(seed/3%3),
			cells:   []uint64{0, 1, 3, 20}[seed/4%4],
			steps:   []int{1, 2, 7, 1000}[seed/16%4],
			zeroSum: seed%4 == 1,
		}
		if m.zeroSum {
			list = append(list, &constant{m})
		} else {
			list = append(list, &m)
		}
	}
	return list
}

// copyOf returns a copy of s.
func copyOf(g game.Game, s game.State) game.State {
	c := g.NewState()
	c.CopyFrom(s)
	return c
}

// randomState plays plies random actions from the start, or fewer if the game would end.
func randomState(g game.Game, plies int, rng *rand.Rand) (s game.State, actions []game.Action) {
	s = g.NewState()
	next := g.NewState()
	for range plies {
		legal := s.LegalActions(nil)
		a := legal[rng.IntN(len(legal))]
		next.CopyFrom(s)
		if next.Apply(a); next.CurrentPlayer() == game.Nobody {
			break
		}
		s.CopyFrom(next)
		actions = append(actions, a)
	}
	return s, actions
}

// hashed is an evaluator whose values follow from a hash of the state, between -0.1 and 1.1. It
// counts the requests.
type hashed struct {
	players     int
	seed        uint64
	levels      int // distinct values of a player, so that some are equal; 0 is no bound
	evaluations search.Evaluations
	n           int
}

func newHashed(g game.Game, seed uint64, levels int) *hashed {
	return &hashed{
		players: g.Players(), seed: seed, levels: levels,
		evaluations: search.Evaluations{Players: g.Players()},
	}
}

// of returns the row of one state.
func (h *hashed) of(s game.State) (values []float32) {
	x := random.Step(s.Hash() ^ h.seed)
	for range h.players {
		x = random.Step(x)
		v := float32(x>>40) / (1 << 24)
		if h.levels > 0 {
			v = float32(int(v*float32(h.levels))) / float32(h.levels)
		}
		values = append(values, 1.2*v-0.1)
	}
	return values
}

func (h *hashed) Add(s game.State) {
	if s.CurrentPlayer() < 0 || len(s.LegalActions(nil)) < 2 {
		panic("a state without a choice is to be evaluated")
	}
	h.n++
	h.evaluations.Values = append(h.evaluations.Values, h.of(s)...)
}

func (h *hashed) Evaluate() (search.Evaluations, error) {
	evaluations := h.evaluations
	h.evaluations.Values = evaluations.Values[:0]
	return evaluations, nil
}

func newRand(path ...uint64) *rand.Rand {
	return random.New(1, append([]uint64{random.Test}, path...)...)
}

func must[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}
