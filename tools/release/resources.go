package main

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"tengen/nn"
	"tengen/nn/backend/cudabackend"
	"tengen/nn/cuda/driver"
	"tengen/nn/cuda/kernels"
	"tengen/nn/nntest"
)

// The files of the commands kernels and resources.
const (
	kernelsFile   = "nn/backend/cudabackend/kernels.zip"
	resourcesFile = "docs/results/gpu/kernels.txt"
)

// devices are the properties of devices on which plans depend, by capability.
var devices = map[int]driver.Device{
	75:  {SharedBlock: 64 << 10, SharedSM: 64 << 10, ThreadsSM: 1024},
	80:  {SharedBlock: 163 << 10, SharedSM: 164 << 10, ThreadsSM: 2048},
	86:  {SharedBlock: 99 << 10, SharedSM: 100 << 10, ThreadsSM: 1536},
	90:  {SharedBlock: 227 << 10, SharedSM: 228 << 10, ThreadsSM: 2048},
	100: {SharedBlock: 227 << 10, SharedSM: 228 << 10, ThreadsSM: 2048},
	120: {SharedBlock: 99 << 10, SharedSM: 100 << 10, ThreadsSM: 1536},
}

// deviceOf returns the device of a capability.
func deviceOf(capability int) driver.Device {
	d := devices[capability]
	d.Major, d.Minor, d.Registers = capability/10, capability%10, 65536
	return d
}

// inferencePlan is the plan of a preset's inference.
type inferencePlan struct {
	preset string
	*kernels.Inference
}

// inferencePlans returns the plans of the presets' inference for a device.
func inferencePlans(capability int, wgmma bool) ([]inferencePlan, error) {
	all := nntest.Presets()
	all["auto's probe"] = cudabackend.Common()[0]
	var list []inferencePlan
	for _, name := range slices.Sorted(maps.Keys(all)) {
		plan, err := towerPlan(all[name], capability, wgmma)
		if err != nil {
			return nil, err
		}
		if plan != nil {
			list = append(list, inferencePlan{name, plan})
		}
	}
	return list, nil
}

// towerPlan returns the plan of a network's inference with a tower: the fastest by the model, with
// wgmma only where that is permitted. It is nil where no tower has room for the network.
func towerPlan(spec nn.Spec, capability int, wgmma bool) (*kernels.Inference, error) {
	d, p := deviceOf(capability), inferencePrecision(capability)
	for _, way := range []kernels.Way{kernels.WGMMA, kernels.MMA} {
		if way == kernels.WGMMA && !wgmma {
			continue
		}
		if _, err := kernels.NewTower(spec, p, way == kernels.WGMMA, &d); err == nil {
			return kernels.NewInference(spec, p, way, &d)
		}
	}
	return nil, nil
}

// inferencePrecision is that of inference by default.
func inferencePrecision(capability int) kernels.Precision {
	if capability < kernels.BF16.Least() {
		return kernels.FP16
	}
	return kernels.BF16
}

// tabled are the capabilities in the table of resources.
var tabled = []int{75, 80, 86, 90}

// mostBlocks are the most blocks that a multiprocessor runs, by capability.
var mostBlocks = map[int]int{75: 16, 80: 32, 86: 16, 90: 32}

// launch is a source whose kernels are launched, some with grids that are not 256 threads without
// dynamic shared memory.
type launch struct {
	of     string // what it computes
	source driver.Source
	grids  map[string]driver.Grid // by kernel
	blocks int                    // of a tower on a multiprocessor, as planned
	ahead  bool                   // only where it is compiled ahead: otherwise other kernels serve
}

// trained are the networks whose training is in the table, with their batches.
var trained = []struct{ blocks, filters, size, batch int }{
	{8, 128, 5, 4096}, {10, 128, 9, 1024}, {20, 256, 9, 256}, {20, 256, 19, 256},
}

// trainingLaunches returns the launches of training in bf16 and tf32, in fp32 where these are not.
func trainingLaunches(capability int) ([]launch, error) {
	d := deviceOf(capability)
	var list []launch
	precisions := []kernels.Precision{kernels.BF16, kernels.TF32}
	if precisions[0].On(&d) != nil {
		precisions = []kernels.Precision{kernels.FP32}
	}
	for _, p := range precisions {
		for _, name := range []string{
			kernels.TrainNorm, kernels.TrainHeads, kernels.TrainUpdate, kernels.TrainCheck,
		} {
			list = append(list, launch{of: fmt.Sprintf("training in %s", p),
				source: kernels.TrainingSource(name, p)})
		}
		for _, n := range trained {
			cells := n.size * n.size
			conv := kernels.Layer{
				Taps: 9, Height: n.size, Width: n.size, In: n.filters, Out: n.filters,
			}
			stem, dense := conv, kernels.Layer{
				Taps: 1, Height: 1, Width: 1, In: cells * n.filters, Out: 128,
			}
			stem.In = 16
			for _, l := range []struct {
				of       string
				layer    kernels.Layer
				rows     int
				backward bool
			}{
				{"stem", stem, n.batch * cells, false}, {"blocks", conv, n.batch * cells, false},
				{"dense", dense, n.batch, true},
			} {
				of := fmt.Sprintf("training in %s, %d×%d %d×%d: %s", p, n.blocks, n.filters, n.size,
					n.size, l.of)
				product := func(of string, layer kernels.Layer) error {
					r, err := kernels.NewProduct(layer, l.rows, p, &d)
					if err != nil {
						return err
					}
					list = append(list, productLaunch(of, r, l.rows))
					if r = r.AsWGMMA(p, &d); r != nil {
						list = append(list, productLaunch(of+" with wgmma", r, l.rows))
					}
					return nil
				}
				if err := product(of, l.layer); err != nil {
					return nil, err
				}
				if l.backward { // the blocks' is that of forward
					if err := product(of+" back", l.layer.Backward()); err != nil {
						return nil, err
					}
				}
				g, err := kernels.NewGradient(l.layer, l.rows, p, &d)
				if err != nil {
					return nil, err
				}
				list = append(list, launch{of: of, source: g.Source,
					grids: map[string]driver.Grid{"gradient": g.Grid()}})
				if g = kernels.NewWGMMAGradient(l.layer, l.rows, p, &d); g != nil {
					list = append(list, launch{of: of + " with wgmma", source: g.Source,
						grids: map[string]driver.Grid{"gradient": g.Grid()}})
				}
			}
		}
	}
	return list, nil
}

// productLaunch is the launch of a layer's product of so many positions.
func productLaunch(of string, p *kernels.Product, positions int) launch {
	return launch{of: of, source: p.Source,
		grids: map[string]driver.Grid{"product": p.Grid(positions)}}
}

// table is the table of resources.
type table struct {
	launches map[int][]launch  // by capability
	keys     map[string]string // of the sources, by launch.name: on all devices together
	rows     []*row
}

// newTable returns a table without rows of launches by capability.
func newTable(launches map[int][]launch) *table {
	t := &table{launches, map[string]string{}, nil}
	for _, c := range tabled {
		for _, l := range launches[c] {
			t.keys[l.name()] += fmt.Sprint(c, l.source.Key())
		}
	}
	for name, keys := range t.keys {
		t.keys[name] = fmt.Sprintf("%x", sha256.Sum256([]byte(keys)))[:12]
	}
	return t
}

// name is the name of a launch, which several devices have.
func (l *launch) name() string { return l.of + " " + l.source.Name }

// row is a kernel on the devices on which its blocks have so many threads.
type row struct {
	key, kernel string
	threads     int
	of          string
	cells       map[int]cell // by capability
}

// cell is what a kernel takes on a device.
type cell struct {
	driver.FunctionInfo
	dynamic int // shared memory of a launch, bytes
	blocks  int // on a multiprocessor
}

// inferenceLaunches returns the launches of the presets' inference, and of the blocks of networks
// that no tower holds. Of those with the same source there is one.
func inferenceLaunches(capability int) ([]launch, error) {
	plans, err := inferencePlans(capability, true)
	var list []launch
	done := map[string]bool{}
	add := func(l launch) {
		if key := l.source.Key(); !done[key] {
			done[key] = true
			list = append(list, l)
		}
	}
	for i, p := range plans {
		if i == 0 {
			add(launch{of: "heads of towers", source: kernels.HeadsSource(p.Precision),
				grids: map[string]driver.Grid{
					"heads": p.Heads.Grid(1, 1), "values": p.Heads.ValuesGrid(1),
				}, ahead: true})
		}
		add(launch{"inference of " + p.preset, p.Source(),
			map[string]driver.Grid{"tower": p.Tower.Grid(1)}, p.Tower.BlocksSM, true})
		if p.Few != nil {
			add(launch{"few rows of " + p.preset, p.FewSource(),
				map[string]driver.Grid{"tower": p.Few.Grid(1)}, p.Few.BlocksSM, true})
		}
	}
	d := deviceOf(capability)
	for _, n := range trained {
		spec := nn.Spec{
			Planes: 4, Height: n.size, Width: n.size, Players: 2, Actions: n.size*n.size + 1,
			Blocks: n.blocks, Filters: n.filters, Policy: nn.PolicyConvPass,
			Value: nn.ValueLinear, Hidden: 64,
		}
		p := inferencePrecision(capability)
		plan, e := kernels.NewInference(spec, p, kernels.Ways(spec, p, &d)[0], &d)
		if e != nil {
			return nil, e
		}
		if g := plan.General; g != nil {
			of := fmt.Sprintf("inference in %s, %d×%d %d×%d: blocks", p, n.blocks, n.filters,
				n.size, n.size)
			add(productLaunch(of, g.Block, 1<<20))
			if g.Wide != nil {
				add(productLaunch(of+", full batches", g.Wide, 1<<20))
			}
		}
	}
	return list, err
}

// fill adds the rows of all launches. read returns what a source's kernels take on a device;
// nothing where there is no image.
func (t *table) fill(
	read func(capability int, l *launch) (map[string]driver.FunctionInfo, error),
) error {
	for _, c := range tabled {
		for _, l := range t.launches[c] {
			all, err := read(c, &l)
			if err != nil {
				return fmt.Errorf("%s on %d: %w", l.of, c, err)
			}
			for _, name := range slices.Sorted(maps.Keys(all)) {
				t.add(c, &l, name, all[name])
			}
		}
	}
	order := map[string]int{} // as they came first
	for i, r := range t.rows {
		if _, ok := order[r.of]; !ok {
			order[r.of] = i
		}
	}
	slices.SortStableFunc(t.rows, func(a, b *row) int {
		return cmp.Or(order[a.of]-order[b.of], strings.Compare(a.kernel, b.kernel))
	})
	return nil
}

// add adds a kernel.
func (t *table) add(capability int, l *launch, kernel string, f driver.FunctionInfo) {
	threads, dynamic := l.grid(kernel)
	r := row{t.keys[l.name()], kernel, threads, l.of, nil}
	i := slices.IndexFunc(t.rows, func(x *row) bool {
		return x.of == r.of && x.key == r.key && x.kernel == kernel && x.threads == threads
	})
	if i < 0 {
		i, r.cells = len(t.rows), map[int]cell{}
		t.rows = append(t.rows, &r)
	}
	d := deviceOf(capability)
	t.rows[i].cells[capability] = cell{f, dynamic, blocksOf(&d, f, threads, dynamic)}
}

// grid returns the threads of a kernel's blocks, and their dynamic shared memory.
func (l *launch) grid(kernel string) (threads, dynamic int) {
	if g, ok := l.grids[kernel]; ok {
		return g.Threads[0], g.Shared
	}
	return 256, 0
}

// blocksOf returns the number of a kernel's blocks that a multiprocessor runs at once: registers
// are given to warps 256 at a time, in each quarter of the multiprocessor; shared memory in units
// of 128 bytes, with one KB of the system's for each block.
func blocksOf(d *driver.Device, f driver.FunctionInfo, threads, dynamic int) int {
	warps := (threads + 31) / 32
	blocks := min(mostBlocks[d.Capability()], d.ThreadsSM/(32*warps))
	if f.Registers > 0 {
		each := (32*f.Registers + 255) / 256 * 256
		blocks = min(blocks, d.Registers/4/each*4/warps)
	}
	shared := (f.Shared + dynamic + 1024 + 127) / 128 * 128
	return min(blocks, d.SharedSM/shared)
}

// bounded are the blocks on a multiprocessor that KERNEL_BOUNDS asks for.
var bounded = regexp.MustCompile(`KERNEL_BOUNDS\((\w+), [^,]*, (\w+)\)`)

// bounds returns them for a kernel of a source, 1 without.
func bounds(s *driver.Source, kernel string) int {
	texts := append([]string{s.Text}, slices.Collect(maps.Values(s.Headers))...)
	for _, text := range texts {
		for _, m := range bounded.FindAllStringSubmatch(text, -1) {
			if m[1] != kernel || slices.Contains(s.Defines, "PLAIN=1") {
				continue
			}
			number := m[2]
			for _, define := range s.Defines {
				if name, value, _ := strings.Cut(define, "="); name == number {
					number = value
				}
			}
			if n, err := strconv.Atoi(number); err == nil {
				return n
			}
		}
	}
	return 1
}

// head is what the table begins with.
const head = `What the kernels take, made by go run -tags gpu ./tools/release resources. Under each compute
capability: registers a thread / bytes a thread in local memory, spilled registers above all /
bytes of static shared memory / of dynamic / blocks that a multiprocessor runs at once; - for none.

`

// A cell, and one of a device on which a kernel is not launched.
const (
	cellForm = "%d/%d/%d/%d/%d"
	none     = "-"
)

func (t *table) String() string {
	var b strings.Builder
	b.WriteString(head)
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprint(w, "source\tkernel\tthreads")
	for _, c := range tabled {
		fmt.Fprintf(w, "\t%d.%d", c/10, c%10)
	}
	fmt.Fprint(w, "\tof\n")
	for _, r := range t.rows {
		fmt.Fprintf(w, "%s\t%s\t%d", r.key, r.kernel, r.threads)
		for _, c := range tabled {
			text := none
			if x, ok := r.cells[c]; ok {
				text = fmt.Sprintf(cellForm, x.Registers, x.Local, x.Shared, x.dynamic, x.blocks)
			}
			fmt.Fprint(w, "\t"+text)
		}
		fmt.Fprintf(w, "\t%s\n", r.of)
	}
	w.Flush()
	return b.String()
}

// parse reads what String writes.
func parse(text string) (*table, error) {
	t := &table{}
	body, ok := strings.CutPrefix(text, head)
	if !ok {
		return nil, errors.New("it begins otherwise")
	}
	_, body, _ = strings.Cut(body, "\n")
	for line := range strings.Lines(body) {
		words := strings.Fields(line)
		if len(words) < 4+len(tabled) {
			return nil, fmt.Errorf("%q has too few words", line)
		}
		r := &row{key: words[0], kernel: words[1], cells: map[int]cell{},
			of: strings.Join(words[3+len(tabled):], " ")}
		if _, err := fmt.Sscan(words[2], &r.threads); err != nil {
			return nil, fmt.Errorf("%q: %w", line, err)
		}
		for k, c := range tabled {
			var x cell
			if words[3+k] == none {
				continue
			}
			if _, err := fmt.Sscanf(words[3+k], cellForm, &x.Registers, &x.Local, &x.Shared,
				&x.dynamic, &x.blocks); err != nil {
				return nil, fmt.Errorf("%q: %w", line, err)
			}
			r.cells[c] = x
		}
		t.rows = append(t.rows, r)
	}
	return t, nil
}

// wrong returns a line for each kernel that spills, or of which fewer blocks run on a
// multiprocessor than its plan says or KERNEL_BOUNDS asks for, where shared memory permits them.
func (t *table) wrong() (list []string) {
	for _, c := range tabled {
		d := deviceOf(c)
		for _, l := range t.launches[c] {
			for _, r := range t.rows {
				x, ok := r.cells[c]
				threads, _ := l.grid(r.kernel)
				if !ok || r.of != l.of || r.key != t.keys[l.name()] || r.threads != threads {
					continue
				}
				wanted := min(bounds(&l.source, r.kernel), blocksOf(&d,
					driver.FunctionInfo{Shared: x.Shared}, threads, x.dynamic))
				if r.kernel == "tower" {
					wanted = l.blocks
				}
				if x.Local > 0 || x.blocks < wanted {
					list = append(list, fmt.Sprintf("%s, %s, on %d.%d: %d bytes in local memory, wanted are 0; %d blocks run on a multiprocessor, wanted are %d",
						r.of, r.kernel, c/10, c%10, x.Local, x.blocks, wanted))
				}
			}
		}
	}
	return list
}
