package mcts_test

import (
	"math"
	"math/rand/v2"

	"tengen/game"
	"tengen/internal/random"
	"tengen/search"
)

// maze is a game defined by hashes: the player to move, the legal actions, where they lead, the
// end and the utilities all follow from a seed and the actions so far. It has states with a
// sole action, some outside the policy, players who move twice in a row, and, optionally,
// chance.
type maze struct {
	seed    uint64
	players int
	actions int
	plies   int // the greatest length of a game
	steps   int // utilities are multiples of 1/steps: few make ties
	chance  bool
}

func (g *maze) Name() string         { return "maze" }
func (g *maze) Players() int         { return g.players }
func (g *maze) Actions() int         { return g.actions }
func (g *maze) Planes() game.Shape   { return game.Shape{C: 1, H: 1, W: 1} }
func (g *maze) Support() []float32   { return nil }
func (g *maze) HasChance() bool      { return g.chance }
func (g *maze) NewState() game.State { return &mazeState{g: g, hash: random.Step(g.seed)} }

type mazeState struct {
	g    *maze
	hash uint64
	ply  int
}

// draw returns the i-th of the state's numbers, below n.
func (s *mazeState) draw(i, n int) int { return int(random.Step(s.hash+uint64(i)) % uint64(n)) }

func (s *mazeState) CurrentPlayer() game.Player {
	switch {
	case s.ply >= s.g.plies, s.ply > 1 && s.draw(0, 10) == 0:
		return game.Nobody
	case s.g.chance && s.draw(1, 4) == 0:
		return game.Chance
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
	s.hash = random.Step(s.hash ^ random.Step(uint64(a)+1<<32))
	s.ply++
}

func (s *mazeState) CopyFrom(src game.State) { *s = *src.(*mazeState) }

func (s *mazeState) Returns(dst []float32) {
	for p := range s.g.players {
		dst[p] = float32(s.draw(1000+p, s.g.steps+1)) / float32(s.g.steps)
	}
}

func (s *mazeState) Observation(dst []float32) { dst[0] = 0 }

func (s *mazeState) Hash() uint64 { return s.hash }

// Outcomes are two to four, the first of probability 1/2.
func (s *mazeState) Outcomes(dst []game.Outcome) []game.Outcome {
	n := 1 + s.draw(2000, 3)
	dst = append(dst, game.Outcome{Action: 100, Probability: 0.5})
	for i := range n {
		dst = append(dst, game.Outcome{Action: game.Action(101 + i), Probability: 0.5 / float64(n)})
	}
	return dst
}

func (s *mazeState) Sample(rng *rand.Rand) game.Action {
	n := 1 + s.draw(2000, 3)
	if rng.IntN(2) == 0 {
		return 100
	}
	return game.Action(101 + rng.IntN(n))
}

// copyOf returns a copy of s.
func copyOf(g game.Game, s game.State) game.State {
	c := g.NewState()
	c.CopyFrom(s)
	return c
}

// randomState plays up to plies random actions from the start, and stops
// before the game would end.
func randomState(g game.Game, plies int, rng *rand.Rand) game.State {
	s, next := g.NewState(), g.NewState()
	for range plies {
		next.CopyFrom(s)
		if !randomStep(next, rng) {
			break
		}
		s.CopyFrom(next)
	}
	for s.CurrentPlayer() == game.Chance {
		s.Apply(s.(game.Chancer).Sample(rng))
	}
	return s
}

// randomStep plays a random action and the outcomes of chance after it. It reports whether the
// game continues.
func randomStep(s game.State, rng *rand.Rand) bool {
	for s.CurrentPlayer() == game.Chance {
		s.Apply(s.(game.Chancer).Sample(rng))
	}
	if s.CurrentPlayer() == game.Nobody {
		return false
	}
	actions := s.LegalActions(nil)
	s.Apply(actions[rng.IntN(len(actions))])
	for s.CurrentPlayer() == game.Chance {
		s.Apply(s.(game.Chancer).Sample(rng))
	}
	return s.CurrentPlayer() != game.Nobody
}

// hashed is an evaluator whose logits and utilities follow from a hash of the
// observation, which the rules of a game fix; that of a maze, of its state.
type hashed struct {
	actions, players int
	levels           int // number of distinct logits, so that some priors are equal; 0: no limit
	evaluations      search.Evaluations
	planes           []float32
}

func newHashed(g game.Game, levels int) *hashed {
	return &hashed{
		actions: g.Actions(), players: g.Players(), levels: levels,
		evaluations: search.Evaluations{Actions: g.Actions(), Players: g.Players()},
		planes:      make([]float32, g.Planes().Size()),
	}
}

// Of returns the row of one state.
func (h *hashed) Of(s game.State) (logits, values []float32) {
	x := s.Hash()
	if _, ok := s.(*mazeState); !ok {
		s.Observation(h.planes)
		x = 0
		for _, v := range h.planes {
			x = random.Step(x ^ uint64(math.Float32bits(v)))
		}
	}
	unit := func() float32 {
		x = random.Step(x)
		return float32(x>>40) / (1 << 24)
	}
	for range h.actions {
		logit := 4 * unit()
		if h.levels > 0 {
			logit = float32(int(logit) % h.levels)
		}
		logits = append(logits, logit)
	}
	for range h.players {
		values = append(values, unit())
	}
	return logits, values
}

func (h *hashed) Add(s game.State) {
	logits, values := h.Of(s)
	h.evaluations.Policy = append(h.evaluations.Policy, logits...)
	h.evaluations.Values = append(h.evaluations.Values, values...)
}

func (h *hashed) Evaluate() (search.Evaluations, error) {
	evaluations := h.evaluations
	h.evaluations.Policy, h.evaluations.Values = evaluations.Policy[:0], evaluations.Values[:0]
	return evaluations, nil
}

func must[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}
