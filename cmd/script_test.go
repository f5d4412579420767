package cmd

import (
	"os"
	"testing"
	"time"

	"tengen/cmd/internal/cli"
	"tengen/cmd/internal/cmdtest"
)

func TestMain(m *testing.M) {
	cmdtest.Main(m, map[string]func(){
		"tengen": func() {
			dryRunTime = 100 * time.Millisecond
			os.Exit(Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
		},
		"natsserver": natsServer,
		"another": func() { // of another build
			cli.BuildName = func() string { return "tengen v0.0.1" }
			os.Exit(Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
		},
	})
}

func TestScripts(t *testing.T) { cmdtest.Run(t, "testdata/script") }
