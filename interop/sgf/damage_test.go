package sgf

import (
	"errors"
	"testing"
)

// TestParseAtEveryByte truncates a record at every byte, which Parse must refuse with the offset,
// or warn of, and flips bits, which must not panic in Parse or Play.
func TestParseAtEveryByte(t *testing.T) {
	whole := []byte("(;FF[4]GM[1]CA[UTF-8]SZ[5]KM[0.5]PB[a\\]b]PW[Weiß]RE[B+3]AB[aa:bb]AW[ee];B[cc];W[];B[tt]C[\\\\](;W[da])(;W[db]C[x]))")
	if _, err := Parse(whole); err != nil {
		t.Fatal(err)
	}
	for n := range whole {
		if n > 0 {
			var e *Error
			if r, err := Parse(whole[:n]); err == nil && len(r.Warnings) == 0 ||
				err != nil && (!errors.As(err, &e) || e.Offset > n) {
				t.Fatalf("cut to %q: %v", whole[:n], err)
			}
		}
		for bit := range 8 {
			flipped := append([]byte(nil), whole...)
			flipped[n] ^= 1 << bit
			r, err := Parse(flipped)
			var e *Error
			if err != nil && !errors.As(err, &e) {
				t.Fatalf("%q: %v", flipped, err)
			}
			if err != nil {
				continue
			}
			if g, err := r.Game(nil); err == nil {
				_, _ = r.Play(g, len(r.Moves))
			}
		}
	}
}
