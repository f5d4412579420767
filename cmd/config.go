package cmd

import (
	"io"
	"strings"

	"github.com/spf13/cobra"

	"tengen/cmd/internal/cli"
	"tengen/configs"
)

func newConfig() *cobra.Command {
	var flags cli.ConfigFlags
	var sources, describe, asJSON bool
	c := &cobra.Command{
		Use:   "config [CONFIG|KEY]",
		Short: "Print a configuration with all its values",
		Long: `Config resolves a configuration, checks it, and prints the value of every key as YAML
that can be used as a configuration again.

CONFIG is a preset (quick, the default; descent-quick; those of the papers) or the path
of a YAML file. Values come from these sources, later ones overriding earlier ones: the
defaults, CONFIG, the environment (TENGEN_SEARCH_SIMULATIONS=90), and --set
(search.simulations=90).

With --describe it tells what keys are for: of KEY, of a group of keys (search), or of
all. It prints the meaning, unit, limits, default and the values of presets and published
systems, and when to change it.`,
		Example: `  tengen config
  tengen config paper-alphazero
  tengen config my.yaml --set search.simulations=90 --sources
  tengen config --describe search.simulations
  tengen config --describe replay
  tengen config --set training.batch=64 --json`,
		Args: cli.Arguments("[CONFIG|KEY]"),
		RunE: func(c *cobra.Command, args []string) error {
			if describe {
				if sources || len(flags.Set) > 0 {
					return cli.Usagef("--describe tells of keys, not of a configuration: --sources and --set don't go with it")
				}
				return describeKeys(c, args, asJSON)
			}
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
	c.Flags().BoolVar(&describe, "describe",
		false, "tell what KEY, a group of keys, or all keys are for")
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

// describeKeys prints what is known of the keys that the argument names.
func describeKeys(c *cobra.Command, args []string, asJSON bool) error {
	name := ""
	if len(args) > 0 {
		name = args[0]
	}
	list, err := configs.Describe(name)
	if err != nil {
		return cli.Usage(err)
	}
	if asJSON {
		return cli.WriteJSON(c.OutOrStdout(), list)
	}
	var b strings.Builder
	for i := range list {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(cli.Hang(list[i].Text(), configs.DescriptionIndent))
	}
	_, err = io.WriteString(c.OutOrStdout(), b.String())
	return err
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
