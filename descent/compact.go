package descent

// compact drops all nodes that are not below the root, if there is one. It calls
// the function of OnForget before.
func (t *Tree) compact() {
	if t.onForget != nil {
		t.update()
		t.unmark()
		t.markBelow()
		if list := t.unmarked(); len(list) > 0 {
			t.onForget(list)
		}
	}
	n := len(t.nodes)
	if t.root < 0 {
		t.clear()
		t.roots = t.roots[:0]
	} else {
		t.unmark()
		t.markBelow()
		t.keepMarked()
		t.root = t.places[t.root]
		t.roots = append(t.roots[:0], root{t.root, t.played + t.lead})
	}
	t.stats.Forgotten += uint64(n - len(t.nodes))
}

// markBelow marks the nodes below the root.
func (t *Tree) markBelow() {
	if t.root >= 0 {
		t.walk(t.root, func(int32) {})
	}
}

// keepMarked drops all nodes without a mark, moves the others together in the same
// order, and leaves their new numbers in t.places. The children of marked nodes
// must be marked.
func (t *Tree) keepMarked() {
	if cap(t.places) < len(t.nodes) {
		t.places = make([]int32, cap(t.nodes))
	}
	t.places = t.places[:len(t.nodes)]
	n := int32(0)
	for i := range t.nodes {
		if t.marks[i] {
			t.places[i] = n
			n++
		}
	}
	// Blocks of edges are in the order of expansion, which is not that of the
	// nodes.
	edges, blocks := int32(0), 0
	for _, i := range t.blocks {
		if !t.marks[i] {
			continue
		}
		nd := &t.nodes[i]
		block := t.edges[edges : edges+nd.edges]
		copy(block, t.edgesOf(i))
		for k := range block {
			block[k].child = t.places[block[k].child]
		}
		nd.first = edges
		edges += nd.edges
		t.blocks[blocks] = t.places[i]
		blocks++
	}
	for i := range t.nodes {
		if t.marks[i] {
			to := t.places[i]
			copy(t.of(to), t.of(int32(i)))
			t.nodes[to] = t.nodes[i]
		}
	}
	t.blocks = t.blocks[:blocks]
	t.truncate(int(n), int(edges))
}
