package kernels

import (
	"fmt"
	"strings"
	"testing"
)

// TestRegistersAreTied checks that all of a product's sums are tied to the fence before it and to
// the last wait, and the rows to the wait for their products.
func TestRegistersAreTied(t *testing.T) {
	for _, n := range []int{16, 128, 256} {
		_, tie, ok := strings.Cut(wgmmaHeader(n, false), "void wgmma_tie(float *c)")
		tie, _, _ = strings.Cut(tie, "\n")
		for i := range n / 2 {
			ok = ok && strings.Contains(tie, fmt.Sprintf(`"+f"(c[%d])`, i))
		}
		if !ok {
			t.Errorf("for %d columns not all sums are tied: %s", n, tie)
		}
	}
	text, err := inferenceFiles.ReadFile("tower_wgmma.h")
	if err != nil {
		t.Fatal(err)
	}
	flat := strings.Join(strings.Fields(string(text)), " ")
	for _, order := range []string{
		"wgmma_tie(sums[i][0]); wgmma_fence();",
		"wgmma_wait(1); keep(a[1 - set], count);",
		"wgmma_wait(0); keep(a[0], count); keep(a[1], count); UNROLL for (int i = 0; i < TILES_M; i++) wgmma_tie(sums[i][0]);",
	} {
		if !strings.Contains(flat, order) {
			t.Errorf("tower_wgmma.h lacks %q", order)
		}
	}
}
