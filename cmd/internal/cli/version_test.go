package cli

import (
	"os"
	"runtime"
	"strings"
	"testing"
)

// TestBuildName: a build that other sources may share the version with is known by its file.
func TestBuildName(t *testing.T) {
	for v, want := range map[Version]bool{
		{Version: "v1.2.3"}:                             false,
		{Version: "(devel)", Revision: "0123456789ab"}:  false,
		{Version: "(devel)", Revision: "0123456789ab+"}: true,
		{Version: "(devel)"}:                            true,
		{Version: "unknown"}:                            true,
	} {
		if v.unnamed() != want {
			t.Errorf("%v: %v", v, v.unnamed())
		}
	}
	for v, want := range map[Version]string{
		{Version: "v1.2.3"}:                             "version v1.2.3",
		{Version: "(devel)", Revision: "0123456789ab"}:  "commit 0123456789ab",
		{Version: "(devel)", Revision: "0123456789ab+"}: "commit 0123456789ab with changes",
		{Version: "(devel)"}:                            "",
	} {
		if got := v.Source(); got != want {
			t.Errorf("%v: %q", v, got)
		}
	}
	if digest, err := fileDigest(); err != nil || len(digest) != 12 {
		t.Errorf("%q, %v", digest, err)
	}
	v := ReadVersion()
	v.Platform = runtime.GOARCH
	if name := BuildName(); !strings.HasPrefix(name, v.String()) ||
		strings.Contains(name, runtime.GOOS) || name != BuildName() ||
		ReadVersion().unnamed() != strings.Contains(name, " file ") {
		t.Error(name)
	}
}

// TestReachable: a broker that listens on all addresses is told by the name of the machine.
func TestReachable(t *testing.T) {
	name, err := os.Hostname()
	if err != nil {
		t.Skip(err)
	}
	for address, want := range map[string]string{
		"tls://0.0.0.0:4222": "tls://" + name + ":4222", "nats://[::]:4222": "nats://" + name + ":4222", "tls://10.0.0.3:4222": "tls://10.0.0.3:4222", "nats://127.0.0.1:4222": "nats://127.0.0.1:4222",
	} {
		if got := reachable(address); got != want {
			t.Errorf("%s: %s, want %s", address, got, want)
		}
	}
}

func TestGrouped(t *testing.T) {
	for x, want := range map[float64]string{
		0: "0", 12: "12", 999.6: "1,000", 1234567: "1,234,567", -1234: "-1,234", -123: "-123",
	} {
		if got := Grouped(x); got != want {
			t.Errorf("%v is written %s, want %s", x, got, want)
		}
	}
}
