package abstraction

import (
	"math/rand/v2"

	"tengen/game"
	"tengen/internal/random"
)

// market is a game whose actions are of three kinds, by which of three goods they
// change: action a changes good a mod 3 by 1 + a/3 and sometimes one more. Each player
// decides twice in its turn; after every second turn chance takes one of two outcomes.
// Whoever has more goods in total wins. Each player's secret has no effect.
type market struct{ turned, hidden bool }

const (
	marketActions = 9
	marketTurns   = 6
)

func (market) Name() string                { return "market" }
func (market) Players() int                { return 2 }
func (market) Actions() int                { return marketActions }
func (market) Planes() game.Shape          { return game.Shape{C: 2, H: 1, W: 3} }
func (market) Support() []float32          { return []float32{0, 0.5, 1} }
func (market) HasChance() bool             { return true }
func (market) UtilitySum() float64         { return 1 }
func (market) SeatName(game.Player) string { return "Trader" }

func (market) FeatureNames() []string { return []string{"corn", "wine", "wool", "always"} }

func (market) Describe(dst []float32, s game.State, a game.Action) {
	clear(dst[:4])
	dst[3] = 7
	dst[a%3] = marketOf(s).gain(a)
}

func (market) Heuristics() []game.Heuristic {
	return []game.Heuristic{{
		Name: "goods", Low: -1000, High: 1000,
		Value: func(s game.State, p game.Player) float64 {
			m := marketOf(s)
			return float64(m.sum(int(p)) - m.sum(1-int(p)))
		},
	}}
}

func (g market) NewState() game.State {
	s := marketState{}
	switch {
	case g.turned && g.hidden:
		return &hiddenTurnedMarket{turnedMarket{s}}
	case g.turned:
		return &turnedMarket{s}
	case g.hidden:
		return &hiddenMarket{s}
	}
	return &s
}

type marketState struct {
	goods  [2][3]int8
	ply    int8 // decisions so far
	luck   int8 // outcomes so far
	dice   int8
	secret [2]int8
}

type (
	turnedMarket       struct{ marketState }
	hiddenMarket       struct{ marketState }
	hiddenTurnedMarket struct{ turnedMarket }
)

func marketOf(s game.State) *marketState { return s.(interface{ market() *marketState }).market() }

func (s *marketState) market() *marketState { return s }

func (s *marketState) gain(a game.Action) float32 {
	return float32(1+a/3) + float32((s.ply+s.dice)%2)*float32(a%2)
}

func (s *marketState) sum(p int) (n int) {
	for _, x := range s.goods[p] {
		n += int(x)
	}
	return n
}

func (s *marketState) turn() int { return int(s.ply) / 2 }

func (s *marketState) CurrentPlayer() game.Player {
	switch {
	case s.turn()/2 > int(s.luck):
		return game.Chance
	case s.turn() >= marketTurns:
		return game.Nobody
	}
	return game.Player(s.turn() % 2)
}

func (s *marketState) LegalActions(dst []game.Action) []game.Action {
	for a := range game.Action(marketActions) {
		if (int(a)+int(s.ply)+int(s.dice))%5 > 0 { // the legal actions vary with the ply and chance
			dst = append(dst, a)
		}
	}
	return dst
}

func (s *marketState) Apply(a game.Action) {
	if s.CurrentPlayer() == game.Chance {
		s.luck++
		s.dice = int8(a - marketActions)
		return
	}
	s.goods[s.CurrentPlayer()][a%3] += int8(s.gain(a))
	s.ply++
}

func (s *marketState) Outcomes(dst []game.Outcome) []game.Outcome {
	return append(dst, game.Outcome{Action: marketActions, Probability: 0.25}, game.Outcome{
		Action: marketActions + 1, Probability: 0.75,
	})
}

func (s *marketState) Sample(rng *rand.Rand) game.Action {
	if rng.IntN(4) == 0 {
		return marketActions
	}
	return marketActions + 1
}

func (s *marketState) CopyFrom(src game.State) { *s = *marketOf(src) }

func (s *marketState) Returns(dst []float32) {
	switch a, b := s.sum(0), s.sum(1); {
	case a > b:
		dst[0], dst[1] = 1, 0
	case a < b:
		dst[0], dst[1] = 0, 1
	default:
		dst[0], dst[1] = 0.5, 0.5
	}
}

func (s *marketState) Observation(dst []float32) {
	for p := range 2 {
		for k := range 3 {
			dst[3*p+k] = float32(s.goods[p][k]) / 40
		}
	}
}

func (s *marketState) Hash() uint64 { return s.key(s.secret[0], s.secret[1]) }

// key hashes a position with the given secrets.
func (s *marketState) key(secrets ...int8) uint64 {
	h := random.Mix(uint64(s.ply)<<16 | uint64(s.luck)<<8 | uint64(s.dice))
	for p := range 2 {
		for _, x := range s.goods[p] {
			h = random.Mix(h ^ uint64(x))
		}
	}
	for _, x := range secrets {
		h = random.Mix(h ^ uint64(x) + 77)
	}
	return h
}

func (s *turnedMarket) Turn() int { return s.turn() }

func (s *hiddenMarket) Determinize(rng *rand.Rand, seat game.Player) {
	s.secret[1-seat] = int8(rng.IntN(100))
}
func (s *hiddenMarket) InformationStateKey(seat game.Player) uint64 { return s.key(s.secret[seat]) }

func (s *hiddenTurnedMarket) Determinize(rng *rand.Rand, seat game.Player) {
	s.secret[1-seat] = int8(rng.IntN(100))
}
func (s *hiddenTurnedMarket) InformationStateKey(seat game.Player) uint64 {
	return s.key(s.secret[seat])
}

// markets lists all variants.
func markets() []market {
	return []market{{false, false}, {true, false}, {false, true}, {true, true}}
}

func testRNG(i uint64) *rand.Rand { return random.New(11, random.Test, i) }
