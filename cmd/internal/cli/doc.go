// Package cli holds what the commands of tengen have in common: errors of usage and checks of
// arguments, the flags --set and --device, JSON output.
//
//	Args: cli.Arguments("[GAME]"),
//	RunE: func(c *cobra.Command, args []string) error {
//		g, err := cli.ParseGame(args[0])
//
// A [UsageError] ends tengen with exit status 2.
package cli
