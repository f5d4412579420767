package cluster

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
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
