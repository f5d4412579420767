package arena

import (
	"encoding/json"
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"tengen/internal/jsonfloat"
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

// CI is half the width of the 95 % interval of the mean, t·s/√n with the
// standard deviation s of the n rounds' means and the quantile t of Student's
// distribution of n−1 degrees of freedom; infinite with fewer than two rounds.
func (e *Estimate) CI() float64 {
	n := e.rounds.N
	if n < 2 {
		return math.Inf(1)
	}
	return Student(n-1) * e.rounds.SD() / math.Sqrt(float64(n))
}

// String is "11.02 ± 0.31 (s 11.4, n 500)".
func (e *Estimate) String() string {
	return fmt.Sprintf("%.2f ± %.2f (s %.1f, n %d)", e.Mean(), e.CI(), e.SD(), e.N())
}

// MarshalJSON writes n, rounds, mean, sd and ci95 (null while it is infinite).
func (e Estimate) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		N      int      `json:"n"`
		Rounds int      `json:"rounds"`
		Mean   float64  `json:"mean"`
		SD     float64  `json:"sd"`
		CI     *float64 `json:"ci95"`
	}{e.N(), e.Rounds(), e.Mean(), e.SD(), jsonfloat.OrNull(e.CI())})
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (e *Estimate) UnmarshalJSON(data []byte) error {
	var v struct {
		N      int      `json:"n"`
		Rounds int      `json:"rounds"`
		Mean   float64  `json:"mean"`
		SD     float64  `json:"sd"`
		CI     *float64 `json:"ci95"`
	}
	if err := json.Unmarshal(data, &v); err != nil {
		return err
	}
	*e = Estimate{
		observations: Stat{N: v.N, Mean: v.Mean, m2: v.SD * v.SD * float64(max(0, v.N-1))},
		rounds:       Stat{N: v.Rounds, Mean: v.Mean},
	}
	if v.CI != nil && v.Rounds >= 2 {
		sd := *v.CI * math.Sqrt(float64(v.Rounds)) / Student(v.Rounds-1)
		e.rounds.m2 = sd * sd * float64(v.Rounds-1)
	}
	return nil
}

// Student returns the 97.5 % quantile of Student's distribution with the given degrees of
// freedom.
func Student(degrees int) float64 {
	return distuv.StudentsT{Sigma: 1, Nu: float64(degrees)}.Quantile(0.975)
}
