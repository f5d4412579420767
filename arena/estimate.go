package arena

import (
	"encoding/json"
	"fmt"

	"tengen/internal/interval"
)

// Estimate is a mean over the games of a [Tournament], with its spread. Its interval is over
// rounds: the games of a round share an opening, and the seats of a game share the game, so
// single observations are not independent. All rounds have the same number of observations, so
// the mean is the mean of the rounds' means, and the interval is computed from these (a
// cluster-robust interval with rounds as clusters).
type Estimate struct {
	observations Stat // single ones: one per seat of a game, or one per pair of seats
	rounds       Stat // the mean of each round
}

// newEstimate makes an estimate of what lies between bounds (Stat.Least).
func newEstimate(least, most float64) Estimate {
	return Estimate{rounds: Stat{Least: least, Most: most}}
}

// addRound adds the observations of a round. It does nothing if there are none.
func (e *Estimate) addRound(observations []float64) {
	if len(observations) == 0 {
		return
	}
	sum := 0.0
	for _, x := range observations {
		e.observations.Add(x)
		sum += x
	}
	e.rounds.Add(sum / float64(len(observations)))
}

// N is the number of observations.
func (e *Estimate) N() int { return e.observations.N }

// Rounds is the number of rounds with observations.
func (e *Estimate) Rounds() int { return e.rounds.N }

// Mean is the mean of all observations.
func (e *Estimate) Mean() float64 { return e.rounds.Mean }

// SD is the standard deviation of single observations, 0 with fewer than two.
func (e *Estimate) SD() float64 { return e.observations.SD() }

// Interval is the 95 % interval of the mean over rounds, as Stat.Interval is.
func (e *Estimate) Interval() interval.Interval { return e.rounds.Interval() }

// CI is the wider half of the interval.
func (e *Estimate) CI() float64 { return e.rounds.CI() }

// String is "11.02 (10.71 to 11.33; s 11.4, n 500)".
func (e *Estimate) String() string {
	return fmt.Sprintf("%.2f (%s; s %.1f, n %d)",
		e.Mean(), e.Interval().Text("%.2f"), e.SD(), e.N())
}

// MarshalJSON writes n, rounds, mean, sd, and low and high, the interval (null while there is
// none).
func (e Estimate) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		N      int     `json:"n"`
		Rounds int     `json:"rounds"`
		Mean   float64 `json:"mean"`
		SD     float64 `json:"sd"`
		interval.Bounds
	}{e.N(), e.Rounds(), e.Mean(), e.SD(), e.Interval().Bounds()})
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (e *Estimate) UnmarshalJSON(data []byte) error {
	var v struct {
		N      int     `json:"n"`
		Rounds int     `json:"rounds"`
		Mean   float64 `json:"mean"`
		SD     float64 `json:"sd"`
		interval.Bounds
	}
	if err := json.Unmarshal(data, &v); err != nil {
		return err
	}
	i := v.Interval()
	*e = Estimate{
		observations: Stat{N: v.N, Mean: v.Mean, m2: v.SD * v.SD * float64(max(0, v.N-1))},
		rounds:       Stat{N: v.Rounds, Mean: v.Mean, read: &i},
	}
	return nil
}
