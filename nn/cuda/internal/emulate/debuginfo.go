//go:build linux && (amd64 || arm64)

package emulate

import (
	"bytes"
	"debug/dwarf"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"path/filepath"

	"tengen/nn/cuda/driver"
)

// debugInfo is an image's debugging information: kernels' parameters, lines, and the static
// shared memory of all kernels.
type debugInfo struct {
	data        *dwarf.Data
	shared      uint64 // address of static shared memory from the library's start
	sharedBytes int
}

func readDebugInfo(image []byte) (*debugInfo, error) {
	f, err := elf.NewFile(bytes.NewReader(image))
	if err != nil {
		return nil, err
	}
	d := &debugInfo{}
	if d.data, err = f.DWARF(); err != nil {
		return nil, err
	}
	if s := f.Section("tengen_shared"); s != nil {
		d.shared, d.sharedBytes = s.Addr, int(s.Size)
	}
	return d, nil
}

// kernel returns a kernel's parameter types and static shared memory.
func (d *debugInfo) kernel(name string) (parameters []driver.ArgKind, shared int, err error) {
	r := d.data.Reader()
	for {
		e, err := r.Next()
		if err != nil {
			return nil, 0, err
		}
		if e == nil {
			return nil, 0, fmt.Errorf("%s is not a function of the image", name)
		}
		if e.Tag == dwarf.TagCompileUnit {
			continue
		}
		if e.Tag == dwarf.TagSubprogram && e.Val(dwarf.AttrName) == name {
			return d.body(r, e)
		}
		r.SkipChildren()
	}
}

// body reads a function's parameters and variables.
func (d *debugInfo) body(
	r *dwarf.Reader, function *dwarf.Entry,
) (parameters []driver.ArgKind, shared int, err error) {
	for e, depth := function, 0; ; {
		if e.Children {
			depth++
		}
		if depth == 0 {
			break
		}
		if e, err = r.Next(); err != nil || e == nil {
			return nil, 0, err
		}
		switch e.Tag {
		case 0:
			depth--
		case dwarf.TagFormalParameter:
			if depth > 1 { // in an inlined function
				break
			}
			k, err := d.kind(e)
			if err != nil {
				return nil, 0, fmt.Errorf("%s, parameter %d: %w",
					function.Val(dwarf.AttrName), len(parameters)+1, err)
			}
			parameters = append(parameters, k)
		case dwarf.TagVariable:
			shared += d.sharedVariable(e)
		}
	}
	// Pad as a device's compiler does: dynamic shared memory follows, aligned.
	return parameters, (shared + 1023) / 1024 * 1024, nil
}

// sharedVariable returns a variable's size if it is in static shared memory, else 0.
func (d *debugInfo) sharedVariable(e *dwarf.Entry) int {
	location, ok := e.Val(dwarf.AttrLocation).([]byte)
	if !ok || len(location) != 9 || location[0] != 0x03 { // DW_OP_addr and an address
		return 0
	}
	at := binary.LittleEndian.Uint64(location[1:])
	if at < d.shared || at >= d.shared+uint64(d.sharedBytes) {
		return 0
	}
	offset, ok := e.Val(dwarf.AttrType).(dwarf.Offset)
	if !ok {
		return 0
	}
	t, err := d.data.Type(offset)
	if err != nil {
		return 0
	}
	return int(t.Size())
}

// kind returns a parameter's type.
func (d *debugInfo) kind(p *dwarf.Entry) (driver.ArgKind, error) {
	offset, ok := p.Val(dwarf.AttrType).(dwarf.Offset)
	if !ok {
		return 0, fmt.Errorf("it has no type")
	}
	t, err := d.data.Type(offset)
	if err != nil {
		return 0, err
	}
	for {
		switch u := t.(type) {
		case *dwarf.QualType:
			t = u.Type
			continue
		case *dwarf.TypedefType:
			t = u.Type
			continue
		case *dwarf.PtrType:
			return driver.ArgPtr, nil
		case *dwarf.FloatType:
			if u.ByteSize == 4 {
				return driver.ArgFloat32, nil
			}
		case *dwarf.IntType, *dwarf.UintType:
			switch u.Size() {
			case 4:
				return driver.ArgInt32, nil
			case 8:
				return driver.ArgInt64, nil
			}
		}
		return 0, fmt.Errorf("its type is %s; pointers, int, long long and float can be passed", t)
	}
}

// line returns the source line of a code address (relative to the library's start),
// "tower.cu:31". For inlined wrappers it is the line that calls them.
func (d *debugInfo) line(pc uint64) string {
	r := d.data.Reader()
	unit, err := r.SeekPC(pc)
	if err != nil {
		return "an unknown line"
	}
	lines, err := d.data.LineReader(unit)
	if err != nil || lines == nil {
		return "an unknown line"
	}
	// The outermost inlined call around pc is in the kernel itself, or in a function of its file.
	for {
		e, err := r.Next()
		if err != nil || e == nil || e.Tag == dwarf.TagCompileUnit {
			break
		}
		if e.Tag != dwarf.TagInlinedSubroutine {
			continue
		}
		if ranges, err := d.data.Ranges(e); err == nil {
			for _, g := range ranges {
				if pc >= g[0] && pc < g[1] {
					file, _ := e.Val(dwarf.AttrCallFile).(int64)
					line, _ := e.Val(dwarf.AttrCallLine).(int64)
					if files := lines.Files(); file > 0 && int(file) < len(files) &&
						files[file] != nil {
						return fmt.Sprintf("%s:%d", filepath.Base(files[file].Name), line)
					}
				}
			}
		}
	}
	// LineReader.SeekPC needs addresses in order, but unlikely paths have a sequence of their
	// own.
	var last, entry dwarf.LineEntry
	for lines.Next(&entry) == nil {
		if last.File != nil && !last.EndSequence && last.Address <= pc && pc < entry.Address {
			return fmt.Sprintf("%s:%d", filepath.Base(last.File.Name), last.Line)
		}
		last = entry
	}
	return "an unknown line"
}
