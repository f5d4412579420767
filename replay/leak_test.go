package replay

import (
	"testing"

	"tengen/internal/leaks"
)

// TestMain checks that no test leaks a goroutine.
func TestMain(m *testing.M) { leaks.Main(m) }
