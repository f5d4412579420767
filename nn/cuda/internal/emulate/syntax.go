package emulate

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"tengen/nn/cuda/driver"
)

// CheckCUDA checks a source with g++ as CUDA C++ for devices of a compute capability (90 is 9.0).
// Of inline PTX it checks the operands only. It returns ErrNoCompiler without g++, and a
// *driver.CompileError if the source isn't C++ or uses anything that device.h doesn't list.
func CheckCUDA(s driver.Source, capability int) error {
	compiler, err := exec.LookPath("g++")
	if err != nil {
		return ErrNoCompiler
	}
	dir, err := os.MkdirTemp("", "tengen-emulate-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	words, err := host.ReadFile("host/words.h")
	if err != nil {
		return err
	}
	files := sourceFiles(s)
	files["words.h"] = string(words)
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			return err
		}
	}
	args := []string{
		"-x", "c++", "-std=c++17", "-fsyntax-only", "-nostdinc", "-fno-builtin", "-include",
		"words.h", "-I.",
		"-Wall", "-Wno-unused", "-Wno-unknown-pragmas", "-Wno-subobject-linkage",
		fmt.Sprintf("-D__CUDA_ARCH__=%d", 10*capability),
	}
	if capability == 90 {
		args = append(args, "-D__CUDA_ARCH_FEAT_SM90_ALL=1")
	}
	for _, d := range s.Defines {
		args = append(args, "-D"+d)
	}
	check := exec.Command(compiler, append(args, sourceName(s))...)
	check.Dir = dir
	check.Env = append(os.Environ(), "LC_ALL=C")
	log, err := check.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return err
	}
	if err != nil {
		return &driver.CompileError{Name: sourceName(s), Log: strings.TrimSpace(string(log))}
	}
	return nil
}

// sourceName returns the name of a source's file.
func sourceName(s driver.Source) string {
	if s.Name == "" {
		return "kernel.cu"
	}
	return filepath.Base(s.Name)
}

// sourceFiles returns the texts of a source and its headers, by the files' names.
func sourceFiles(s driver.Source) map[string]string {
	files := map[string]string{sourceName(s): s.Text}
	for name, text := range s.Headers {
		files[filepath.Base(name)] = text
	}
	return files
}
