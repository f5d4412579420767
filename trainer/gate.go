package trainer

import (
	"fmt"
	"strconv"

	"gonum.org/v1/gonum/stat"

	"tengen/arena/rating"
	"tengen/configs"
	"tengen/run"
)

// judge tests whether the first player of a paired match is better than the second.
func (r *pairedResult) judge(confidence float64) *run.GateResult {
	results := r.differences()
	g := &run.GateResult{
		Difference: stat.Mean(results, nil), Confidence: confidence,
		Games: r.games(), Rounds: len(r.rounds), Distinct: len(results), Opening: r.opening,
	}
	g.Accepted, g.Low = rating.Better(results, confidence)
	return g
}

// checkGate returns an error if no candidate could pass the gate.
func checkGate(c *configs.Config, seats int) error {
	e := c.Evaluation
	if !e.Gate {
		return nil
	}
	seatings := 2 * seats
	if seats == 2 {
		seatings = 2
	}
	rounds := roundsOf(e.GateGames, seatings)
	// The best possible result is to win every round.
	won := []float64{1}
	for better := false; !better; won = append(won, 1) {
		better, _ = rating.Better(won, e.GateConfidence)
	}
	if least := len(won) - 1; rounds < least {
		return fmt.Errorf("evaluation.gate_games=%d: %s of %d games can't decide with a confidence of %g, even if all are won; at least %d games are wanted",
			e.GateGames, plural(rounds, "round"), seatings, e.GateConfidence, least*seatings)
	}
	return nil
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return strconv.Itoa(n) + " " + what + "s"
}
