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

// Cache stores compiled kernels in a folder, so that a source is compiled once for a device's
// architecture, and no compiler is needed afterwards. Several processes may share a folder. The
// zero value stores nothing.
type Cache struct {
	Folder string // "" stores nothing; created by the first write
	// Warn, if set, receives errors of reading and writing entries. The kernels are loaded
	// nevertheless.
	Warn func(error)
}

// cacheFormat changes with the format of entries, or with the compiler's options for a Source.
const cacheFormat = "tengen kernel 1"

// Load loads a source, compiled unless it is cached. An entry that is damaged, or that the driver
// rejects, is compiled again.
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
		c.warn(fmt.Errorf("kernel cache: %s: %w; compiling again", path, err))
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

// path returns the file of a source's image, "" without a cache. The compiler's version is part
// of the entry, not of the name: the version is unknown without a compiler, and an image of an
// older one is as good.
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

// read returns an entry's image, or nil. An entry is a line with the format, the checksum and the
// compiler, followed by the image.
func (c Cache) read(path string) []byte {
	if path == "" {
		return nil
	}
	data, err := os.ReadFile(path)
	if err != nil {
		if !errors.Is(err, os.ErrNotExist) {
			c.warn(fmt.Errorf("kernel cache: %w; compiling again", err))
		}
		return nil
	}
	line, image, _ := bytes.Cut(data, []byte("\n"))
	if !strings.HasPrefix(string(line), fmt.Sprintf("%s %x ", cacheFormat, sha256.Sum256(image))) {
		c.warn(fmt.Errorf("kernel cache: %s is damaged; compiling again", path))
		return nil
	}
	return image
}

// write writes an entry to a temporary file and renames it, so processes can write concurrently.
// A power cut may leave a damaged entry, which the checksum reveals.
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

// DefaultFolder returns the default folder of kernels: tengen/kernels in the user's cache folder,
// or "" if there is none.
func DefaultFolder() string {
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "tengen", "kernels")
}
