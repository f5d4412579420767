package cuda

import (
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"tengen/nn/cuda/kernels"
	"tengen/vfs"
)

// choiceFile returns the file that stores the choice among plans, "" without a cache.
func (d *Device) choiceFile(plans []*kernels.Inference) string {
	if d.o.Cache == "" || d.candidates() == 1 {
		return ""
	}
	h := sha256.New()
	fmt.Fprintln(h, d.info.Name, d.info.Capability(), d.info.SMs, d.info.Emulated)
	for _, p := range plans {
		fmt.Fprintln(h, choiceKey(p))
	}
	return filepath.Join(d.o.Cache, fmt.Sprintf("%x.choice", h.Sum(nil)))
}

// choiceKey identifies a plan's kernels.
func choiceKey(p *kernels.Inference) string {
	s := p.Source()
	return s.Key()
}

// keptChoice returns the plan that an earlier run chose, nil without one.
func (d *Device) keptChoice(file string, plans []*kernels.Inference) *kernels.Inference {
	if file == "" {
		return nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil
	}
	for _, p := range plans {
		if strings.TrimSpace(string(text)) == choiceKey(p) {
			return p
		}
	}
	return nil // damaged: choose again
}

// keepChoice stores a choice for later runs.
func (d *Device) keepChoice(file string, p *kernels.Inference) {
	if file == "" || p.Way == kernels.Layers {
		return
	}
	err := os.MkdirAll(d.o.Cache, 0o755)
	if err == nil {
		err = vfs.WriteFile(vfs.OS{}, file, func(w io.Writer) error {
			_, err := fmt.Fprintln(w, choiceKey(p))
			return err
		})
	}
	if err != nil {
		d.o.Log.Warn("keep the choice of kernels", "err", err)
	}
}
