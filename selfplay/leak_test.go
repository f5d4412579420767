package selfplay

import (
	"testing"

	"tengen/internal/testkit"
)

// TestMain checks that no test leaves a goroutine running.
func TestMain(m *testing.M) { testkit.Main(m) }
