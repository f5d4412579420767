package cli

import (
	"os"

	"github.com/spf13/pflag"

	"tengen/configs"
)

// ConfigFlags are the flags of commands that take a configuration.
type ConfigFlags struct{ Set []string }

func (f *ConfigFlags) Add(flags *pflag.FlagSet) {
	// An array: values may hold commas.
	flags.StringArrayVar(&f.Set, "set", nil, "set a key, as in search.simulations=90; repeatable")
}

// Resolve resolves the configuration that the first argument names, if any, with the environment
// and the flags.
func (f *ConfigFlags) Resolve(args []string) (*configs.Resolved, error) {
	o := configs.Options{Environment: os.Environ(), Set: f.Set}
	if len(args) > 0 {
		o.Name = args[0]
	}
	r, err := configs.Resolve(o)
	return r, Usage(err)
}
