package metrics

import (
	"net/http/httptest"
	"testing"
	"time"
)

// BenchmarkEvents measures the recording of self-play events.
func BenchmarkEvents(b *testing.B) {
	m := known(nil)
	for name, f := range map[string]func(){
		"Batch":    func() { m.Batch(24, 32, time.Millisecond) },
		"Lookups":  func() { m.Lookups(24, 4) },
		"Searched": func() { m.Searched(SearchStats{Depth: 12}) },
		"Game": func() {
			m.Begun()
			m.Ended()
			m.Outcome([]float32{0, 1})
			m.GamePlies.Observe(65)
		},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				f()
			}
		})
	}
}

// BenchmarkScrape measures one scrape of all metrics.
func BenchmarkScrape(b *testing.B) {
	h := known(nil).Handler()
	for b.Loop() {
		answer := httptest.NewRecorder()
		h.ServeHTTP(answer, httptest.NewRequest("GET", "/metrics", nil))
		if answer.Code != 200 {
			b.Fatal(answer.Code)
		}
	}
}

// Recording self-play events does not allocate.
func TestEventsAllocateNothing(t *testing.T) {
	m := known(nil)
	if n := testing.AllocsPerRun(100, func() {
		m.Batch(24, 32, time.Millisecond)
		m.Lookups(24, 4)
		m.Searched(SearchStats{Depth: 12})
		m.Simulated(100)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
