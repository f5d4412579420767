package player

import (
	"fmt"
	"math"
	"strconv"

	"tengen/configs"
	"tengen/game"
	"tengen/internal/notation"
	"tengen/mcts"
)

// tune changes the constants of a search to those that are given, and returns the keys, C
// apart, that changed one, as a player's name has them.
func tune(s *configs.Search, v *notation.Values) (changed string) {
	if v.Given("fpu") {
		if fpu := configs.FPU(v.Choice("fpu", string(configs.FPUZero), string(configs.FPUParent))); fpu != s.FPU {
			s.FPU = fpu
			changed += ",fpu=" + string(fpu)
		}
	}
	if v.Given(outcomesParam.Key) {
		if o := configs.Outcomes(v.Choice(outcomesParam.Key, string(configs.OutcomesSampled), string(configs.OutcomesBalanced))); o != s.Outcomes {
			s.Outcomes = o
			changed += "," + outcomesParam.Key + "=" + string(o)
		}
	}
	if v.Given(proofsParam.Key) {
		if on := v.Bool(proofsParam.Key); on != s.Proofs {
			s.Proofs = on
			changed += fmt.Sprintf(",%s=%t", proofsParam.Key, on)
		}
	}
	for _, k := range []struct {
		key    string
		lo, hi float64
		value  *float64
	}{
		{"c", 0, 1e6, &s.CPUCT},
		{"fpu_reduction", 0, 1, &s.FPUReduction},
	} {
		if !v.Given(k.key) {
			continue
		}
		if x := v.Float(k.key, k.lo, k.hi); x != *k.value {
			*k.value = x
			if k.key != "c" {
				changed += fmt.Sprintf(",%s=%g", k.key, x)
			}
		}
	}
	return changed + tuneRoot(s, v)
}

// outcomesParam is how the outcomes of chance are visited.
var outcomesParam = notation.Param{
	Key:  "outcomes",
	Help: "outcomes of chance, where nothing is hidden: sampled, or balanced, visited in proportion to their probabilities; default as for c, or sampled",
}

// proofsParam is whether values are proven.
var proofsParam = notation.Param{
	Key:  "proofs",
	Help: "true: values are proven from the ends of games, where nothing is hidden (MCTS-Solver); default: that of the run, or false",
}

// checkProofs refuses proofs in a game in which they can't be made.
func checkProofs(g game.Game, v *notation.Values, on bool) {
	if on && hides(g) {
		v.Fail(proofsParam.Key, g.Name()+" hides information: false is wanted")
	}
}

// The choice of the best action.
var (
	choiceParam = notation.Param{
		Key: "choice", Default: "visits",
		Help: "how a move is chosen where none is drawn: visits, the most visited one; lcb, of those with lcb_fraction of the most visits the one with the greatest lower confidence bound",
	}
	networkChoiceParam = notation.Param{Key: choiceParam.Key, Help: choiceParam.Help + "; default as for c, or visits"}
	zParam             = notation.Param{Key: "lcb_z", Help: "for choice=lcb: standard errors by which the bound is below the mean; default: 5"}
	fractionParam      = notation.Param{Key: "lcb_fraction", Help: "for choice=lcb: least visits, as a fraction of the most; default: 0.15"}
)

// readChoice reads choiceParam and the others. standard is the choice where none is given.
func readChoice(v *notation.Values, standard mcts.Choice) mcts.Choice {
	bound := standard.ByBound()
	if v.Given(choiceParam.Key) {
		bound = configs.Choice(v.Choice(choiceParam.Key, string(configs.ChoiceVisits), string(configs.ChoiceLCB))) == configs.ChoiceLCB
	}
	if !bound {
		for _, key := range []string{zParam.Key, fractionParam.Key} {
			if v.Given(key) {
				v.Fail(key, "is for choice=lcb only")
			}
		}
		return mcts.MostVisits()
	}
	z, fraction := float64(mcts.DefaultZ), mcts.DefaultFraction
	if v.Given(zParam.Key) {
		z = v.Float(zParam.Key, 0, 1000)
	}
	if v.Given(fractionParam.Key) {
		fraction = v.Float(fractionParam.Key, 0, 1)
	}
	return mcts.LowerBound(z, fraction)
}

// The temperature of moves.
var (
	temperatureParam = notation.Param{Key: "temperature", Default: "0", Help: "moves of the first plies are drawn in proportion to visits^(1/temperature)"}
	pliesParam       = notation.Param{Key: "plies", Default: "0", Help: "plies played at that temperature: a number or all"}
)

// AllPlies are those of a whole game.
const AllPlies = math.MaxInt32

// readTemperature reads temperatureParam and pliesParam.
func readTemperature(v *notation.Values) (temperature float64, plies int) {
	temperature = v.Float(temperatureParam.Key, 0, 100)
	if v.String(pliesParam.Key) == "all" {
		return temperature, AllPlies
	}
	return temperature, v.Int(pliesParam.Key, 0, 1_000_000)
}

// temperatureKey returns the keys of a temperature for a player's name, "" if no move is drawn.
func temperatureKey(temperature float64, plies int) string {
	switch {
	case temperature <= 0 || plies <= 0:
		return ""
	case plies == AllPlies:
		return fmt.Sprintf(",temperature=%g,plies=all", temperature)
	}
	return fmt.Sprintf(",temperature=%g,plies=%d", temperature, plies)
}

// choiceKey returns the keys of a choice for a player's name, "" for the default.
func choiceKey(c mcts.Choice) string {
	if !c.ByBound() {
		return ""
	}
	text := ",choice=lcb"
	z, fraction := c.Parameters()
	if z != mcts.DefaultZ {
		text += ",lcb_z=" + strconv.FormatFloat(z, 'g', -1, 64)
	}
	if fraction != mcts.DefaultFraction {
		text += ",lcb_fraction=" + strconv.FormatFloat(fraction, 'g', -1, 64)
	}
	return text
}
