//go:build linux && (amd64 || arm64)

package emulate

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	goruntime "runtime"
	"slices"
	"strings"
	"time"

	"tengen/nn/cuda/driver"
)

// machine lets gcc use the processor's instructions, above all fma, to which CUDA's compiler
// contracts too.
var machine = map[string][]string{
	"amd64": {"-march=native"}, "arm64": {"-mcpu=native"},
}[goruntime.GOARCH]

// kept is how long an entry of the cache is used after it was written.
const kept = 7 * 24 * time.Hour

// A compiler makes shared libraries of C, and keeps them in the user's cache folder, so that other
// processes need not compile the same again. Without such a folder it compiles each time.
type compiler struct {
	gcc  string
	told string // which gcc this is, and what its options mean on this machine
}

func newCompiler(gcc string) (*compiler, error) {
	// It tells gcc's version, and the instructions for which -march=native stands.
	question := []string{"-###", "-E", "-x", "c", os.DevNull}
	ask := exec.Command(gcc, slices.Concat(machine, question)...)
	ask.Env = append(os.Environ(), "LC_ALL=C")
	told, err := ask.CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("emulate: %s -###: %w: %s", gcc, err, told)
	}
	return &compiler{gcc: gcc, told: string(told)}, nil
}

// build returns the library that gcc makes of files, given by their names, with the options. The
// error is a *driver.CompileError that names a source, if gcc rejects it.
func (c *compiler) build(name string, files map[string]string, options []string) ([]byte, error) {
	file := c.entry(files, options)
	if library := read(file); library != nil {
		return library, nil
	}
	dir, err := os.MkdirTemp("", "tengen-emulate-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	for name, text := range files {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			return nil, err
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			return nil, err
		}
	}
	const out = "library.so"
	gcc := exec.Command(c.gcc, slices.Concat([]string{"-o", out}, machine, options)...)
	gcc.Dir = dir
	gcc.Env = append(os.Environ(), "LC_ALL=C")
	if log, err := gcc.CombinedOutput(); err != nil {
		if len(log) == 0 {
			log = []byte(err.Error())
		}
		return nil, &driver.CompileError{Name: name, Log: strings.TrimSpace(string(log))}
	}
	library, err := os.ReadFile(filepath.Join(dir, out))
	if err == nil {
		write(file, library)
	}
	return library, err
}

// hostFiles returns the C side by the files' names.
func hostFiles() (map[string]string, error) {
	files := map[string]string{}
	entries, err := host.ReadDir("host")
	for _, e := range entries {
		name := path.Join("host", e.Name())
		text, err := host.ReadFile(name)
		if err != nil {
			return nil, err
		}
		files[name] = string(text)
	}
	return files, err
}

// entry returns the cache's file for a library, "" if the user has no cache folder. Everything that
// the library depends on is hashed into its name.
func (c *compiler) entry(files map[string]string, options []string) string {
	folder, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	h := sha256.New()
	part := func(s string) { fmt.Fprintf(h, "%d:%s", len(s), s) }
	part(c.told)
	for _, o := range options {
		part(o)
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		part("") // no option is empty
		part(name)
		part(files[name])
	}
	return filepath.Join(folder, "tengen", "emulate", fmt.Sprintf("%x", h.Sum(nil)))
}

// read returns an entry's library, nil if there is none or it is damaged, as after a power cut: it
// follows its own checksum.
func read(file string) []byte {
	entry, err := os.ReadFile(file)
	if err != nil || len(entry) < sha256.Size {
		return nil
	}
	library := entry[sha256.Size:]
	if sum := sha256.Sum256(library); !bytes.Equal(sum[:], entry[:sha256.Size]) {
		return nil
	}
	return library
}

// write adds an entry, renamed into place because processes share the folder, and removes old ones.
// The cache may be missing, so its errors are nobody's concern.
func write(file string, library []byte) {
	folder := filepath.Dir(file)
	if file == "" || os.MkdirAll(folder, 0o755) != nil {
		return
	}
	f, err := os.CreateTemp(folder, ".*.tmp")
	if err != nil {
		return
	}
	defer os.Remove(f.Name()) // unless it is renamed
	sum := sha256.Sum256(library)
	_, err = f.Write(append(sum[:], library...))
	if e := f.Close(); err != nil || e != nil || os.Rename(f.Name(), file) != nil {
		return
	}
	entries, _ := os.ReadDir(folder)
	for _, e := range entries {
		if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > kept {
			os.Remove(filepath.Join(folder, e.Name()))
		}
	}
}
