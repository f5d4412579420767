package descent

// table finds nodes by their keys: open addressing with linear probing, at most
// half full. Entries are removed only by rebuild.
type table struct {
	slots []slot // their number is a power of two, or 0
	n     int

	touched uint32 // keeps the reads of touch from being optimised away
}

// slot holds a node's number plus one, 0 if it is free, and half of its key, so that most other
// keys are distinguished without reading the node.
type slot struct {
	tag  uint32
	next int32
}

const leastSlots = 256

func (t *table) clear() {
	clear(t.slots)
	t.n = 0
}

// touch reads the slots of several keys, so that their memory accesses overlap.
func (t *table) touch(list []child) {
	if len(t.slots) == 0 {
		return
	}
	mask := uint64(len(t.slots) - 1)
	sum := uint32(0)
	for i := range list {
		sum += t.slots[list[i].key&mask].tag
	}
	t.touched = sum
}

// find returns the node with a key, -1 if there is none.
func (t *table) find(key uint64, nodes []node) int32 {
	if len(t.slots) == 0 {
		return -1
	}
	mask := uint64(len(t.slots) - 1)
	tag := uint32(key >> 32)
	for i := key & mask; ; i = (i + 1) & mask {
		switch s := t.slots[i]; {
		case s.next == 0:
			return -1
		case s.tag == tag && nodes[s.next-1].key == key:
			return s.next - 1
		}
	}
}

// insert adds node i, which is among nodes, with a key that is not in the table.
func (t *table) insert(key uint64, i int32, nodes []node) {
	if 2*(t.n+1) > len(t.slots) {
		t.slots = make([]slot, max(leastSlots, 2*len(t.slots)))
		t.rebuild(nodes[:i])
	}
	t.place(key, i)
	t.n++
}

func (t *table) place(key uint64, i int32) {
	mask := uint64(len(t.slots) - 1)
	at := key & mask
	for t.slots[at].next != 0 {
		at = (at + 1) & mask
	}
	t.slots[at] = slot{uint32(key >> 32), i + 1}
}

// rebuild fills the table with nodes, for which it must have room.
func (t *table) rebuild(nodes []node) {
	clear(t.slots)
	for i := range nodes {
		t.place(nodes[i].key, int32(i))
	}
	t.n = len(nodes)
}
