package selfplay

import (
	"testing"

	"tengen/internal/leaks"
)

// TestMain checks that no test leaves a goroutine running.
func TestMain(m *testing.M) { leaks.Main(m) }
