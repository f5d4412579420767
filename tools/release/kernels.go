//go:build gpu && linux

package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"

	"tengen/nn/backend/cudabackend"
	"tengen/nn/cuda/driver"
	"tengen/nn/cuda/kernels"
	"tengen/nn/nntest"
)

func init() {
	commands = map[string]func([]string) error{"kernels": kernelsAhead, "resources": resources}
}

// targets are those for which the kernels of common networks are compiled ahead: machine code of
// devices of a capability, or PTX for those and later ones. Devices 8.9 load the code of 8.6, which
// is the same.
var targets = []struct {
	architecture string
	capability   int
}{
	{"sm_75", 75}, {"sm_80", 80}, {"sm_86", 86}, {wgmmaTarget, 90}, {"compute_80", 90},
	{"compute_80", 100}, {"compute_80", 120},
}

// wgmmaTarget is the one that only NVRTC 12 and later know.
const wgmmaTarget = "sm_90"

// image is an image that the file is to hold.
type image struct {
	source       driver.Source
	architecture string
}

// kernelsAhead writes the file of kernels compiled ahead.
func kernelsAhead(args []string) error {
	flags := flag.NewFlagSet("kernels", flag.ContinueOnError)
	nvrtc := flags.String("nvrtc", "",
		"the compiler's library; otherwise it is looked for as by tengen")
	out := flags.String("out", kernelsFile, "the file to write")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *nvrtc != "" {
		if err := os.Setenv("TENGEN_NVRTC", *nvrtc); err != nil {
			return err
		}
	}
	version, err := driver.CompilerVersion()
	if err != nil {
		return err
	}
	have := map[string][]byte{}
	for _, name := range append([]string{*out}, flags.Args()...) {
		data, err := os.ReadFile(name)
		if name == *out && errors.Is(err, fs.ErrNotExist) {
			continue
		}
		var images map[string][]byte
		if err == nil {
			images, err = driver.ReadAhead(data)
		}
		if err != nil {
			return err
		}
		maps.Copy(have, images)
	}
	wanted, err := imagesAhead()
	if err != nil {
		return err
	}
	images, left := map[string][]byte{}, 0
	for _, name := range slices.Sorted(maps.Keys(wanted)) {
		w, data := wanted[name], have[name]
		if data == nil && (w.architecture == wgmmaTarget) != (version >= 12000) {
			left++
			continue
		}
		if data == nil {
			if data, err = compile(w); err != nil {
				return err
			}
		}
		if data != nil {
			images[name] = data
		}
	}
	if left > 0 {
		fmt.Printf("%d images are left to another NVRTC: 12 compiles wgmma, 11.8 the rest\n", left)
	}
	var file bytes.Buffer
	if err := driver.WriteAhead(&file, images); err != nil {
		return err
	}
	fmt.Printf("%s: %d images, %.1f MB\n", *out, len(images), float64(file.Len())/1e6)
	return os.WriteFile(*out, file.Bytes(), 0o644)
}

// imagesAhead returns what the file is to hold, by name: the kernels that need no shape as PTX, and
// for each target the towers, of the fastest plan by the model, and their heads: those of the
// presets and of common networks, on 7.5 of the presets and auto's probe.
func imagesAhead() (map[string]image, error) {
	all := map[string]image{}
	add := func(architecture string, list ...driver.Source) {
		for _, s := range list {
			all[driver.AheadName(&s, architecture)] = image{s, architecture}
		}
	}
	for _, p := range []kernels.Precision{kernels.FP32, kernels.TF32, kernels.BF16, kernels.FP16} {
		architecture := fmt.Sprintf("compute_%d", p.Least())
		add(architecture, kernels.GeneralInferenceSources(p)...)
		if p != kernels.FP16 {
			add(architecture, kernels.GeneralSources(p)...)
		}
	}
	for _, t := range targets {
		wgmma := t.architecture == wgmmaTarget
		if wgmma {
			add(t.architecture, kernels.WGMMASources()...)
		}
		add(t.architecture, kernels.HeadsSource(inferencePrecision(t.capability)))
		common := cudabackend.Common()
		if inferencePrecision(t.capability) == kernels.FP16 {
			common = common[:1] // most machines with such devices have NVRTC
		}
		for _, spec := range append(slices.Collect(maps.Values(nntest.Presets())), common...) {
			plan, err := towerPlan(spec, t.capability, wgmma)
			if err != nil {
				return nil, err
			}
			if plan == nil {
				continue
			}
			add(t.architecture, plan.Source())
			if plan.Few != nil {
				add(t.architecture, plan.FewSource())
			}
		}
	}
	return all, nil
}

// compile returns an image, nil if it is not worth having.
func compile(w image) ([]byte, error) {
	data, log, err := driver.CompileArchitecture(w.source, w.architecture)
	if err != nil {
		return nil, err
	}
	if log != "" {
		fmt.Fprintf(os.Stderr, "%s for %s: %s\n", w.source.Name, w.architecture, log)
	}
	// Such a kernel may be slower than mma.sync's, and where it is compiled ahead nothing is timed.
	if strings.Contains(log, "wgmma.mma_async instructions are serialized") {
		return nil, nil
	}
	fmt.Fprintf(os.Stderr, "%s for %s: %d bytes\n", w.source.Name, w.architecture, len(data))
	return data, nil
}

// resources writes the table of the kernels' resources.
func resources(args []string) error {
	flags := flag.NewFlagSet("resources", flag.ContinueOnError)
	nvrtc := flags.String("nvrtc", "",
		"the library of the compiler of training's kernels, 12.0 or later; otherwise it is looked for as by tengen")
	zip := flags.String("kernels", kernelsFile, "the kernels compiled ahead")
	out := flags.String("out", resourcesFile, "the file to write")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *nvrtc != "" {
		if err := os.Setenv("TENGEN_NVRTC", *nvrtc); err != nil {
			return err
		}
	}
	data, err := os.ReadFile(*zip)
	if err != nil {
		return err
	}
	images, err := driver.ReadAhead(data)
	if err != nil {
		return err
	}
	before := &table{} // sources that it has are not compiled again
	if text, err := os.ReadFile(*out); err == nil {
		if before, err = parse(string(text)); err != nil {
			return fmt.Errorf("%s: %w; remove it", *out, err)
		}
	}
	launches := map[int][]launch{}
	for _, c := range tabled {
		list, err := inferenceLaunches(c)
		if err != nil {
			return err
		}
		more, err := trainingLaunches(c)
		if err != nil {
			return err
		}
		launches[c] = append(list, more...)
	}
	t := newTable(launches)
	if err := t.fill(func(c int, l *launch) (map[string]driver.FunctionInfo, error) {
		architecture := fmt.Sprintf("sm_%d", c)
		name := driver.AheadName(&l.source, architecture)
		image, known := images[name], before.of(c, t.keys[l.name()])
		switch {
		case image == nil && l.ahead:
			return nil, nil
		case image == nil && len(known) > 0:
			return known, nil
		case image == nil:
			var err error
			if image, _, err = driver.CompileArchitecture(l.source, architecture); err != nil {
				return nil, err
			}
			images[name] = image
		}
		return driver.ReadImage(image)
	}); err != nil {
		return err
	}
	if err := os.WriteFile(*out, []byte(t.String()), 0o644); err != nil {
		return err
	}
	if list := t.wrong(); len(list) > 0 {
		return errors.New(strings.Join(list, "\n"))
	}
	return nil
}

// of returns what the table says of the kernels of a source, by the source's key.
func (t *table) of(capability int, key string) map[string]driver.FunctionInfo {
	all := map[string]driver.FunctionInfo{}
	for _, r := range t.rows {
		if x, ok := r.cells[capability]; ok && r.key == key {
			all[r.kernel] = x.FunctionInfo
		}
	}
	return all
}
