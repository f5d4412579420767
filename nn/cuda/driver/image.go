package driver

import (
	"bytes"
	"crypto/sha256"
	"debug/elf"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unsafe"
)

// Attributes of kernels in an image's section .nv.info, named as in cuobjdump. An entry is a
// format byte, an attribute byte, a size of 2 bytes, and for these attributes the index of the
// kernel's symbol and a value, 4 bytes each.
const (
	formatSized       = 4
	attributeFrame    = 0x11 // EIATTR_FRAME_SIZE
	attributeRegCount = 0x2f // EIATTR_REGCOUNT
)

// ReadImage returns the resources of an NVRTC image's kernels, by name, without loading the
// image: registers, static shared memory (padded to the alignment of the dynamic, 1024 bytes by
// device.h), and a thread's stack frame as Local. The frame includes spilled registers; a kernel
// without arrays on the stack and without spills has none. ReadImage returns an error for an
// image that isn't machine code (PTX).
func ReadImage(image []byte) (map[string]FunctionInfo, error) {
	// Bytes 20–23, the format's version, hold the CUDA version, which debug/elf does not accept.
	reserved := 0
	if len(image) >= 64 && bytes.HasPrefix(image, []byte(elf.ELFMAG)) {
		image = bytes.Clone(image)
		// The lowest byte of the flags (bytes 48–51) is the compute capability. From 9.0 on the
		// sections of shared memory include 1 KB of the system's.
		if image[48] >= 90 {
			reserved = 1 << 10
		}
		binary.LittleEndian.PutUint32(image[20:], uint32(elf.EV_CURRENT))
	}
	f, err := elf.NewFile(bytes.NewReader(image))
	if err != nil {
		return nil, fmt.Errorf("image: not machine code: %w", err)
	}
	symbols, err := f.Symbols()
	if err != nil {
		return nil, fmt.Errorf("image: %w", err)
	}
	kernels := map[string]FunctionInfo{}
	for _, s := range f.Sections {
		if name, ok := strings.CutPrefix(s.Name, ".text."); ok {
			kernels[name] = FunctionInfo{}
		}
	}
	for name, k := range kernels {
		if s := f.Section(".nv.shared." + name); s != nil {
			k.Shared = int(s.Size) - reserved
			kernels[name] = k
		}
	}
	s := f.Section(".nv.info")
	if s == nil {
		return nil, fmt.Errorf("image: no section .nv.info")
	}
	data, err := s.Data()
	if err != nil {
		return nil, fmt.Errorf("image: %w", err)
	}
	for len(data) >= 4 {
		format, attribute, size := data[0], data[1], int(binary.LittleEndian.Uint16(data[2:]))
		data = data[4:]
		if format != formatSized {
			continue // the value takes the place of the size
		}
		if size > len(data) {
			return nil, fmt.Errorf("image: section .nv.info ends early")
		}
		if size >= 8 {
			index, value := int(binary.LittleEndian.Uint32(data)),
				int(binary.LittleEndian.Uint32(data[4:]))
			if index < 1 || index > len(symbols) { // Symbols omits number 0
				return nil, fmt.Errorf("image: section .nv.info names symbol %d of %d",
					index, len(symbols))
			}
			name := symbols[index-1].Name
			if k, ok := kernels[name]; ok {
				switch attribute {
				case attributeRegCount:
					k.Registers = value
				case attributeFrame:
					k.Local = value
				}
				kernels[name] = k
			}
		}
		data = data[size:]
	}
	return kernels, nil
}

// Source is the source of kernels and the options for compiling it.
type Source struct {
	Name    string            // in messages: "tower.cu"
	Text    string            // the text, with #include "device.h" and the like
	Headers map[string]string // texts of the included headers, by name
	Defines []string          // macros: "FILTERS=128", or "RELU" for 1
	// MaxRegisters limits the registers per thread; 0 leaves them to the compiler.
	MaxRegisters int
	// Precise requests IEEE division, square roots and denormals. Otherwise the fast variants are
	// used (--use_fast_math). Products and sums are contracted to fma in both.
	Precise bool
}

// Key returns a hash of the text, the headers, the options and extra words, such as the
// architecture: 64 hexadecimal digits.
func (s *Source) Key(extra ...string) string {
	h := sha256.New()
	part := func(p string) {
		fmt.Fprintf(h, "%d:", len(p))
		h.Write(unsafe.Slice(unsafe.StringData(p), len(p))) // io.WriteString would copy it
	}
	part(s.Name)
	part(s.Text)
	for _, name := range slices.Sorted(maps.Keys(s.Headers)) {
		part(name)
		part(s.Headers[name])
	}
	part(fmt.Sprint(len(s.Defines), s.MaxRegisters, s.Precise))
	for _, d := range s.Defines {
		part(d)
	}
	for _, e := range extra {
		part(e)
	}
	return hex.EncodeToString(h.Sum(nil))
}
