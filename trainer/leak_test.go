package trainer

import (
	"runtime/debug"
	"testing"

	"tengen/internal/testkit"
	"tengen/run/history"
)

// TestMain checks that no test leaves a goroutine behind. The tests' runs draw no
// pictures, unless drawing is called, are evaluated against a UCT of few simulations, and
// leave their garbage for longer: each would take a large part of their time.
func TestMain(m *testing.M) {
	drawLearning = func(*history.Learning) error { return nil }
	baseline.Simulations = 20
	debug.SetGCPercent(800)
	testkit.Main(m)
}

// drawing has the runs of a test draw their pictures.
func drawing(t testing.TB) {
	none := drawLearning
	drawLearning = (*history.Learning).Draw
	t.Cleanup(func() { drawLearning = none })
}
