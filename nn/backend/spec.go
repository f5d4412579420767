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
	CUDA = "cuda" // as Auto, or the devices listed; an error if there are none
)

// Precisions of a device's products; sums are always FP32.
const (
	BF16 = "bf16" // 8 bits of precision
	FP16 = "fp16" // 11 bits, up to 65,504; for inference
	TF32 = "tf32" // 11 bits
	FP32 = "fp32" // 24 bits
)

// Spec is a parsed --device.
type Spec struct {
	Kind     string // Auto, CPU or CUDA
	Ordinals []int  // numbers of CUDA devices, without repetitions; empty: all of a kind
	// Train are the devices that share each training step and play no games, unless they are all;
	// empty: the first trains, and also plays.
	Train []int
	// Inference and Training are the precisions of products; "" leaves the choice to the backend.
	Inference, Training string
}

// Parse parses a spec:
//
//	auto                       the CUDA devices that can be used, of one kind; else the processor
//	cpu                        the processor
//	cuda                       the CUDA devices that can be used, of one kind
//	cuda:1                     the device of that number
//	cuda:0,2, cuda:0-3         several: self-play workers use them in turn, the first trains
//	cuda:0-3,train=3           the device that trains, and is used for nothing else
//	cuda:0-7,train=4-7         several that share each step; numbers that follow are theirs too
//	cuda:0,inference=tf32      the precision of products: bf16, fp16, tf32 or fp32
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
	numbers := &s.Ordinals
	for _, part := range strings.Split(rest, ",") {
		var err error
		if strings.Contains(part, "=") {
			numbers = &s.Ordinals
			if strings.HasPrefix(part, "train=") {
				numbers = &s.Train
			}
			err = s.set(part)
		} else {
			err = addOrdinals(numbers, part)
		}
		if err != nil {
			return Spec{}, fmt.Errorf("device %q: %w", text, err)
		}
	}
	if err := s.checkTrain(); err != nil {
		return Spec{}, fmt.Errorf("device %q: %w", text, err)
	}
	return s, nil
}

// most is the largest number of a device.
const most = 1023

// addOrdinals adds a device, "2", or a range of devices, "0-3", to a list.
func addOrdinals(list *[]int, part string) error {
	first, last, ranged := strings.Cut(part, "-")
	if !ranged {
		last = first
	}
	from, err := strconv.ParseUint(first, 10, 16)
	to, e := strconv.ParseUint(last, 10, 16)
	switch {
	case err != nil || e != nil || from > most || to > most:
		return fmt.Errorf("%q is not the number of a device; 0 is the first, 0-3 the first four",
			part)
	case from > to:
		return fmt.Errorf("%d-%d runs backwards; %d-%d is wanted", from, to, to, from)
	}
	for n := int(from); n <= int(to); n++ {
		if slices.Contains(*list, n) {
			return fmt.Errorf("device %d is named twice", n)
		}
		*list = append(*list, n)
	}
	return nil
}

// set sets what follows the devices, "training=fp32".
func (s *Spec) set(part string) error {
	key, value, _ := strings.Cut(part, "=")
	keys := []string{"inference", "training", "train"}
	if !slices.Contains(keys, key) {
		return fmt.Errorf("no setting is called %q%s; there are %s", key,
			notation.DidYouMean(key, keys), strings.Join(keys, ", "))
	}
	n, err := strconv.ParseUint(value, 10, 16)
	precisions, wanted := []string{BF16, TF32, FP32}, "bf16, tf32 or fp32 is wanted"
	if key == "inference" {
		precisions, wanted = append(precisions, FP16), "bf16, fp16, tf32 or fp32 is wanted"
	}
	number, precision := err == nil && n <= most, slices.Contains(precisions, value)
	switch {
	case key == "train" && value != "" && strings.Trim(value, "0123456789-") == "":
		return addOrdinals(&s.Train, value)
	case key == "train" && precision:
		return fmt.Errorf("train=%s; numbers of devices are wanted (did you mean training=%s?)",
			value, value)
	case key == "train":
		return fmt.Errorf("train=%s; numbers of devices are wanted, as in cuda:0-3,train=2-3", value)
	case !precision && number && key == "training":
		return fmt.Errorf("training=%s; %s (did you mean train=%s?)", value, wanted, value)
	case !precision:
		return fmt.Errorf("%s=%s; %s", key, value, wanted)
	case key == "inference":
		s.Inference = value
	default:
		s.Training = value
	}
	return nil
}

// checkTrain returns an error if a device that trains is not one of several that are listed.
func (s *Spec) checkTrain() error {
	if len(s.Train) == 0 || len(s.Ordinals) == 0 {
		return nil
	}
	with := Spec{Kind: CUDA, Ordinals: slices.Clone(s.Ordinals), Train: s.Train}
	for _, n := range s.Train {
		if !slices.Contains(with.Ordinals, n) {
			with.Ordinals = append(with.Ordinals, n)
		}
	}
	switch {
	case len(with.Ordinals) > len(s.Ordinals):
		return fmt.Errorf("the device that trains is not among the others; %s is wanted", with)
	case len(s.Ordinals) == 1:
		return fmt.Errorf("no device is left to play; cuda:%d uses the device for both", s.Train[0])
	}
	return nil
}

// List writes numbers of devices as Parse reads them: "0-3,5".
func List(ordinals []int) string {
	var parts []string
	for i := 0; i < len(ordinals); {
		k := i + 1
		for k < len(ordinals) && ordinals[k] == ordinals[k-1]+1 {
			k++
		}
		part := strconv.Itoa(ordinals[i])
		if k-i > 2 {
			part += "-" + strconv.Itoa(ordinals[k-1])
			i = k
		} else {
			i++
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, ",")
}

// String returns the spec in the form that Parse reads.
func (s Spec) String() string {
	var parts []string
	if len(s.Ordinals) > 0 {
		parts = append(parts, List(s.Ordinals))
	}
	if len(s.Train) > 0 {
		parts = append(parts, "train="+List(s.Train))
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
