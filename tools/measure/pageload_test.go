//go:build linux

package main

import "testing"

// TestJudge: what is too much is told, for clients with and without the token.
func TestJudge(t *testing.T) {
	o := loadOptions{without: 3, with: 10, wait: 1, memory: 100}
	bad := figure{Loss: 0.05, Most: 2, Missed: 1, Growth: 200}
	if bad.judge(&o); len(bad.Failed) != 4 {
		t.Errorf("%q", bad.Failed)
	}
	good := figure{Loss: 0.05, Token: true, Most: 0.5, Growth: 50}
	if good.judge(&o); len(good.Failed) != 0 {
		t.Errorf("%q", good.Failed)
	}
}
