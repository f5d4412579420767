package kernels

import (
	"embed"
	"errors"
	"fmt"

	"tengen/nn"
	"tengen/nn/cuda/driver"
)

//go:embed device.h element.h tower.h tower_mma.h tower_wgmma.h tower.cu layers.cu general.cu heads.cu
var inferenceFiles embed.FS

// Way is a way to compute the trunk.
type Way string

// The ways, the fastest first.
const (
	WGMMA Way = "wgmma" // one kernel, with Hopper's wgmma
	MMA   Way = "mma"   // one kernel, with mma.sync, for every device
	// one launch per layer, by kernels that serve every shape: with wgmma in the blocks, for 9.0
	// and filters in multiples of 64, or with mma.sync
	AnyWGMMA Way = "general-wgmma"
	AnyShape Way = "general"
	Layers   Way = "layers" // one launch per layer, in fp32, for every device and board
)

// Inference is the plan of a network's evaluation on a device: kernels, launches and the offsets
// of weights.
type Inference struct {
	Spec      nn.Spec
	Precision Precision
	Way       Way
	Tower     *Tower   // WGMMA, MMA
	Few       *Tower   // beside Tower, for few positions; nil without one
	Layered   *Layered // Layers, AnyWGMMA, AnyShape
	General   *General // AnyWGMMA, AnyShape
	Heads     *Heads
}

// Ways returns the ways to compute a network in a precision on a device, the fastest first. The
// last is always Layers, which computes in fp32 whatever the precision.
func Ways(spec nn.Spec, p Precision, d *driver.Device) []Way {
	all := []Way{}
	for _, way := range []Way{WGMMA, MMA} {
		if _, err := NewTower(spec, p, way == WGMMA, d); err == nil {
			all = append(all, way)
		}
	}
	for _, way := range []Way{AnyWGMMA, AnyShape} {
		if _, err := NewInference(spec, p, way, d); err == nil {
			all = append(all, way)
		}
	}
	return append(all, Layers)
}

// NewInference plans a network's evaluation in one of its Ways.
func NewInference(spec nn.Spec, p Precision, way Way, d *driver.Device) (*Inference, error) {
	all, err := Candidates(spec, p, way, 1, d)
	if err != nil {
		return nil, err
	}
	return all[0], nil
}

// Candidates returns up to most plans of a way, the fastest by the model first; measurements
// decide which is fastest. Their results are the same to the bit.
func Candidates(
	spec nn.Spec, p Precision, way Way, most int, d *driver.Device,
) ([]*Inference, error) {
	if err := errors.Join(spec.Validate(), p.Validate()); err != nil {
		return nil, err
	}
	var all []*Inference
	switch way {
	case WGMMA, MMA:
		towers, err := Towers(spec, p, way == WGMMA, d)
		if err != nil {
			return nil, err
		}
		for _, t := range towers[:min(most, len(towers))] {
			h, err := NewHeads(spec, p, t.Channels, d)
			if err != nil {
				return nil, err
			}
			r := &Inference{Spec: spec, Precision: p, Way: way, Tower: t, Heads: h}
			if p.Element() == 2 { // what few use is not worth another source to compile
				r.Few = t.Few(d)
			}
			all = append(all, r)
		}
	case Layers, AnyWGMMA, AnyShape:
		l := NewLayered(spec)
		h, err := NewHeads(spec, FP32, l.Channels, d)
		if err != nil {
			return nil, err
		}
		r := &Inference{Spec: spec, Precision: p, Way: way, Layered: l, Heads: h}
		if way != Layers {
			l.element = p.Element()
			if r.General, err = newGeneral(spec, p, way == AnyWGMMA, l, h, d); err != nil {
				return nil, err
			}
		}
		all = append(all, r)
	default:
		return nil,
			fmt.Errorf(
				"inference on a device: unknown way %q; there are wgmma, mma, general-wgmma, general, layers",
				string(way))
	}
	return all, nil
}

// Source returns kernel tower, beside which there are those of HeadsSource, or planes, layer, maps,
// policy and values. Of a General it returns the product with wgmma or else planes and maps; policy
// and values are those of LayeredSource, and each product has a source of its own.
func (r *Inference) Source() driver.Source {
	if r.Way == AnyWGMMA {
		return r.General.Block.Source
	}
	if r.General != nil {
		return r.General.Source()
	}
	if r.Layered != nil {
		return LayeredSource()
	}
	return r.towerSource("inference.cu", r.Tower)
}

// FewSource returns kernel tower of the plan Few.
func (r *Inference) FewSource() driver.Source { return r.towerSource("few.cu", r.Few) }

// towerSource returns the source of a tower.
func (r *Inference) towerSource(name string, t *Tower) driver.Source {
	s := &r.Spec
	src := inferenceSource(name, r.Precision,
		"element.h", "tower.h", "tower_mma.h", "tower_wgmma.h", "tower.cu")
	src.Defines = append(append(src.Defines, fmt.Sprintf("CELLS=%d", s.Cells()),
		fmt.Sprintf("HEIGHT=%d", s.Height), fmt.Sprintf("WIDTH=%d", s.Width),
		fmt.Sprintf("CHANNELS=%d", t.Channels)), t.defines()...)
	if t.WGMMA {
		src.Headers["wgmma.h"] = wgmmaHeader(t.passColumns(), false)
	}
	return src
}

// HeadsSource returns the kernels heads and values beside a tower. They are the same for every
// network.
func HeadsSource(p Precision) driver.Source {
	src := inferenceSource("all_heads.cu", p, "element.h", "heads.cu")
	src.Defines = append(src.Defines, headsDefines(p)...)
	return src
}

// inferenceSource returns a source that is the last of its files, compiled for a precision.
func inferenceSource(name string, p Precision, names ...string) driver.Source {
	src := files{driver.Source{
		Name: name, Text: fmt.Sprintf("#include %q\n", names[len(names)-1]),
		Headers: map[string]string{}, Precise: true, Defines: p.defines(),
	}}
	src.include(append(names, "device.h"))
	return src.Source
}

// LayeredSource returns the kernels planes, layer, maps, policy and values of Layers. They are the
// same for every network.
func LayeredSource() driver.Source {
	src := files{driver.Source{
		Name: "layered.cu", Text: "#include \"layers.cu\"\n", Headers: map[string]string{},
		Precise: true, Defines: []string{"LAYERED=1"},
	}}
	src.include([]string{"device.h", "layers.cu"})
	return src.Source
}

// files is a source with files of inferenceFiles.
type files struct{ driver.Source }

func (f *files) include(names []string) {
	for _, name := range names {
		text, err := inferenceFiles.ReadFile(name)
		if err != nil {
			panic(err) // the files are embedded
		}
		f.Headers[name] = string(text)
	}
}

// Packed holds a network's weights as the kernels read them, to be copied to the device, and the
// offset of each array in Bytes.
type Packed struct {
	Bytes                                                            []byte
	Trunk, Biases, Policy, PolicyDense, Hidden, HiddenBiases, Values int
}

// Pack folds BatchNorm and arranges a network's weights for the kernels.
func (r *Inference) Pack(p *nn.Params) *Packed {
	layers := fold(p)
	w := &packer{precision: r.Heads.Precision}
	if r.General != nil {
		w.precision = r.Precision
	}
	k := &Packed{}
	if t := r.Tower; t != nil {
		for i := range layers {
			steps, stageSteps := t.steps(), t.StageSteps
			if i == 0 {
				steps, stageSteps = t.inputSteps(), t.InputStageSteps
			}
			t.convolution(w, &layers[i], steps, stageSteps)
		}
	} else if r.General != nil {
		r.General.pack(w, layers)
	} else {
		r.Layered.pack(w, layers)
	}
	k.Biases = w.align(256)
	for _, f := range layers {
		for o := range r.Heads.Channels {
			if o < f.out {
				w.float(f.bias[o])
			} else {
				w.float(0)
			}
		}
	}
	k.Policy, k.PolicyDense = r.Heads.packPolicy(w, p)
	k.Hidden, k.HiddenBiases = r.Heads.packHidden(w, p, r.General != nil)
	k.Values = r.Heads.packValues(w, p)
	w.align(256)
	k.Bytes = w.bytes
	return k
}

// TrunkBytes returns the size of a position's trunk.
func (r *Inference) TrunkBytes() int {
	if r.Tower != nil {
		return r.Tower.TrunkBytes()
	}
	return r.Layered.TrunkBytes()
}

// WorkBytes returns the device memory per position between the kernels: the trunk, hidden layers,
// and for Layers planes and a second buffer.
func (r *Inference) WorkBytes() int {
	n := r.TrunkBytes() + r.Heads.HiddenBytes()
	if r.Layered != nil {
		n += r.Layered.TrunkBytes() + r.Layered.PlaneBytes() + r.MapBytes()
	}
	return n
}

// MapBytes returns the size of a position's maps of the policy, for Layers.
func (r *Inference) MapBytes() int { return 4 * r.Heads.Maps * r.Spec.Cells() }

// Round returns the number of positions that a device computes at once; batches of whole rounds
// use it best.
func (r *Inference) Round(d *driver.Device) int {
	if r.Tower != nil {
		return d.SMs * r.Tower.BlocksSM * r.Tower.Positions
	}
	if r.Way == AnyWGMMA {
		b := r.General.Block
		return max(1, d.SMs*b.TileM*b.TileN/b.Layer.Out/r.Spec.Cells())
	}
	return max(1, d.SMs*2*64/r.Spec.Cells())
}

// Describe describes the plan in a line for people.
func (r *Inference) Describe(d *driver.Device) string {
	if r.Few != nil {
		return fmt.Sprintf("%s; few rows: %d positions a block of %d threads",
			r.Tower.Describe(d), r.Few.Positions, r.Few.Threads())
	}
	if r.Tower != nil {
		return r.Tower.Describe(d)
	}
	if r.Way == AnyWGMMA {
		return fmt.Sprintf("%s wgmma, one launch per layer, kernels for every shape; a block's: %s",
			r.Precision, r.General.Block.Cost(2*r.Round(d)*r.Spec.Cells(), r.Precision, d))
	}
	if r.General != nil {
		return fmt.Sprintf("%s, one launch per layer, kernels for every shape", r.Precision)
	}
	return "fp32, one launch per layer"
}
