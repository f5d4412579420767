package descent

import (
	"math/rand/v2"
	"testing"
)

// TestTable compares the table with a map, with many colliding keys.
func TestTable(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, spread := range []int{1, 4, 1 << 20} {
		a := arena{players: 1}
		for round := range 3 {
			want := map[uint64]int32{}
			for range 3000 {
				key := uint64(rng.IntN(5000)) | uint64(rng.IntN(spread))<<40
				if spread == 1 {
					key <<= 32 // the low bits are all the same
				}
				i, known := want[key]
				if !known {
					i = -1
				}
				if got := a.find(key); got != i {
					t.Fatalf("key %#x finds %d, not %d", key, got, i)
				}
				if !known {
					want[key] = a.add(key, 0)
				}
			}
			if round == 1 {
				for key, i := range want {
					if i >= 1000 {
						delete(want, key)
					}
				}
				a.truncate(1000, 0)
			}
			for key, i := range want {
				if got := a.find(key); got != i {
					t.Fatalf("key %#x finds %d, not %d", key, got, i)
				}
			}
			if a.table.n != len(want) || len(a.nodes) != len(want) ||
				2*a.table.n > len(a.table.slots) {
				t.Fatalf("%d nodes and %d of %d slots for %d keys",
					len(a.nodes), a.table.n, len(a.table.slots), len(want))
			}
			a.clear()
			if a.find(1) != -1 || a.find(0) != -1 {
				t.Fatal("an empty table finds a key")
			}
		}
	}
}
