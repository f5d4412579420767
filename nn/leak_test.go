package nn

import (
	"testing"

	"tengen/internal/leaks"
)

// TestMain fails if a test leaves a goroutine running.
func TestMain(m *testing.M) { leaks.Main(m) }
