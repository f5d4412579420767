//go:build !gpu || !linux

package driver

import "testing"

func TestOpenMonitorSaysThatThereIsNone(t *testing.T) {
	if r, err := OpenMonitor(); r != nil || err == nil {
		t.Errorf("%v, %v", r, err)
	}
}
