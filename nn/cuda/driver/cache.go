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
	"sync"
)

// Cache stores compiled kernels in a folder, so that a source is compiled once for a device's
// architecture, and no compiler is needed afterwards. Several processes may share a folder. The
// zero value stores nothing.
type Cache struct {
	Folder string // "" stores nothing; created by the first write
	// Warn, if set, receives errors of reading and writing entries. The kernels are loaded
	// nevertheless.
	Warn func(error)
	// Ahead holds images that were compiled when the program was built. It is read after the folder
	// and before the compiler is asked; nil holds none.
	Ahead *Ahead
	// Used, if set, is told of each source where its image comes from: "compiled", "cached" or
	// "compiled ahead".
	Used func(s Source, from string)
	// Images keeps compiled images in memory too, so that other contexts of this process load
	// them without a folder; nil keeps none.
	Images *Images
}

// Images are compiled kernels in memory. The zero value is empty.
type Images struct{ byKey sync.Map }

// cacheFormat changes with the format of entries, or with the compiler's options for a Source.
const cacheFormat = "tengen kernel 1"

// Load loads a source, compiled unless it is cached. An entry that is damaged, or that the driver
// rejects, is compiled again.
func (c Cache) Load(ctx Context, s Source) (Module, error) {
	path, key := c.path(ctx, &s), c.key(ctx, &s)
	if c.Images != nil {
		if image, ok := c.Images.byKey.Load(key); ok {
			return ctx.Load(image.([]byte))
		}
	}
	if image := c.read(path); image != nil {
		m, err := ctx.Load(image)
		if err == nil {
			c.used(s, "cached")
			return m, nil
		}
		if lost := new(LostError); errors.As(err, &lost) {
			return 0, err
		}
		c.warn(fmt.Errorf("kernel cache: %s: %w; compiling again", path, err))
	}
	for _, image := range c.Ahead.images(&s, ctx.Device()) {
		m, err := ctx.Load(image)
		if err == nil {
			c.used(s, "compiled ahead")
			if c.Images != nil {
				c.Images.byKey.Store(key, image)
			}
			return m, nil
		}
		if lost := new(LostError); errors.As(err, &lost) {
			return 0, err
		}
		c.warn(fmt.Errorf("%s, compiled ahead: %w", s.Name, err))
	}
	image, remarks, err := ctx.Compile(s)
	if err != nil {
		return 0, err
	}
	c.used(s, "compiled")
	if remarks != "" {
		c.warn(fmt.Errorf("compile %s: %s", s.Name, oneLine(remarks)))
	}
	m, err := ctx.Load(image)
	if err != nil {
		return 0, fmt.Errorf("load %s: %w", s.Name, err)
	}
	if c.Images != nil {
		c.Images.byKey.Store(key, image)
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

func (c Cache) used(s Source, from string) {
	if c.Used != nil {
		c.Used(s, from)
	}
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
	return filepath.Join(c.Folder, c.key(ctx, s)+".kernel")
}

// key identifies a source compiled for a context's device.
func (c Cache) key(ctx Context, s *Source) string {
	d := ctx.Device()
	arch := "sm_" + strconv.Itoa(d.Capability())
	if d.Emulated {
		arch = "emulated " + arch
	}
	return s.Key(cacheFormat, arch)
}

// oneLine joins the lines of a compiler's log.
func oneLine(log string) string {
	var lines []string
	for _, l := range strings.Split(log, "\n") {
		if l = strings.TrimSpace(l); l != "" {
			lines = append(lines, l)
		}
	}
	return strings.Join(lines, "; ")
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
