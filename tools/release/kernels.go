//go:build gpu && linux

package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"

	"tengen/nn/cuda/driver"
	"tengen/nn/cuda/kernels"
)

func init() {
	commands = map[string]func([]string) error{"kernels": kernelsAhead, "resources": resources}
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
	out := flags.String("out", kernelsFile, "the file to write")
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

// presets returns the sources of the presets' inference in bf16, of wgmma only where that is
// permitted.
func presets(capability int, wgmma bool) ([]driver.Source, error) {
	all, err := inferencePlans(capability, wgmma)
	var list []driver.Source
	for _, p := range all {
		list = append(list, p.Source())
		if p.Few != nil {
			list = append(list, p.FewSource())
		}
	}
	return list, err
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
