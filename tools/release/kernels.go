//go:build gpu && linux

package main

import (
	"bytes"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"tengen/nn/backend/cudabackend"
	"tengen/nn/cuda/driver"
	"tengen/nn/cuda/kernels"
	"tengen/nn/nntest"
)

func init() { compileAhead = kernelsAhead }

// devices are the properties of devices on which plans depend, by capability.
var devices = map[int]driver.Device{
	80:  {SharedBlock: 163 << 10, SharedSM: 164 << 10, ThreadsSM: 2048},
	86:  {SharedBlock: 99 << 10, SharedSM: 100 << 10, ThreadsSM: 1536},
	89:  {SharedBlock: 99 << 10, SharedSM: 100 << 10, ThreadsSM: 1536},
	90:  {SharedBlock: 227 << 10, SharedSM: 228 << 10, ThreadsSM: 2048},
	100: {SharedBlock: 227 << 10, SharedSM: 228 << 10, ThreadsSM: 2048},
	120: {SharedBlock: 99 << 10, SharedSM: 100 << 10, ThreadsSM: 1536},
}

// kernelsAhead compiles kernels ahead.
func kernelsAhead(args []string) error {
	flags := flag.NewFlagSet("kernels", flag.ContinueOnError)
	nvrtc := flags.String("nvrtc", "",
		"the compiler's library; otherwise it is looked for as by tengen")
	capabilities := flags.String("capabilities", "80,86,89",
		"capabilities to compile machine code for")
	ptx := flags.String("ptx", "90,100,120",
		"capabilities whose presets are compiled to PTX, with mma.sync; \"\" for none")
	add := flags.Bool("add", false, "keep the images of the file and add those that are missing")
	out := flags.String("out", "nn/backend/cudabackend/kernels.zip", "the file to write")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *nvrtc != "" {
		if err := os.Setenv("TENGEN_NVRTC", *nvrtc); err != nil {
			return err
		}
	}
	images := map[string][]byte{}
	if *add {
		data, err := os.ReadFile(*out)
		if err != nil {
			return err
		}
		if images, err = driver.ReadAhead(data); err != nil {
			return err
		}
	}
	var sources []driver.Source
	for _, p := range []kernels.Precision{kernels.FP32, kernels.TF32, kernels.BF16} {
		sources = append(sources, kernels.GeneralInferenceSources(p)...)
		sources = append(sources, kernels.GeneralSources(p)...)
	}
	for _, s := range sources {
		if err := compile(images, s, "compute_80"); err != nil {
			return err
		}
	}
	for _, which := range []struct {
		list string
		code bool
	}{{*ptx, false}, {*capabilities, true}} {
		for _, text := range strings.FieldsFunc(which.list, func(r rune) bool { return r == ',' }) {
			capability, err := strconv.Atoi(text)
			if err != nil || devices[capability].SharedSM == 0 {
				return fmt.Errorf("capability %q; of 80, 86, 89, 90, 100, 120 are wanted", text)
			}
			architecture := "compute_80"
			if which.code {
				architecture = fmt.Sprintf("sm_%d", capability)
			}
			list, err := presets(capability, which.code)
			if err != nil {
				return err
			}
			if which.code && capability == 90 {
				list = append(list, kernels.WGMMASources()...)
			}
			for _, s := range list {
				if err := compile(images, s, architecture); err != nil {
					return err
				}
			}
		}
	}
	var file bytes.Buffer
	if err := driver.WriteAhead(&file, images); err != nil {
		return err
	}
	fmt.Printf("%s: %d images, %.1f MB\n", *out, len(images), float64(file.Len())/1e6)
	return os.WriteFile(*out, file.Bytes(), 0o644)
}

// presets returns the sources of the presets' inference in bf16: the fastest plan by the model, of
// wgmma only where that is permitted.
func presets(capability int, wgmma bool) ([]driver.Source, error) {
	d := devices[capability]
	d.Major, d.Minor, d.Registers = capability/10, capability%10, 65536
	all := nntest.Presets()
	all["auto's probe"] = cudabackend.Probe
	var list []driver.Source
	for _, name := range slices.Sorted(maps.Keys(all)) {
		for _, way := range kernels.Ways(all[name], kernels.BF16, &d) {
			if way == kernels.WGMMA && !wgmma || way != kernels.WGMMA && way != kernels.MMA {
				continue
			}
			plan, err := kernels.NewInference(all[name], kernels.BF16, way, &d)
			if err != nil {
				return nil, err
			}
			list = append(list, plan.Source())
			if plan.Few != nil {
				list = append(list, plan.FewSource())
			}
			break
		}
	}
	return list, nil
}

// compile adds a source's image for an architecture.
func compile(images map[string][]byte, s driver.Source, architecture string) error {
	name := driver.AheadName(&s, architecture)
	if images[name] != nil {
		return nil
	}
	image, log, err := driver.CompileArchitecture(s, architecture)
	if err != nil {
		return err
	}
	if log != "" {
		fmt.Fprintf(os.Stderr, "%s for %s: %s\n", s.Name, architecture, log)
	}
	// Such a kernel may be slower than mma.sync's, and where it is compiled ahead nothing is timed.
	if strings.Contains(log, "wgmma.mma_async instructions are serialized") {
		return nil
	}
	images[name] = image
	fmt.Fprintf(os.Stderr, "%s for %s: %d bytes\n", s.Name, architecture, len(image))
	return nil
}
