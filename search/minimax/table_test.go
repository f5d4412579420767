package minimax

import (
	"testing"

	"tengen/game"
)

func TestTable(t *testing.T) {
	if newTable(63) != nil || newVectors(10, 2) != nil {
		t.Error("a table of no entries")
	}
	if n := len(newTable(1 << 20).entries); n != 1<<20/entryBytes {
		t.Errorf("a table of 1 MiB has %d entries", n)
	}
	b := newTable(64) // one bucket
	b.next()
	b.store(1, 3, 1, inf, 7, false)
	b.store(1, 3, -inf, 4, game.NoAction, true)
	if e := b.find(1); e == nil || e.low != 1 || e.high != 4 || e.move != 7 || !e.cut ||
		e.left != 3 {
		t.Errorf("two bounds of a position give %+v", b.find(1))
	}
	b.store(1, 4, 2, 2, game.NoAction, false)
	if e := b.find(1); e.low != 2 || e.high != 2 || e.move != 7 || e.cut || e.left != 4 {
		t.Errorf("another depth gives %+v", e)
	}
	// A shallow position does not displace a deep one, and is displaced by the next.
	b.store(2, 1, 0, 0, 1, false)
	b.store(3, 1, 0, 0, 1, false)
	if b.find(1) == nil || b.find(2) != nil || b.find(3) == nil {
		t.Error("of positions with 4, 1, 1 turns left, the first and the last should be there")
	}
	// In the next search, it does.
	b.next()
	b.store(4, 1, 0, 0, 1, false)
	if b.find(1) != nil || b.find(4) == nil {
		t.Error("an old position is kept")
	}
	b.clear()
	if b.find(4) != nil || b.find(0) != nil {
		t.Error("a cleared table finds something")
	}

	v := newVectors(1<<10, 3)
	dst := make([]float64, 3)
	v.store(5, 2, []float64{1, 2, 3}, true)
	if cut, ok := v.find(5, 2, dst); !cut || !ok || dst[2] != 3 {
		t.Errorf("found %v, %v, %v", dst, cut, ok)
	}
	if _, ok := v.find(5, 3, dst); ok {
		t.Error("found at another depth")
	}
	v.clear()
	if _, ok := v.find(5, 2, dst); ok {
		t.Error("found in a cleared table")
	}
}
