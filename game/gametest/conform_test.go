package gametest_test

import (
	"fmt"
	"strings"
	"testing"

	"tengen/game/gametest"
	"tengen/internal/testkit"
)

// recorder records the failures that the suite reports.
type recorder struct{ failures []string }

func (*recorder) Helper() {}
func (r *recorder) Errorf(format string, args ...any) {
	r.failures = append(r.failures, fmt.Sprintf(format, args...))
}

// has reports whether a failure of the check contains the text.
func (r *recorder) has(check, text string) bool {
	for _, f := range r.failures {
		if _, rest, ok := strings.Cut(f, ": "+check+": "); ok && strings.Contains(rest, text) {
			return true
		}
	}
	return false
}

func TestSoundGamePasses(t *testing.T) {
	gametest.Conform(t, &toy{broken: "nothing"})
	gametest.Conform(t, &toy{
		broken: "nothing",
	}, gametest.Games(40), gametest.Seed(7), gametest.MaxPlies(10))
}

// Each game breaks one property; the suite must report it.
func TestBrokenGamesFail(t *testing.T) {
	for _, c := range []struct{ broken, check, says string }{
		{"players", "facts", "9 players"},
		{"planes", "facts", "shape"},
		{"support order", "facts", "ascend"},
		{"mover", "rules", "current player is 2"},
		{"end", "rules", "not ended"},
		{"no legal action", "rules", "no action is legal"},
		{"order", "rules", "ascend"},
		{"duplicates", "rules", "ascend"},
		{"outside", "rules", "no place"},
		{"actions", "rules", "no place"},
		{"negative", "rules", "negative"},
		{"append", "rules", "appending"},
		{"has chance", "rules", "no chance"},
		{"panic", "rules", "toy is broken"},
		{"name refused", "name", "refused"},
		{"name of another", "name", "made again as"},
		{"legal reading", "rules", "appending"},
		{"hash of the moment", "reading", "hash"},
		{"turn", "replay", "goes back"},
		{"forgetful copy", "copies", "a state and its copy"},
		{"aliased copy", "copies", "was played on"},
		{"dirty copy", "copies", "copy"},
		{"unwritten", "observation", "not written"},
		{"beyond", "observation", "only 25"},
		{"nan", "observation", "NaN"},
		{"range", "returns", "[0, 1]"},
		{"returns of one", "returns", "NaN"},
		{"support", "returns", "support"},
		{"sum", "returns", "sum to 1"},
		{"scores", "returns", "scores"},
		{"ply limit", "returns", "at most 6"},
		{"score bounds", "returns", "declared bounds"},
		{"constant hash", "hash", "hash 0x1"},
		{"hash without cards", "hash", "is that of the states after"},
		{"sample changes the state", "chance", "before and after"},
		{"probabilities", "chance", "sum to"},
		{"outcome twice", "chance", "repeat"},
		{"unlisted sample", "chance", "not among the outcomes"},
		{"biased sample", "chance", "its probability is"},
		{"no determinization", "hidden information", "none of"},
		{"own card redrawn", "hidden information", "key"},
		{"determinized mover", "hidden information", "current player"},
		{"leaky observation", "hidden information", "observation"},
		{"leaky key", "hidden information", "key"},
		{"leaky determinization", "hidden information", "depends on what is hidden"},
		{"identity", "symmetries", "identity"},
		{"no symmetry", "symmetries", "identity"},
		{"permutation", "symmetries", "no permutation"},
		{"short permutation", "symmetries", "4 cells are mapped"},
		{"symmetry of actions", "symmetries", "transformed observation"},
		{"symmetry of cells", "symmetries", "become"},
		{"symmetry of planes", "symmetries", "transformed observation"},
		{"action names", "action names", "cell"},
		{"garbage", "action names", "want an error"},
		{"seat names", "presentation", "somebody"},
		{"newline", "presentation", "newline"},
		{"escapes", "presentation", "ANSI"},
		{"playout stops", "playout", "should be over"},
		{"playout of the moment", "playout", "two playouts"},
		{"shared state", "concurrency", "concurrently"},
		{"apply allocates", "allocations", "Apply"},
		{"copy allocates", "allocations", "CopyFrom"},
		{"hash allocates", "allocations", "Hash"},
		{"legal allocates", "allocations", "Legal"},
		{"observe allocates", "allocations", "Observation"},
		{"returns allocates", "allocations", "Returns"},
		{"playout allocates", "allocations", "Playout"},
		{"heuristic name", "heuristics", "not unique"},
		{"heuristic bounds", "heuristics", "not in ["},
		{"heuristic changes the state", "heuristics", "before and after"},
		{"heuristic allocates", "heuristics", "allocate"},
		{"strategy name", "strategies", "not unique"},
		{"strategy without rules", "strategies", "not among the legal"},
		{"strategy that peeks", "strategies", "can't see"},
		{"rollout stops", "strategies", "should be over"},
		{"no decision left", "pace", "to make 0 decisions"},
		{"target without classes", "auxiliary targets", "1 classes"},
		{"target twice", "auxiliary targets", "different"},
		{"no target", "auxiliary targets", "no target"},
		{"class", "auxiliary targets", "has class 3"},
		{"unwritten target", "auxiliary targets", "has class -128"},
		{"target beyond", "auxiliary targets", "more targets"},
		{"seat target", "auxiliary targets", "in [0, 1]"},
		{"target of the moment", "auxiliary targets", "a copy has other targets"},
		{"symmetry of targets", "auxiliary targets", "in the image they are"},
		{"permutation of targets", "auxiliary targets", "no permutation"},
		{"classes of targets", "auxiliary targets", "whose classes are others"},
		{"targets allocate", "allocations", "AuxiliaryTargets"},
		{"history planes", "history", "planes 3 to 5"},
		{"history of cards", "history", "can't tell apart"},
		{"leaky history", "history", "can't tell apart"},
		{"hidden fact twice", "hidden facts", "different"},
		{"hidden fact of nobody", "hidden facts", "seat 2"},
		{"hidden fact without classes", "hidden facts", "1 classes"},
		{"class of a hidden fact", "hidden facts", "class 4"},
		{"own hidden fact", "hidden facts", "sum to 0"},
		{"priors of all cards", "hidden facts", "determinizations; its prior"},
		{"unwritten prior", "hidden facts", "only 8"},
		{"leaky priors", "hidden facts", "in a determinization"},
		{"prior sum", "hidden facts", "sum to"},
		{"permutation of hidden facts", "hidden facts", "no permutation"},
		{"hidden facts mixed", "hidden facts", "several hidden facts"},
		{"symmetry of hidden facts", "hidden facts", "in the image"},
		{"hidden facts allocate", "allocations", "HiddenFacts"},
		{"few decisions left", "pace", "made 2 decisions where there are at most 1"},
	} {
		t.Run(c.broken, func(t *testing.T) {
			if c.broken == "heuristic allocates" && testkit.Race {
				t.Skip("under the race detector heuristics may")
			}
			var r recorder
			gametest.Conform(&r, &toy{broken: c.broken}, gametest.Games(60), gametest.MaxPlies(100))
			if !r.has(c.check, c.says) {
				t.Errorf("the check %q does not report %q; reported is %q",
					c.check, c.says, r.failures)
			}
		})
	}
}

// A failure reports the actions that lead to it.
func TestFailureGivesActions(t *testing.T) {
	var r recorder
	gametest.Conform(&r, &toy{broken: "no legal action"})
	if len(r.failures) != 1 || !strings.Contains(r.failures[0], "after the 5 actions [1") {
		t.Errorf("reported is %q; want one failure after five actions", r.failures)
	}
}
