package window

// slabSize is the size of the pieces of memory that games are kept in.
const slabSize = 4 << 20

// store keeps pieces of bytes outside the heap, in slabs that are freed when all their pieces are
// dropped. Pieces are dropped in any order.
type store struct {
	slabs []slab
	first uint32 // slabs before these, which are freed
}

type slab struct {
	b      []byte // nil once it is freed
	used   int
	pieces int  // that are not dropped
	mapped bool // outside the heap
}

// place is where a piece is.
type place struct{ slab, at, size uint32 }

// add copies a piece.
func (s *store) add(piece []byte) place {
	n := len(s.slabs) - 1
	if n < 0 || s.slabs[n].b == nil || len(s.slabs[n].b)-s.slabs[n].used < len(piece) {
		b, mapped := allocate(max(slabSize, len(piece)))
		s.slabs = append(s.slabs, slab{b: b, mapped: mapped})
		n++
	}
	x := &s.slabs[n]
	p := place{s.first + uint32(n), uint32(x.used), uint32(len(piece))}
	x.used += copy(x.b[x.used:], piece)
	x.pieces++
	return p
}

// at returns a piece, which must not be used once it is dropped.
func (s *store) at(p place) []byte {
	return s.slabs[p.slab-s.first].b[p.at : p.at+p.size : p.at+p.size]
}

// drop forgets a piece.
func (s *store) drop(p place) {
	x := &s.slabs[p.slab-s.first]
	if x.pieces--; x.pieces > 0 {
		return
	}
	x.free()
	for len(s.slabs) > 0 && s.slabs[0].b == nil {
		s.slabs = s.slabs[1:]
		s.first++
	}
}

// close frees all slabs.
func (s *store) close() {
	for i := range s.slabs {
		s.slabs[i].free()
	}
	s.slabs = nil
}

func (x *slab) free() {
	if x.mapped && x.b != nil {
		unmap(x.b)
	}
	x.b = nil
}

// allocate returns n zero bytes, outside the heap if it can.
func allocate(n int) (b []byte, mapped bool) {
	if b = mapMemory(n); b != nil {
		return b, true
	}
	return make([]byte, n), false
}
