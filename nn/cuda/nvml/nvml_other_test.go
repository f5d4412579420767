//go:build !gpu || !linux

package nvml

import "testing"

func TestOpenSaysThatThereIsNone(t *testing.T) {
	if r, err := Open(); r != nil || err == nil {
		t.Errorf("%v, %v", r, err)
	}
}
