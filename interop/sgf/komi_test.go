package sgf

import (
	"fmt"
	"strings"
	"testing"
)

func TestKomi(t *testing.T) {
	for _, c := range []struct {
		text string
		want string // the komi and, after a colon, what was guessed
	}{
		{"6.5", "6.5"}, {" -3.5 ", "-3.5"}, {"+7", "7"}, {".5", "0.5"}, {"5.", "5"},
		{"5.500000", "5.5"}, {"1e2", "1: hundredth"}, {"1e999", "none"},
		{"6,5", "6.5"}, {"6.50 pts", "6.5"}, {"7 1/2", "7.5"}, {"7½", "7.5"}, {"-7 1/2", "-7.5"},
		{"3 1/0", "3: first number"},
		{"６．５", "6.5"}, {"6目半", "6.5"}, {"덤 6집반", "6.5: first number"}, {"6目", "6"},
		{"5.5 points", "5.5"}, {"6.5 each", "6.5: first number"},
		{"375", "7.5: stones"}, {"275", "5.5: stones"}, {"325", "6.5: stones"},
		{"650", "6.5: hundredth"}, {"750", "7.5: hundredth"}, {"0", "0"},
		{"3.75", "7.5: stones"}, {"3又3/4子", "7.5: stones"}, {"黑贴3.75子", "7.5: stones"},
		{"2 3/4", "5.5: stones"}, {"361", "361"}, {"5000", "5000"},
		{"", "none"}, {"much", "none"}, {"NaN", "none"}, {"-", "none"}, {"Inf", "none"},
	} {
		x, guess, ok := komi(c.text, false)
		got := fmt.Sprint(x)
		if !ok {
			got = "none"
		}
		number, about, _ := strings.Cut(c.want, ": ")
		if got != number || !strings.Contains(guess, about) || about == "" && guess != "" {
			t.Errorf("%q: %s: %s, want %s", c.text, got, guess, c.want)
		}
	}
	// Tengen means what it writes.
	for _, text := range []string{"375", "3.75", "100", "-0.25"} {
		if x, guess, ok := komi(text, true); !ok || guess != "" || fmt.Sprint(x) != text {
			t.Errorf("%s: %v, %s", text, x, guess)
		}
	}
}
