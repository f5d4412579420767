package cmd

import (
	"fmt"

	"github.com/spf13/cobra"

	"tengen/cmd/internal/cli"
)

func newVersion() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "version",
		Short: "Print the version of this build",
		Long: `Version prints the version of tengen, the source revision, the Go release and the
platform.`,
		Example: "  tengen version --json",
		Args:    cli.Arguments(),
		RunE: func(c *cobra.Command, _ []string) error {
			v := cli.ReadVersion()
			if asJSON {
				return cli.WriteJSON(c.OutOrStdout(), v)
			}
			_, err := fmt.Fprintln(c.OutOrStdout(), v)
			return err
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}
