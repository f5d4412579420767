package player

import (
	"math/rand/v2"

	"tengen/clock"
	"tengen/game"
	"tengen/internal/random"
)

// Horizon estimates how many decisions a player still has to make: as the game does
// (game.Paced), or else by random play. It is used by one goroutine.
type Horizon struct {
	state game.State
	rng   *rand.Rand
	buf   []game.Action
}

// NewHorizon makes a Horizon for games of g.
func NewHorizon(g game.Game) *Horizon {
	return &Horizon{state: g.NewState(), rng: random.New(1, random.Playout)}
}

// The random games of an estimate, and the actions after which one is cut short.
const (
	horizonGames = 4
	horizonPlies = 2000
)

// Pace returns the estimate for p, who is to move in s.
func (h *Horizon) Pace(s game.State, p game.Player) clock.Pace {
	if x, ok := s.(game.Paced); ok {
		expected, most := x.DecisionsLeft(p)
		return clock.Pace{Moves: expected, Most: most}
	}
	sum, most := 0, 0
	for range horizonGames {
		n := h.play(s, p)
		sum += n
		most = max(most, n)
	}
	return clock.Pace{Moves: float64(sum) / horizonGames, Most: 2 * float64(most)}
}

// play returns the number of decisions that p makes in a random game from s.
func (h *Horizon) play(s game.State, p game.Player) (decisions int) {
	h.state.CopyFrom(s)
	for range horizonPlies {
		mover := h.state.CurrentPlayer()
		if mover == game.Nobody {
			break
		}
		if mover == game.Chance {
			h.state.Apply(h.state.(game.Chancer).Sample(h.rng))
			continue
		}
		h.buf = h.state.LegalActions(h.buf[:0])
		if mover == p && len(h.buf) > 1 {
			decisions++
		}
		h.state.Apply(h.buf[h.rng.IntN(len(h.buf))])
	}
	return decisions
}
