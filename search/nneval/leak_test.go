package nneval

import (
	"testing"

	"tengen/internal/testkit"
)

// TestMain: no test leaves a goroutine behind.
func TestMain(m *testing.M) { testkit.Main(m) }
