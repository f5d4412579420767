package cmd

import (
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tengen/configs"
)

// configFlags are the flags of commands that take a configuration.
type configFlags struct{ set []string }

func (f *configFlags) add(flags *pflag.FlagSet) {
	// An array: values may hold commas.
	flags.StringArrayVar(&f.set, "set", nil, "set a key, as in search.simulations=90; may be repeated")
}

// resolve puts the configuration together that the first argument names, if
// there is one, with the environment and the flags.
func (f *configFlags) resolve(args []string) (*configs.Resolved, error) {
	o := configs.Options{Environment: os.Environ(), Set: f.set}
	if len(args) > 0 {
		o.Name = args[0]
	}
	r, err := configs.Resolve(o)
	return r, usage(err)
}

func newConfig() *cobra.Command {
	var flags configFlags
	var sources, asJSON bool
	c := &cobra.Command{
		Use:   "config [CONFIG]",
		Short: "Print a configuration with every default written out",
		Long: `Config puts a configuration together, checks it, and prints the value of every
key as YAML that can be used as a configuration again.

CONFIG is a preset (quick, the default; descent-quick; those of the papers) or the path
of a YAML file. Values come from, the later ones winning: the defaults, CONFIG,
the environment (TENGEN_SEARCH_SIMULATIONS=90), and --set (search.simulations=90).`,
		Example: `  tengen config
  tengen config paper-alphazero
  tengen config my.yaml --set search.simulations=90 --sources
  tengen config --set training.step_iterations=[20,40] --json`,
		Args: arguments("[CONFIG]"),
		RunE: func(c *cobra.Command, args []string) error {
			r, err := flags.resolve(args)
			if err != nil {
				return err
			}
			if asJSON {
				return writeJSON(c.OutOrStdout(), configJSON(r, sources))
			}
			text, err := r.YAML(sources)
			if err != nil {
				return err
			}
			_, err = c.OutOrStdout().Write(text)
			return err
		},
	}
	flags.add(c.Flags())
	c.Flags().BoolVar(&sources, "sources", false, "say where each value comes from")
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

func configJSON(r *configs.Resolved, sources bool) any {
	document := struct {
		Name    string            `json:"name"`
		Config  configs.Config    `json:"config"`
		Sources map[string]string `json:"sources,omitempty"`
	}{Name: r.Name, Config: r.Config}
	if sources {
		document.Sources = map[string]string{}
		for _, key := range configs.Keys() {
			document.Sources[key] = r.Sources[key].String()
		}
	}
	return document
}
