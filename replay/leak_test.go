package replay

import (
	"testing"

	"tengen/internal/testkit"
)

// TestMain checks that no test leaks a goroutine.
func TestMain(m *testing.M) { testkit.Main(m) }
