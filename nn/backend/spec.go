package backend

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"tengen/internal/notation"
)

// Kinds of backends.
const (
	Auto = "auto" // all CUDA devices of the first usable one's kind, else the processor
	CPU  = "cpu"
	CUDA = "cuda"
)

// Precisions of a device's products; sums are always FP32.
const (
	BF16 = "bf16" // 8 bits of precision
	TF32 = "tf32" // 11 bits
	FP32 = "fp32" // 24 bits
)

// Spec is a parsed --device.
type Spec struct {
	Kind     string // Auto, CPU or CUDA
	Ordinals []int  // numbers of CUDA devices, without repetitions; empty: the first device
	// Inference and Training are the precisions of products; "" leaves the choice to the backend.
	Inference, Training string
}

// Parse parses a spec:
//
//	auto                       the CUDA devices that can be used, of one kind; else the processor
//	cpu                        the processor
//	cuda                       the first CUDA device
//	cuda:1                     the device of that number
//	cuda:0,1                   several: self-play workers use them in turn, the first trains
//	cuda:0,inference=tf32      the precision of products: bf16, tf32 or fp32
//	cuda:0,training=fp32
func Parse(text string) (Spec, error) {
	kind, rest, given := strings.Cut(text, ":")
	s := Spec{Kind: kind}
	kinds := []string{Auto, CPU, CUDA}
	switch {
	case !slices.Contains(kinds, kind):
		near := notation.DidYouMean(kind, kinds)
		if _, err := strconv.Atoi(kind); err == nil {
			near = fmt.Sprintf(" (did you mean %q?)", CUDA+":"+kind)
		} else if lower := strings.ToLower(kind); strings.HasPrefix(lower, "gpu") ||
			lower == "nvidia" {
			near = fmt.Sprintf(" (did you mean %q?)", CUDA)
		}
		return Spec{}, fmt.Errorf("device %q%s; auto, cpu, cuda or cuda:N is wanted", text, near)
	case given && kind != CUDA:
		return Spec{},
			fmt.Errorf("device %q: %s takes nothing after a colon; cuda does, as in cuda:0,1",
				text, kind)
	case !given:
		return s, nil
	}
	for _, part := range strings.Split(rest, ",") {
		key, value, named := strings.Cut(part, "=")
		if named {
			if !slices.Contains([]string{BF16, TF32, FP32}, value) {
				return Spec{}, fmt.Errorf("device %q: %s=%s; bf16, tf32 or fp32 is wanted",
					text, key, value)
			}
			switch key {
			case "inference":
				s.Inference = value
			case "training":
				s.Training = value
			default:
				return Spec{},
					fmt.Errorf(
						"device %q: no setting is called %q%s; there are inference, training",
						text, key, notation.DidYouMean(key, []string{"inference", "training"}))
			}
			continue
		}
		n, err := strconv.Atoi(part)
		if err != nil || n < 0 || n > 1023 {
			return Spec{},
				fmt.Errorf("device %q: %q is not the number of a device; 0 is the first",
					text, part)
		}
		if slices.Contains(s.Ordinals, n) {
			return Spec{}, fmt.Errorf("device %q: device %d is named twice", text, n)
		}
		s.Ordinals = append(s.Ordinals, n)
	}
	return s, nil
}

// String returns the spec in the form that Parse reads.
func (s Spec) String() string {
	var parts []string
	for _, n := range s.Ordinals {
		parts = append(parts, strconv.Itoa(n))
	}
	if s.Inference != "" {
		parts = append(parts, "inference="+s.Inference)
	}
	if s.Training != "" {
		parts = append(parts, "training="+s.Training)
	}
	if len(parts) == 0 {
		return s.Kind
	}
	return s.Kind + ":" + strings.Join(parts, ",")
}
