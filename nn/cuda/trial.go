package cuda

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"tengen/nn/cuda/driver"
	"tengen/nn/cuda/kernels"
)

// beginTrial records on disk that kernels are about to run for the first time; end records that
// they finished. So if they end the process (a device that hangs until the process is killed, or
// is lost), the next process detects it: beginTrial then returns an error.
func (d *Device) beginTrial(plan *kernels.Inference) (end func(error), err error) {
	if d.o.Cache == "" || plan.Way == kernels.Layers {
		return func(error) {}, nil
	}
	file := filepath.Join(d.o.Cache, choiceKey(plan)+".trial")
	if text, err := os.ReadFile(file); err == nil && !alive(string(text)) {
		return nil, fmt.Errorf("an earlier process ended while it tried these kernels; remove %s to try again", file)
	}
	if err = os.MkdirAll(d.o.Cache, 0o755); err == nil {
		err = os.WriteFile(file, []byte(strconv.Itoa(os.Getpid())), 0o644)
	}
	if err != nil {
		d.o.Log.Warn("record a trial of kernels", "err", err)
	}
	return func(err error) {
		if driver.Lost(err) {
			return
		}
		if err := os.Remove(file); err != nil && !errors.Is(err, os.ErrNotExist) {
			d.o.Log.Warn("end a trial of kernels", "err", err)
		}
	}, nil
}

// alive reports whether text is the number of another running process.
func alive(text string) bool {
	pid, err := strconv.Atoi(strings.TrimSpace(text))
	if err != nil || pid <= 0 || pid == os.Getpid() {
		return false
	}
	p, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	defer p.Release()
	err = p.Signal(syscall.Signal(0))
	return err == nil || errors.Is(err, syscall.EPERM)
}
