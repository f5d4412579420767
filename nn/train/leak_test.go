package train

import (
	"testing"

	"tengen/internal/testkit"
)

// TestMain fails if a test leaves a goroutine running.
func TestMain(m *testing.M) { testkit.Main(m) }
