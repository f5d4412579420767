package cmd

import (
	"bytes"
	"log/slog"
	"net"
	"strings"
	"testing"

	"github.com/lmittmann/tint"

	"tengen/configs"
	"tengen/run/runtest"
	"tengen/web"
)

// TestSecondPage: where the usual port is in use, training and serve take the next free one and say
// so; a port that a person has named is wanted as it is.
func TestSecondPage(t *testing.T) {
	for _, name := range configs.PresetNames() {
		r, err := configs.Resolve(configs.Options{Name: name})
		if err != nil {
			t.Fatal(err)
		}
		if address, by := new(trainFlags).pageAddress(r); address != "" &&
			(address != usualPage || by != "") {
			t.Errorf("%s: the page is at %s, named by %s", name, address, by)
		}
	}
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	address := taken.Addr().String()
	before := usualPage
	defer func() { usualPage = before }()
	t.Chdir(t.TempDir())
	runtest.Small(t, "run")
	for _, c := range []struct {
		name    string
		usual   string
		options configs.Options
		listen  string
		by      string // "": another port is taken
	}{
		{"a preset's", address,
			configs.Options{
				Text: []byte("metrics: {address: \"" + address + "\"}\n"), Name: "x.yaml",
			}, "", ""},
		{"--listen", before, configs.Options{}, address, "--listen"},
		{"--set", address, configs.Options{Set: []string{"metrics.address=" + address}}, "",
			"metrics.address (--set)"},
		{"the environment", address,
			configs.Options{Environment: []string{"TENGEN_METRICS_ADDRESS=" + address}}, "",
			"metrics.address (TENGEN_METRICS_ADDRESS)"},
		{"a file", before,
			configs.Options{
				Text: []byte("metrics: {address: \"" + address + "\"}\n"), Name: "x.yaml",
			}, "", "metrics.address (x.yaml:1)"},
	} {
		usualPage = c.usual
		r, err := configs.Resolve(c.options)
		if err != nil {
			t.Fatal(c.name, err)
		}
		var b bytes.Buffer
		f := &trainFlags{listen: c.listen}
		s, err := servePage(t.Context(), r, f,
			slog.New(tint.NewTextHandler(&b, &tint.Options{NoColor: true})), web.Options{
				Folder: "run", Config: &r.Config,
			})
		said := b.String()
		switch {
		case c.by != "":
			if want := c.by + ": " + address + " is in use by another program"; err == nil ||
				!strings.HasPrefix(err.Error(), want) {
				t.Errorf("%s: %v, want %s", c.name, err, want)
			}
		case err != nil:
			t.Errorf("%s: %v", c.name, err)
		case s.Address() == address ||
			!strings.Contains(said,
				"live page at="+s.URL()+` because="`+address+" is in use by another program") ||
			!strings.Contains(said, "metrics at="+s.URL()+"metrics"):
			t.Errorf("%s: at %s it says %s", c.name, s.Address(), said)
		}
		if s != nil {
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}
