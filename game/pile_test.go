package game_test

import (
	"errors"
	"math/rand/v2"

	"tengen/game"
)

// pile is a simple game for tests: two players take one or two stones in turn, and
// whoever takes the last one wins. With rain, chance takes none or one, with
// probabilities 1/4 and 3/4, before each turn; if it takes the last one, the player to
// move wins.
type pile struct {
	stones int
	rain   bool
}

type pileState struct {
	g       *pile
	left    int
	mover   game.Player
	raining bool // chance is to move
}

func init() {
	game.Register(game.Family{
		Name:    "pile",
		Summary: "take one or two stones",
		Params:  []game.Param{{Key: "stones", Default: "3"}, {Key: "rain", Default: "false"}},
		New: func(v *game.Values) (game.Game, error) {
			if v.Int("stones", 1, 9) == 7 {
				return nil, errors.New("stones=7: any other number is wanted")
			}
			return &pile{v.Int("stones", 1, 9), v.Bool("rain")}, nil
		},
	})
}

func (g *pile) Name() string       { return "pile" }
func (g *pile) Players() int       { return 2 }
func (g *pile) Actions() int       { return 3 }
func (g *pile) Planes() game.Shape { return game.Shape{C: 1, H: 1, W: 1} }
func (g *pile) Support() []float32 { return []float32{0, 1} }
func (g *pile) HasChance() bool    { return g.rain }
func (g *pile) NewState() game.State {
	return &pileState{g: g, left: g.stones, raining: g.rain}
}

func (s *pileState) CurrentPlayer() game.Player {
	switch {
	case s.left == 0:
		return game.Nobody
	case s.raining:
		return game.Chance
	}
	return s.mover
}

func (s *pileState) LegalActions(dst []game.Action) []game.Action {
	dst = append(dst, 1)
	if s.left > 1 {
		dst = append(dst, 2)
	}
	return dst
}

func (s *pileState) Apply(a game.Action) {
	s.left -= int(a)
	if s.raining {
		s.raining = false
		if s.left == 0 {
			s.mover = 1 - s.mover // as if the mover had taken it
		}
		return
	}
	s.mover = 1 - s.mover
	s.raining = s.g.rain
}

func (s *pileState) Outcomes(dst []game.Outcome) []game.Outcome {
	return append(dst, game.Outcome{Action: 0, Probability: 0.25}, game.Outcome{
		Action: 1, Probability: 0.75,
	})
}

func (s *pileState) Sample(rng *rand.Rand) game.Action {
	if rng.IntN(4) == 0 {
		return 0
	}
	return 1
}

func (s *pileState) CopyFrom(src game.State) { *s = *src.(*pileState) }
func (s *pileState) Returns(dst []float32) {
	dst[s.mover], dst[1-s.mover] = 0, 1
}
func (s *pileState) Observation(dst []float32) { dst[0] = float32(s.left) }
func (s *pileState) Hash() uint64              { return uint64(s.left)<<8 | uint64(s.mover) }
