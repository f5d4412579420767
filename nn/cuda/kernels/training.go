package kernels

import (
	"embed"
	"fmt"
	"sync"

	"tengen/nn/cuda/driver"
)

//go:embed device.h train_element.h train_moments.h train_wgmma.h train_*.cu
var trainingFiles embed.FS

// Names of files, for TrainingSource, whose kernels need no shape at compile time.
const (
	TrainNorm   = "train_norm.cu"
	TrainHeads  = "train_heads.cu"
	TrainUpdate = "train_update.cu"
	TrainCheck  = "train_check.cu"
)

// TrainingSource returns one of those files, to be compiled for a precision.
func TrainingSource(name string, p Precision) driver.Source {
	return trainingSource(name, p, nil)
}

func trainingSource(name string, p Precision, defines []string) driver.Source {
	headers := map[string]string{}
	for _, h := range []string{"device.h", "train_element.h"} {
		headers[h] = trainingText(h)
	}
	if name == "train_product.cu" {
		headers["train_moments.h"] = trainingText("train_moments.h")
	}
	return driver.Source{
		Name: name, Text: trainingText(name), Headers: headers, Precise: true,
		Defines: append([]string{trainingDefine(p)}, defines...),
	}
}

// generalSource returns a file that is compiled for every layer of a number of taps.
func generalSource(name string, p Precision, taps int, defines ...string) driver.Source {
	return trainingSource(name, p,
		append([]string{"GENERAL=1", fmt.Sprintf("TAPS=%d", taps)}, defines...))
}

// GeneralSources returns all sources with which networks of every shape can be trained: those of
// TrainingSource, and of the general products and gradients.
func GeneralSources(p Precision) []driver.Source {
	var list []driver.Source
	for _, name := range []string{TrainNorm, TrainHeads, TrainUpdate, TrainCheck} {
		list = append(list, TrainingSource(name, p))
	}
	for _, taps := range []int{1, 9} {
		list = append(list, generalSource("train_product.cu", p, taps, "PLAIN=1"),
			generalSource("train_gradient.cu", p, taps, "PLAIN=1"))
		if p != FP32 {
			for _, chunk := range generalChunks(p) {
				for _, tile := range generalTiles {
					list = append(list, generalProduct(p, taps, tile, chunk))
				}
			}
			list = append(list, generalGradient(p, taps))
		}
	}
	return list
}

// trainingDefine returns the macro of a precision (train_element.h); that of FP16 is for inference.
func trainingDefine(p Precision) string {
	return map[Precision]string{
		FP32: "PRECISION_FP32", TF32: "PRECISION_TF32", BF16: "PRECISION_BF16",
		FP16: "PRECISION_FP16",
	}[p]
}

func trainingText(name string) string {
	text, ok := trainingTexts()[name]
	if !ok {
		panic("kernels: there is no source " + name)
	}
	return text
}

// trainingTexts returns the files by name, read once.
var trainingTexts = sync.OnceValue(func() map[string]string {
	texts := map[string]string{}
	entries, err := trainingFiles.ReadDir(".")
	for _, e := range entries {
		var text []byte
		if text, err = trainingFiles.ReadFile(e.Name()); err != nil {
			break
		}
		texts[e.Name()] = string(text)
	}
	if err != nil {
		panic(err) // the files are embedded
	}
	return texts
})

// Channels rounds a number of channels up to a multiple of 16, as training's kernels require. The
// added channels are zero and stay zero.
func Channels(n int) int { return (n + 15) / 16 * 16 }

// Sizes of blocks in BatchNorm's kernels: positions in norm_moments and norm_gate, and in products
// that do their work; channels in norm_join and sum_parts.
const (
	NormStretch   = 128
	MomentStretch = 64
	NormJoined    = 4
)

// What sums are made of: sums of parts that one launch of sum_parts adds, and numbers of a block of
// it; sums over rows of one launch of outer_parts.
const (
	SumsAtOnce   = 6
	Summed       = 128
	OutersAtOnce = 5
)

// Layer is the layer for which a product or its gradient is compiled: a 3×3 convolution over
// boards (9 taps), or a dense layer (1 tap, a board of 1 × 1), which the former is where a board is
// one cell. In and Out are multiples of 16.
type Layer struct {
	Taps, Height, Width, In, Out int
}

// Backward returns the layer whose product gives the gradient of this one's input.
func (l Layer) Backward() Layer {
	l.In, l.Out = l.Out, l.In
	return l
}

// Weights returns the number of its weights.
func (l Layer) Weights() int { return l.Taps * l.In * l.Out }

func (l Layer) defines(more ...string) []string {
	return append([]string{
		fmt.Sprintf("TAPS=%d", l.Taps), fmt.Sprintf("HEIGHT=%d", l.Height),
		fmt.Sprintf("WIDTH=%d", l.Width),
		fmt.Sprintf("IN=%d", l.In), fmt.Sprintf("OUT=%d", l.Out),
	}, more...)
}

// shape adds the layer's shape to the arguments of a general kernel.
func (l Layer) shape(args *driver.Args) {
	args.Int32(int32(l.Height)).Int32(int32(l.Width)).Int32(int32(l.In)).Int32(int32(l.Out))
}

func (l Layer) validate() error {
	if l.Taps != 1 && l.Taps != 9 || l.Height < 1 || l.Width < 1 || l.In < 16 || l.Out < 16 ||
		l.In%16 != 0 || l.Out%16 != 0 {
		return fmt.Errorf(
			"training kernels: invalid layer of %d taps on %d × %d with %d to %d channels",
			l.Taps, l.Height, l.Width, l.In, l.Out)
	}
	return nil
}

// divisor returns the greatest multiple of unit up to most that divides n, which is a multiple of
// unit.
func divisor(n, unit, most int) int {
	for d := min(most, n) / unit * unit; d > unit; d -= unit {
		if n%d == 0 {
			return d
		}
	}
	return unit
}

// ceil returns ⌈a/b⌉.
func ceil(a, b int) int { return (a + b - 1) / b }
