package cmd

import (
	"github.com/spf13/cobra"

	"tengen/cmd/internal/cli"
	"tengen/configs"
)

func newConfig() *cobra.Command {
	var flags cli.ConfigFlags
	var sources, asJSON bool
	c := &cobra.Command{
		Use:   "config [CONFIG]",
		Short: "Print a configuration with all its values",
		Long: `Config resolves a configuration, checks it, and prints the value of every key as YAML
that can be used as a configuration again.

CONFIG is a preset (quick, the default; descent-quick; those of the papers) or the path
of a YAML file. Values come from these sources, later ones overriding earlier ones: the
defaults, CONFIG, the environment (TENGEN_SEARCH_SIMULATIONS=90), and --set
(search.simulations=90).`,
		Example: `  tengen config
  tengen config paper-alphazero
  tengen config my.yaml --set search.simulations=90 --sources
  tengen config --set training.step_iterations=[20,40] --json`,
		Args: cli.Arguments("[CONFIG]"),
		RunE: func(c *cobra.Command, args []string) error {
			r, err := flags.Resolve(args)
			if err != nil {
				return err
			}
			if asJSON {
				return cli.WriteJSON(c.OutOrStdout(), configJSON(r, sources))
			}
			text, err := r.YAML(sources)
			if err != nil {
				return err
			}
			_, err = c.OutOrStdout().Write(text)
			return err
		},
	}
	flags.Add(c.Flags())
	c.Flags().BoolVar(&sources, "sources", false, "print the source of each value")
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
