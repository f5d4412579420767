package random

import "testing"

// The first outputs of the reference implementation (Vigna's splitmix64.c) for
// the state 1234567.
func TestReference(t *testing.T) {
	state := uint64(1234567)
	for _, want := range []uint64{
		6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431,
		16408922859458223821,
	} {
		if got := Step(state); got != want {
			t.Errorf("got %d, want %d", got, want)
		}
		state += Gamma
	}
	if Mix(0) != 0 {
		t.Error("Mix(0) is not 0")
	}
}
