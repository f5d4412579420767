package main

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"tengen/nn"
	"tengen/nn/kernels/gen/internal/asm"
	"tengen/nn/nntest"
)

// loops are how often the loops of a function run, by their labels without numbers.
type loops map[string]float64

var (
	function = regexp.MustCompile(`^TEXT ·(\w+)\(SB\)`)
	added    = regexp.MustCompile(`^(ADD|SUB) \$(\d+), R\d+`)
)

// functions returns the lines of each function of an assembly file.
func functions(assembly string) map[string][]string {
	list := map[string][]string{}
	name := ""
	for line := range strings.SplitSeq(assembly, "\n") {
		if m := function.FindStringSubmatch(line); m != nil {
			name = m[1]
		} else if name != "" && line != "" && !strings.HasPrefix(line, "//") {
			list[name] = append(list[name], line)
		}
	}
	return list
}

// count returns the number of instructions that a function executes. A loop is what stands between
// a label and a jump back to it; other jumps are not taken.
func count(t *testing.T, lines []string, l loops) float64 {
	t.Helper()
	if len(lines) == 0 {
		t.Fatal("there is no such function")
	}
	start := map[string]int{}
	weights := make([]float64, len(lines))
	for i, line := range lines {
		if label, ok := strings.CutSuffix(line, ":"); ok {
			start[label] = i
			continue
		}
		weights[i] = cost(strings.TrimSpace(line))
		at, ok := start[line[strings.LastIndex(line, " ")+1:]]
		if !ok {
			continue
		}
		label := strings.TrimRight(line[strings.LastIndex(line, " ")+1:], "0123456789_")
		n, ok := l[label]
		if !ok {
			t.Fatalf("a loop %q", label)
		}
		for j := at; j <= i; j++ {
			weights[j] *= n
		}
	}
	sum := 0.0
	for _, w := range weights {
		sum += w
	}
	return sum
}

// cost returns the number of instructions that the assembler makes of a line.
func cost(line string) float64 {
	if strings.HasPrefix(line, "PCALIGN") {
		return 0
	}
	if strings.HasPrefix(line, "VMOVQ $") { // two for the address of the literal
		return 3
	}
	if m := added.FindStringSubmatch(line); m != nil {
		if n, err := strconv.Atoi(m[2]); err != nil || n >= 4096 && n%4096 != 0 {
			return 2
		}
	}
	return 1
}

// trunk returns the instructions a position of a network's convolutions in a full batch: two groups
// of 16 positions.
func trunk(
	t *testing.T, f map[string][]string, target *asm.Target, spec nn.Spec,
) (transforms, products float64) {
	const groups, rows = 2, 16
	i := slices.IndexFunc(boards, func(b board) bool {
		return b.height >= spec.Height && b.width >= spec.Width
	})
	height, width := boards[i].height, boards[i].width
	d := fourierOf(height, width)
	blocks := func(channels int) float64 { return float64((channels + 15) / 16) }
	transform := func(name string) float64 {
		return groups * count(t, f[kernelName(name, height, width)+target.Name], loops{
			"round": rows, "half": 2, "part": 4,
		})
	}
	layer := func(in, out int, name string) {
		transforms += blocks(in)*transform("input") + blocks(out)*transform(name)
		products += blocks(out) * count(t, f[fmt.Sprintf("product%d%s", rows, target.Name)], loops{
			"outer": float64(d.Products), "inner": groups, "term": blocks(in),
		})
	}
	layer(spec.Planes, spec.Filters, "output")
	for range spec.Blocks {
		layer(spec.Filters, spec.Filters, "output")
		layer(spec.Filters, spec.Filters, "outputResidual")
	}
	return transforms / (groups * rows), products / (groups * rows)
}

// TestInstructions compares what NEON and AVX2 execute for a position of each preset's network. A
// register of NEON holds half as much, so that two of its instructions count as one.
func TestInstructions(t *testing.T) {
	files := inference()
	neon := functions(string(files["inference_neon_arm64.s"]))
	avx2 := functions(string(files["inference_avx2_amd64.s"]))
	presets := nntest.Presets()
	for _, name := range slices.Sorted(maps.Keys(presets)) {
		spec := presets[name]
		a, b := trunk(t, neon, asm.NEON, spec)
		c, d := trunk(t, avx2, asm.AVX2, spec)
		weight := float64(asm.NEON.Lanes) / float64(asm.AVX2.Lanes)
		t.Logf("%-18s NEON %9.0f, AVX2 %9.0f: %.2f ×, by width %.2f × (transforms %.2f, products %.2f)", name, a+b, c+d, (a+b)/(c+d),
			weight*(a+b)/(c+d), weight*a/c, weight*b/d)
		if r := weight * (a + b) / (c + d); r > 1.3 {
			t.Errorf("%s: %.2f × the instructions of AVX2 by width, want at most 1.3", name, r)
		}
	}
}

// TestCountByHand counts a small function.
func TestCountByHand(t *testing.T) {
	f := functions("TEXT ·x(SB), NOSPLIT, $0-8\n\tMOVD n+0(FP), R0\nouter:\n\tCBZ R3, done0\n\tMOVD $4, R1\nterm0:\n\tADD $4097, R2\n\tSUBS $1, R1\n\tBNE term0\n\tBNE outer\ndone0:\n\tRET\n")
	if got := count(t, f["x"], loops{"outer": 3, "term": 5}); got != 2+3*(3+5*4) {
		t.Errorf("%g instructions, want %d", got, 2+3*(3+5*4))
	}
}
