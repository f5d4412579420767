package arena

import (
	"testing"

	"go.uber.org/goleak"
)

// TestMain checks that no test leaves a goroutine running.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
