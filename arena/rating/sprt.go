package rating

import (
	"fmt"
	"math"
	"slices"
)

// SPRT is a sequential test of two players: whether the first is stronger by Elo1
// rather than by Elo0. It may be evaluated after every pair of games, and ends the
// match once it decides for one. Wald's bounds (1945) keep the probability of a wrong
// decision near Alpha if the difference is Elo0, and near Beta if it is Elo1.
//
// Elo here is that of the expected score, 1/(1+10^(-Elo/400)), draws counting half, as
// usual in testing chess engines.
type SPRT struct {
	Elo0, Elo1  float64 // Elo0 < Elo1
	Alpha, Beta float64 // between 0 and 0.5, both exclusive
}

// Verdict is the result of a sequential test.
type Verdict int

// Continue means that more games are needed, AcceptH0 that the difference is Elo0
// rather than Elo1, AcceptH1 the reverse.
const (
	Continue Verdict = iota
	AcceptH0
	AcceptH1
)

// String returns "continue", "H0" or "H1".
func (v Verdict) String() string {
	switch v {
	case AcceptH0:
		return "H0"
	case AcceptH1:
		return "H1"
	}
	return "continue"
}

// Validate returns an error if the test's parameters are invalid.
func (s SPRT) Validate() error {
	if !(s.Elo0 < s.Elo1) || math.IsInf(s.Elo0, 0) || math.IsInf(s.Elo1, 0) {
		return fmt.Errorf("SPRT: Elo0 %g and Elo1 %g; Elo0 must be less than Elo1", s.Elo0, s.Elo1)
	}
	if !(s.Alpha > 0 && s.Alpha < 0.5 && s.Beta > 0 && s.Beta < 0.5) {
		return fmt.Errorf("SPRT: alpha %g and beta %g; both must be between 0 and 0.5",
			s.Alpha, s.Beta)
	}
	return nil
}

// absentWeight is the number of pairs added to each of the five results of a pair that did not
// occur, as in fishtest. Without it, equal pairs would have no variance and decide at once.
const absentWeight = 1e-3

// Test evaluates the pairs so far: the first player's mean score in [0, 1] of each two
// games with the same opening and the seats exchanged. Pairs must be independent of
// each other; the games of a pair need not be, which is why pairs are counted (the
// "pentanomial" model: a pair scores 0, ¼, ½, ¾ or 1, but any values are accepted).
//
// llr is the generalised log-likelihood ratio of M. Van den Bergh, "A practical
// introduction to the GSPRT" (2019): of all distributions of the pairs' scores whose
// mean is that of Elo1, the one under which the pairs are likeliest, against the same
// for Elo0. No draw rate is assumed: to first order, llr is
// n·(s1-s0)·(2·mean-s0-s1)/(2·variance) with the scores s0 and s1 of Elo0 and Elo1 and
// the observed variance. The verdict is AcceptH0 at or below lower =
// log(beta/(1-alpha)), AcceptH1 at or above upper = log((1-beta)/alpha).
//
// Test panics if the parameters are invalid (see Validate) or a score is outside [0,
// 1].
func (s SPRT) Test(pairs []float64) (llr, lower, upper float64, verdict Verdict) {
	if err := s.Validate(); err != nil {
		panic(err)
	}
	lower, upper = math.Log(s.Beta/(1-s.Alpha)), math.Log((1-s.Beta)/s.Alpha)
	scores, counts := count(pairs)
	mean0, mean1 := expectedScore(s.Elo0), expectedScore(s.Elo1)
	lambda0, lambda1 := tilt(scores, counts, mean0), tilt(scores, counts, mean1)
	for i, x := range scores {
		llr += counts[i] * math.Log((1+lambda0*(x-mean0))/(1+lambda1*(x-mean1)))
	}
	switch {
	case llr <= lower:
		verdict = AcceptH0
	case llr >= upper:
		verdict = AcceptH1
	}
	return llr, lower, upper, verdict
}

func expectedScore(elo float64) float64 { return 1 / (1 + math.Pow(10, -elo/400)) }

// count returns the distinct scores in ascending order, and how often each occurred.
func count(pairs []float64) (scores, counts []float64) {
	number := map[float64]float64{}
	for i, x := range pairs {
		if !(x >= 0 && x <= 1) {
			panic(fmt.Sprintf("rating: SPRT: pair %d scored %g; it must be in [0, 1]", i, x))
		}
		number[x]++
	}
	for x := 0.0; x <= 1; x += 0.25 {
		if number[x] == 0 {
			number[x] = absentWeight
		}
	}
	for x := range number {
		scores = append(scores, x)
	}
	slices.Sort(scores)
	for _, x := range scores {
		counts = append(counts, number[x])
	}
	return scores, counts
}

// tilt returns the λ for which the probabilities counts/n/(1+λ·(score-mean)) sum to 1
// and have the given mean: the likeliest distribution with that mean (Owen, Biometrika
// 1988). Scores 0 and 1 occur, and mean lies between them.
func tilt(scores, counts []float64, mean float64) float64 {
	// The mean's excess falls as λ rises, from +∞ to -∞ between the values at
	// which the probability of a score of 1, or of 0, is infinite.
	low, high := -1/(1-mean), 1/mean
	for {
		lambda := low + (high-low)/2
		if lambda <= low || lambda >= high {
			return lambda
		}
		excess := 0.0
		for i, x := range scores {
			excess += counts[i] * (x - mean) / (1 + lambda*(x-mean))
		}
		if excess > 0 {
			low = lambda
		} else {
			high = lambda
		}
	}
}
