package cluster

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"math"

	"tengen/game"
	"tengen/internal/random"
)

// Secret is the key with which a run proves that it has given a block out. It stays the same for
// the whole run, so that games count that were given out before the trainer was started anew.
type Secret []byte

// SecretSize is the length of a Secret in bytes.
const SecretSize = 32

// Token returns the token of a block.
func (s Secret) Token(b *Block) string {
	c := *b
	c.Token = ""
	return s.sign(&c)
}

func (s Secret) sign(block any) string {
	text, err := json.Marshal(block)
	if err != nil {
		return "" // a number that is not finite: no block has it
	}
	h := hmac.New(sha256.New, s)
	h.Write(text)
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// Given reports whether a block has the right token.
func (s Secret) Given(b *Block) bool {
	t := s.Token(b)
	return t != "" && hmac.Equal([]byte(t), []byte(b.Token))
}

// Draw returns a number from 0 up to 1, not included, that follows from the secret and a text.
func (s Secret) Draw(text string) float64 {
	h := hmac.New(sha256.New, s)
	h.Write([]byte("draw " + text))
	return float64(binary.LittleEndian.Uint64(h.Sum(nil))>>11) / (1 << 53)
}

// MatchToken returns the token of a block of a match.
func (s Secret) MatchToken(b *MatchBlock) string {
	c := *b
	c.Token = ""
	return s.sign(&c)
}

// GivenMatch reports whether a block of a match has the right token.
func (s Secret) GivenMatch(b *MatchBlock) bool {
	t := s.MatchToken(b)
	return t != "" && hmac.Equal([]byte(t), []byte(b.Token))
}

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
