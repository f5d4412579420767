package experiments

import "testing"

func TestSeconds(t *testing.T) {
	for s, want := range map[float64]string{0: "0 µs", 8.3e-7: "0.83 µs", 0.00099951: "1 ms", 0.9994: "999 ms", 0.9996: "1 s", 12.34: "12.3 s", 99.96: "100 s", 3600: "3600 s"} {
		if got := Seconds(s); got != want {
			t.Errorf("%v is written %s, want %s", s, got, want)
		}
	}
}
