package nneval

import (
	"testing"

	"tengen/internal/leaks"
)

// TestMain: no test leaves a goroutine behind.
func TestMain(m *testing.M) { leaks.Main(m) }
