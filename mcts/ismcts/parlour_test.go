package ismcts_test

import (
	"math/rand/v2"

	"tengen/game"
)

// parlour is a small game with imperfect information: each player is dealt a card, drawn
// uniformly and independently, which only that player sees; then players act in a given order,
// each with the same actions; the pay depends on all cards and actions.
type parlour struct {
	players, cards, actions int
	order                   []game.Player // who acts, in turn
	secret                  bool          // nobody sees what others do
	pay                     func(cards, acts []int, p int) float32
}

func (*parlour) Name() string           { return "parlour" }
func (g *parlour) Players() int         { return g.players }
func (g *parlour) Actions() int         { return g.actions }
func (*parlour) Planes() game.Shape     { return game.Shape{C: 1, H: 1, W: 1} }
func (*parlour) Support() []float32     { return nil }
func (g *parlour) NewState() game.State { return &parlourState{g: g} }

type parlourState struct {
	g           *parlour
	cards, acts [4]int
	dealt, done int
}

// dealtTo returns the position before the first action in which each player holds the given
// card.
func (g *parlour) dealtTo(cards ...int) *parlourState {
	s := &parlourState{g: g, dealt: g.players}
	copy(s.cards[:], cards)
	return s
}

func (s *parlourState) CurrentPlayer() game.Player {
	switch {
	case s.dealt < s.g.players:
		return game.Chance
	case s.done == len(s.g.order):
		return game.Nobody
	}
	return s.g.order[s.done]
}

func (s *parlourState) LegalActions(dst []game.Action) []game.Action {
	for a := range s.g.actions {
		dst = append(dst, game.Action(a))
	}
	return dst
}

func (s *parlourState) Apply(a game.Action) {
	if s.dealt < s.g.players {
		s.cards[s.dealt] = int(a)
		s.dealt++
		return
	}
	s.acts[s.done] = int(a)
	s.done++
}

func (s *parlourState) CopyFrom(src game.State) { *s = *src.(*parlourState) }

func (s *parlourState) Returns(dst []float32) {
	for p := range s.g.players {
		dst[p] = s.g.pay(s.cards[:s.g.players], s.acts[:s.done], p)
	}
}

func (s *parlourState) Observation(dst []float32) { dst[0] = 0 }

func (s *parlourState) Hash() uint64 {
	h := uint64(s.dealt)<<8 | uint64(s.done)
	for i := range s.cards {
		h = h<<6 | uint64(s.cards[i])<<3 | uint64(s.acts[i])
	}
	return h
}

func (s *parlourState) Outcomes(dst []game.Outcome) []game.Outcome {
	for c := range s.g.cards {
		dst = append(dst, game.Outcome{Action: game.Action(c), Probability: 1 / float64(s.g.cards)})
	}
	return dst
}

func (s *parlourState) Sample(rng *rand.Rand) game.Action {
	return game.Action(rng.IntN(s.g.cards))
}

func (s *parlourState) Determinize(rng *rand.Rand, seat game.Player) {
	for p := range s.dealt {
		if game.Player(p) != seat {
			s.cards[p] = rng.IntN(s.g.cards)
		}
	}
	for i := range s.done {
		if s.g.secret && s.g.order[i] != seat {
			s.acts[i] = rng.IntN(s.g.actions)
		}
	}
}

func (s *parlourState) InformationStateKey(seat game.Player) uint64 {
	key := uint64(s.dealt)<<8 | uint64(s.done)
	if s.dealt > int(seat) {
		key = key<<3 | uint64(s.cards[seat])
	}
	for i := range s.done {
		seen := uint64(7)
		if !s.g.secret || s.g.order[i] == seat {
			seen = uint64(s.acts[i])
		}
		key = key<<3 | seen
	}
	return key
}
