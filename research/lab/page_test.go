package lab

import (
	"math"
	"os"
	"strings"
	"testing"

	"tengen/configs"
	"tengen/nn"
	"tengen/research"
	"tengen/research/pagetest"
	"tengen/run"
	"tengen/run/history"
)

// sample is a result with all that a page can show.
func sample() map[string]research.Part {
	at := func(x float64) *float64 { return &x }
	d := difference([][]float64{{10, 40}, {60, 30}})
	r := func(seed uint64, held float64) RunResult {
		return RunResult{Seed: seed, Folder: "a-1", Network: "0123456789abcdef", Iterations: 12,
			Games: 600, Steps: 300, Asked: 1_234_567, Seconds: 90,
			Losses: nn.Losses{Total: 3, Policy: 2, Value: 0.5}, HeldOut: &nn.Losses{
				Policy: held + 1.5, TargetEntropy: 1.5, Value: 1, ValueTargetEntropy: 0.25,
			}, Rating: &run.Elo{Rating: 120}}
	}
	m, alone := mean([]float64{-20, -60}), mean([]float64{15, 35})
	ahead := minus(alone, m)
	points := []CurvePoint{{0, -300, -400, -200}, {5e5, 0, -50, 80}, {1e6, 100, 40, 130}}
	return map[string]research.Part{Part: &Result{
		Made: research.Made{
			Command: "tengen-lab lab x.yaml", Machine: "2 processors, avx512 kernels", Seed: 1,
			Games: 240, Distinct: 238, Opening: 4,
		},
		Title: "a | b", Game: "go:size=5,players=3", Unit: unitEvaluations, Simulations: 64,
		GamesAPair: 40, Seeds: []uint64{1, 2},
		Arms: []ArmResult{
			{Name: "puct", Base: "quick", Runs: []RunResult{r(1, 2.1), r(2, 2.3)}},
			{Name: "gumbel", Base: "quick",
				Keys: []configs.Change{{Key: "search.root", Old: "puct", New: "gumbel"}}, Elo: &d,
				Runs: []RunResult{r(1, 2), r(2, 2)}},
			{Name: "late", Base: "quick",
				Keys: []configs.Change{{Key: "search.c_puct", Old: "1", New: "2"}},
				Runs: []RunResult{}},
		},
		Pairs: []PairResult{
			{Arm: "gumbel", Against: "puct", Elo: [][]*float64{{at(10), at(40)}, {at(60), nil}},
				Games: 160, Difference: &d},
		},
		Alone: []AloneResult{{Opponent: "uct:simulations=1000", Arms: []AloneArm{
			{Name: "puct", Elo: []*float64{at(-20), at(-60)}, Points: []*float64{at(7), at(8)},
				Games: 80, Mean: &m},
			{Name: "gumbel", Elo: []*float64{at(15), at(35)}, Points: []*float64{at(9), at(9)},
				Games: 80, Mean: &alone, Difference: &ahead},
			{Name: "late", Elo: []*float64{nil, nil}, Points: []*float64{nil, nil}},
		}}},
		Curves: []Curve{
			{Arm: "puct", Figure: history.Rating, Axis: "evaluations", Runs: 2, Points: points},
			{Arm: "gumbel", Figure: history.Rating, Axis: "evaluations", Runs: 1,
				Points: points[:2]},
			{Arm: "gumbel", Figure: "held_out/value", Axis: "evaluations", Runs: 2,
				Points: points[:1]},
		},
		Notes: []string{
			"puct, seed 1: training.iterations=15 ended the run after 80 % of its evaluations",
		},
		Runs: 6, RunsTrained: 4, Matches: 14, MatchesPlayed: 8,
	}}
}

func TestPage(t *testing.T) {
	p := pagetest.Golden(t, Layout, sample())
	svg, err := os.ReadFile(p.Picture(curvesPicture) + ".svg")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		">puct<", ">gumbel<", ">rating during training, against UCT<",
		">network evaluations asked for<",
		">value loss on held-out games above the entropy of targets<",
	} {
		if !strings.Contains(string(svg), want) {
			t.Errorf("the picture has no %s", want)
		}
	}
}

func TestPartsAtEveryByte(t *testing.T) { pagetest.EveryByte(t, Layout, sample()) }

func TestDamagedParts(t *testing.T) {
	pagetest.Damaged(t, Layout, [][3]string{
		{Part, `{`, "unexpected end"},
		{Part, `null`, "version 1"},
		{Part, `{"made":{"version":2}}`, "version 1"},
		{Part, `{"made":{"version":1}}`, "no arms"},
		{Part, `{"made":{"version":1},"arms":[{}],"pairs":[{"elo":[[1]]}]}`,
			"1 networks of 0 seeds"},
	})
}

func FuzzPage(f *testing.F) {
	pagetest.Fuzz(f, Layout, map[string]string{
		Part: `{"made":{"version":1},"arms":[{},{"elo":{"elo":1,"low":0}}],"seeds":[1],"pairs":[{"elo":[[1],[]],"difference":{"low":-1}}],"alone":[{"arms":[{"elo":[null,1],"mean":{}}]}]}`,
	})
}

// TestMerge: a curve of several runs is their mean where all are known.
func TestMerge(t *testing.T) {
	line := func(xys ...float64) (c []history.Point) {
		for i := 0; i < len(xys); i += 2 {
			c = append(c, history.Point{X: xys[i], Y: xys[i+1]})
		}
		return c
	}
	got := merge([][]history.Point{line(0, 0, 10, 10, 20, 0), line(5, 1, 15, 3)})
	want := []CurvePoint{{5, 3, 1, 5}, {10, 6, 2, 10}, {15, 4, 3, 5}}
	if len(got) != len(want) {
		t.Fatal(got)
	}
	for i := range want {
		if math.Abs(got[i].X-want[i].X)+math.Abs(got[i].Mean-want[i].Mean)+
			math.Abs(got[i].Low-want[i].Low)+math.Abs(got[i].High-want[i].High) > 1e-9 {
			t.Errorf("%v, want %v", got[i], want[i])
		}
	}
	for _, c := range [][][]history.Point{nil, {line(0, 1, 1, 1), line(2, 1, 3, 1)}} {
		if got := merge(c); got != nil {
			t.Errorf("%v: %v", c, got)
		}
	}
	if got := merge([][]history.Point{line(3, 7)}); len(got) != 1 ||
		got[0] != (CurvePoint{3, 7, 7, 7}) {
		t.Error(got)
	}
}
