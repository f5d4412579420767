package driver

import (
	"strings"
	"testing"
)

func TestReadImageRefusesOthers(t *testing.T) {
	if _, err := ReadImage([]byte(".version 8.0\n")); err == nil ||
		!strings.Contains(err.Error(), "not machine code") {
		t.Errorf("PTX: error %v", err)
	}
}
