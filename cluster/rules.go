package cluster

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"

	"tengen/game"
	"tengen/internal/random"
)

const (
	rulesGames = 8
	rulesPlies = 200 // of a game, at most
)

// RulesDigest returns a digest of what the rules of a game do: the legal actions, observations and
// results of some random games. Programs whose rules differ have different digests, if those games
// show it.
func RulesDigest(g game.Game) string {
	h := sha256.New()
	number := func(x uint64) {
		var b [8]byte
		binary.LittleEndian.PutUint64(b[:], x)
		h.Write(b[:])
	}
	floats := func(list []float32) {
		for _, x := range list {
			number(uint64(math.Float32bits(x)))
		}
	}
	h.Write([]byte(g.Name()))
	number(uint64(g.Players()))
	number(uint64(g.Actions()))
	state := g.NewState()
	observation := make([]float32, g.Planes().Size())
	returns := make([]float32, g.Players())
	var legal []game.Action
	var outcomes []game.Outcome
	for i := range rulesGames {
		rng := random.New(uint64(i), random.Test)
		state.CopyFrom(g.NewState())
		for range rulesPlies {
			mover := state.CurrentPlayer()
			number(uint64(int64(mover)))
			if mover == game.Nobody {
				state.Returns(returns)
				floats(returns)
				break
			}
			var a game.Action
			if mover == game.Chance {
				outcomes = state.(game.Chancer).Outcomes(outcomes[:0])
				for _, o := range outcomes {
					number(uint64(o.Action))
					number(math.Float64bits(float64(o.Probability)))
				}
				a = outcomes[rng.IntN(len(outcomes))].Action
			} else {
				clear(observation)
				state.Observation(observation)
				floats(observation)
				legal = state.LegalActions(legal[:0])
				for _, x := range legal {
					number(uint64(x))
				}
				a = legal[rng.IntN(len(legal))]
			}
			state.Apply(a)
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}
