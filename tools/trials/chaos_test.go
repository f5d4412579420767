//go:build linux

package main

import (
	"bytes"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tengen/internal/random"
)

// TestProxy: what is held up comes later, what is cut does not come, and a new connection works.
func TestProxy(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() { _, _ = io.Copy(c, c); c.Close() }()
		}
	}()
	p, err := newProxy(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer p.close()
	dial := func() net.Conn {
		c, err := net.Dial("tcp", p.address())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		return c
	}
	echoes := func(c net.Conn, limit time.Duration) bool {
		t.Helper()
		if _, err := c.Write([]byte("x")); err != nil {
			return false
		}
		if err := c.SetReadDeadline(time.Now().Add(limit)); err != nil {
			t.Fatal(err)
		}
		_, err := io.ReadFull(c, make([]byte, 1))
		return err == nil
	}
	c := dial()
	if !echoes(c, 10*time.Second) {
		t.Fatal("nothing comes through")
	}
	p.hold(true)
	if echoes(c, 100*time.Millisecond) {
		t.Error("it holds nothing up")
	}
	p.hold(false)
	if err := c.SetReadDeadline(time.Now().Add(10 * time.Second)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(c, make([]byte, 1)); err != nil {
		t.Errorf("what was held up does not come: %v", err)
	}
	p.cut()
	if err := c.SetReadDeadline(time.Now().Add(10 * time.Second)); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Read(make([]byte, 1)); err == nil {
		t.Error("a connection is not cut")
	}
	if !echoes(dial(), 10*time.Second) {
		t.Error("nothing comes through a new connection")
	}
}

// TestDamageStore: each kind of damage does what it says, and none is an error where there is
// nothing.
func TestDamageStore(t *testing.T) {
	rng := random.New(1, random.Test)
	seen := map[string]bool{}
	text := bytes.Repeat([]byte("text"), 1000)
	for range 100 {
		folder := filepath.Join(t.TempDir(), "store")
		if how, err := damageStore(rng, folder); err != nil ||
			how != storeKept && how != storeWiped {
			t.Fatalf("%s: %v", how, err)
		}
		if err := os.MkdirAll(folder, 0o755); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(folder, "file")
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		how, err := damageStore(rng, folder)
		if err != nil {
			t.Fatal(err)
		}
		got, _ := os.ReadFile(path)
		is := storeFlips
		switch {
		case got == nil:
			is = storeWiped
		case bytes.Equal(got, text):
			is = storeKept
		case len(got) < len(text):
			is = storeCut
		}
		if is != how {
			t.Errorf("%s is told as %s", is, how)
		}
		seen[how] = true
	}
	if len(seen) != 4 {
		t.Errorf("it does %v", seen)
	}
}

func TestChaosUsage(t *testing.T) {
	var out strings.Builder
	for _, args := range [][]string{{"--workers", "0"}, {"--minutes", "-1"}, {"more"}} {
		if err := runChaos(t.Context(), args, &out, &out); err == nil {
			t.Errorf("%q is accepted", args)
		}
	}
}
