package arena

import (
	"encoding/json"
	"fmt"
	"math"

	"tengen/internal/jsonfloat"
)

// Stat is the mean of independent observations, with its spread. The zero
// value is empty.
type Stat struct {
	N    int
	Mean float64
	m2   float64 // sum of squared deviations from the mean
}

// Add adds one observation (Welford 1962).
func (s *Stat) Add(x float64) {
	s.N++
	d := x - s.Mean
	s.Mean += d / float64(s.N)
	s.m2 += d * (x - s.Mean)
}

// SD is the sample standard deviation, 0 with fewer than two observations.
func (s Stat) SD() float64 {
	if s.N < 2 {
		return 0
	}
	return math.Sqrt(s.m2 / float64(s.N-1))
}

// CI is half the width of the 95 % interval of the mean, 1.96·s/√n; infinite
// with fewer than two observations.
func (s Stat) CI() float64 {
	if s.N < 2 {
		return math.Inf(1)
	}
	return 1.96 * s.SD() / math.Sqrt(float64(s.N))
}

// String is "11.0 ± 0.3 (s 11.4, n 500)".
func (s Stat) String() string {
	if s.N < 2 {
		return fmt.Sprintf("%.1f (n %d)", s.Mean, s.N)
	}
	return fmt.Sprintf("%.1f ± %.1f (s %.1f, n %d)", s.Mean, s.CI(), s.SD(), s.N)
}

// MarshalJSON writes n, mean, sd and ci95 (null while it is infinite).
func (s Stat) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		N    int      `json:"n"`
		Mean float64  `json:"mean"`
		SD   float64  `json:"sd"`
		CI   *float64 `json:"ci95"`
	}{s.N, s.Mean, s.SD(), jsonfloat.OrNull(s.CI())})
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (s *Stat) UnmarshalJSON(data []byte) error {
	var v struct {
		N    int     `json:"n"`
		Mean float64 `json:"mean"`
		SD   float64 `json:"sd"`
	}
	if err := json.Unmarshal(data, &v); err != nil {
		return err
	}
	*s = Stat{N: v.N, Mean: v.Mean, m2: v.SD * v.SD * float64(max(0, v.N-1))}
	return nil
}

// Sum is the mean of a sum of independent quantities, each observed separately, and half the
// width of its 95 % interval.
type Sum struct {
	Mean float64 `json:"mean"`
	CI   float64 `json:"ci95"`
}

// MarshalJSON writes mean and ci95 (null while it is infinite).
func (s Sum) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Mean float64  `json:"mean"`
		CI   *float64 `json:"ci95"`
	}{s.Mean, jsonfloat.OrNull(s.CI)})
}

// SumOf returns the sum of independent means.
func SumOf(stats []Stat) Sum {
	var sum Sum
	var variance float64
	for _, s := range stats {
		sum.Mean += s.Mean
		variance += s.CI() * s.CI()
	}
	sum.CI = math.Sqrt(variance)
	return sum
}
