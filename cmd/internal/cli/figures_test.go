package cli

import "testing"

func TestGrouped(t *testing.T) {
	for x, want := range map[float64]string{
		0: "0", 12: "12", 999.6: "1,000", 1234567: "1,234,567", -1234: "-1,234", -123: "-123",
	} {
		if got := Grouped(x); got != want {
			t.Errorf("%v is written %s, want %s", x, got, want)
		}
	}
}
