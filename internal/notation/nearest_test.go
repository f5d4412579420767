package notation

import (
	"testing"

	"tengen/internal/random"
)

func TestDidYouMean(t *testing.T) {
	known := []string{"size", "rows", "columns", "players", "komi", "ko", "pass"}
	for _, c := range []struct{ word, want string }{
		{"sise", "size"},
		{"isze", "size"}, // neighbours swapped
		{"column", "columns"},
		{"playres", "players"},
		{"kom", "ko"}, // as near as komi, and before it in the alphabet
		{"pas", "pass"},
		{"row", "rows"},
		{"simulations", ""},
		{"x", ""},
		{"", ""},
	} {
		want := ""
		if c.want != "" {
			want = ` (did you mean "` + c.want + `"?)`
		}
		if got := DidYouMean(c.word, known); got != want {
			t.Errorf("DidYouMean(%q) = %q, want %q", c.word, got, want)
		}
	}
	if got := DidYouMean("size", nil); got != "" {
		t.Errorf("without known words: %q", got)
	}
}

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"", "abc", 3}, {"abc", "abc", 0}, {"abc", "acb", 1}, {"abc", "cab", 2},
		{"kitten", "sitting", 3}, {"ca", "abc", 3}, {"abcd", "badc", 2},
	} {
		if got := distance(c.a, c.b); got != c.want {
			t.Errorf("distance(%q, %q) = %d, want %d", c.a, c.b, got, c.want)
		}
	}
}

// slow computes the distance from the definition: the minimum over the edits that
// may produce the last letters.
func slow(a, b string) int {
	if a == "" || b == "" {
		return len(a) + len(b)
	}
	m, n := len(a)-1, len(b)-1
	d := slow(a[:m], b[:n])
	if a[m] != b[n] {
		d++
	}
	d = min(d, slow(a[:m], b)+1, slow(a, b[:n])+1)
	if m > 0 && n > 0 && a[m] == b[n-1] && a[m-1] == b[n] {
		d = min(d, slow(a[:m-1], b[:n-1])+1)
	}
	return d
}

func TestDistanceByDefinition(t *testing.T) {
	rng := random.New(1, random.Test)
	word := func() string {
		text := make([]byte, rng.IntN(7))
		for i := range text {
			text[i] = byte('a' + rng.IntN(3))
		}
		return string(text)
	}
	for range 300 {
		a, b := word(), word()
		if got, want := distance(a, b), slow(a, b); got != want {
			t.Errorf("distance(%q, %q) = %d, want %d", a, b, got, want)
		}
	}
}
