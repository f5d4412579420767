package arena

import (
	"encoding/json"
	"fmt"
	"math"

	"tengen/internal/interval"
)

// Stat is the mean of independent observations, with its spread. The zero
// value is empty.
type Stat struct {
	N    int
	Mean float64
	// Least and Most bound what can be observed; both 0: that is not known.
	Least, Most float64
	m2          float64            // sum of squared deviations from the mean
	read        *interval.Interval // from JSON, which has no range
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

// Interval is the 95 % interval of the mean, for observations with a range by that
// (interval.Bounded), for others by Student's t; infinite with fewer than two observations.
func (s Stat) Interval() interval.Interval {
	switch {
	case s.read != nil:
		return *s.read
	case s.Least < s.Most:
		return interval.Bounded(s.N, s.Mean, s.m2, s.Least, s.Most)
	}
	return interval.Mean(s.N, s.Mean, s.m2)
}

// CI is the wider half of the interval.
func (s Stat) CI() float64 { return s.Interval().Half(s.Mean) }

// String is "11.0 (10.7 to 11.3; s 11.4, n 500)".
func (s Stat) String() string {
	return fmt.Sprintf("%.1f (%s; s %.1f, n %d)", s.Mean, s.Interval().Text("%.1f"), s.SD(), s.N)
}

// MarshalJSON writes n, mean, sd, and low and high, the interval (null while there is none).
func (s Stat) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		N    int     `json:"n"`
		Mean float64 `json:"mean"`
		SD   float64 `json:"sd"`
		interval.Bounds
	}{s.N, s.Mean, s.SD(), s.Interval().Bounds()})
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (s *Stat) UnmarshalJSON(data []byte) error {
	var v struct {
		N    int     `json:"n"`
		Mean float64 `json:"mean"`
		SD   float64 `json:"sd"`
		interval.Bounds
	}
	if err := json.Unmarshal(data, &v); err != nil {
		return err
	}
	i := v.Interval()
	*s = Stat{N: v.N, Mean: v.Mean, m2: v.SD * v.SD * float64(max(0, v.N-1)), read: &i}
	return nil
}

// Sum is the mean of a sum of independent quantities, each observed separately, and its 95 %
// interval.
type Sum struct {
	Mean     float64
	Interval interval.Interval
}

// CI is the wider half of the interval.
func (s Sum) CI() float64 { return s.Interval.Half(s.Mean) }

// MarshalJSON writes mean, low and high (null while there is no interval).
func (s Sum) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Mean float64 `json:"mean"`
		interval.Bounds
	}{s.Mean, s.Interval.Bounds()})
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (s *Sum) UnmarshalJSON(data []byte) error {
	var v struct {
		Mean float64 `json:"mean"`
		interval.Bounds
	}
	if err := json.Unmarshal(data, &v); err != nil {
		return err
	}
	*s = Sum{v.Mean, v.Interval()}
	return nil
}

// SumOf returns the sum of independent means.
func SumOf(stats []Stat) Sum {
	var sum Sum
	var means []float64
	var intervals []interval.Interval
	for _, s := range stats {
		sum.Mean += s.Mean
		means, intervals = append(means, s.Mean), append(intervals, s.Interval())
	}
	sum.Interval = interval.Sum(means, intervals)
	return sum
}
