package driver

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Cache keeps compiled kernels in a folder, so that a source is compiled once
// for a device's architecture and needs no compiler from then on. Several processes may use one
// folder. Its zero value keeps nothing.
type Cache struct {
	Folder string // "" keeps nothing; made when it is first written to
	// Warn, if set, hears of entries that can't be read or written. Kernels
	// are loaded nevertheless.
	Warn func(error)
}

// cacheFormat changes when entries, or what is asked of the compiler for a Source, do.
const cacheFormat = "tengen kernel 1"

// Load compiles a source, unless the folder has it, and loads it. An entry that is damaged,
// or that the driver doesn't take, is compiled again.
func (c Cache) Load(ctx Context, s Source) (Module, error) {
	path := c.path(ctx, &s)
	if image := c.read(path); image != nil {
		m, err := ctx.Load(image)
		if err == nil {
			return m, nil
		}
		if lost := new(LostError); errors.As(err, &lost) {
			return 0, err
		}
		c.warn(fmt.Errorf("kernel cache: %s: %w; it is compiled again", path, err))
	}
	image, err := ctx.Compile(s)
	if err != nil {
		return 0, err
	}
	m, err := ctx.Load(image)
	if err != nil {
		return 0, fmt.Errorf("load %s: %w", s.Name, err)
	}
	if path != "" {
		compiler, err := ctx.Compiler()
		if err == nil {
			err = c.write(path, compiler, image)
		}
		if err != nil {
			c.warn(fmt.Errorf("kernel cache: %w", err))
		}
	}
	return m, nil
}

func (c Cache) warn(err error) {
	if c.Warn != nil {
		c.Warn(err)
	}
}

// path is where a source's kernels are kept, "" where nothing is. The compiler's
// version is not part of the name, but of the entry: it is not known where no
// compiler is, and what an older one made is as good.
func (c Cache) path(ctx Context, s *Source) string {
	if c.Folder == "" {
		return ""
	}
	d := ctx.Device()
	arch := "sm_" + strconv.Itoa(d.Capability())
	if d.Emulated {
		arch = "emulated " + arch
	}
	return filepath.Join(c.Folder, s.Key(cacheFormat, arch)+".kernel")
}

// An entry is a line with the format, the sum and the compiler, and then the image.
func (c Cache) read(path string) []byte {
	if path == "" {
		return nil
	}
	data, err := os.ReadFile(path)
	if err != nil {
		if !errors.Is(err, os.ErrNotExist) {
			c.warn(fmt.Errorf("kernel cache: %w; it is compiled again", err))
		}
		return nil
	}
	line, image, _ := bytes.Cut(data, []byte("\n"))
	if !strings.HasPrefix(string(line), fmt.Sprintf("%s %x ", cacheFormat, sha256.Sum256(image))) {
		c.warn(fmt.Errorf("kernel cache: %s is damaged; it is compiled again", path))
		return nil
	}
	return image
}

// write puts an entry in place by renaming, each writer with a temporary name of its own. A
// power cut may leave a damaged one; its sum tells.
func (c Cache) write(path, compiler string, image []byte) (err error) {
	if err := os.MkdirAll(c.Folder, 0o755); err != nil {
		return err
	}
	f, err := os.CreateTemp(c.Folder, ".kernel-*.tmp")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			os.Remove(f.Name())
		}
	}()
	_, err = fmt.Fprintf(f, "%s %x %s\n", cacheFormat, sha256.Sum256(image), compiler)
	if err == nil {
		_, err = f.Write(image)
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// DefaultFolder is where kernels are kept unless said otherwise: tengen/kernels in the
// user's cache folder, "" where there is none.
func DefaultFolder() string {
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "tengen", "kernels")
}
