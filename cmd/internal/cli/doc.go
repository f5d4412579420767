// Package cli holds what the commands of tengen have in common: errors of usage and checks of
// arguments, the flags --set, --device and --share, players, the program's version, and what is
// printed: JSON, tables of figures, what a search found, what a file holds.
//
//	Args: cli.Arguments("[GAME]"),
//	RunE: func(c *cobra.Command, args []string) error {
//		g, err := cli.ParseGame(args[0])
//
// A [UsageError] ends tengen with exit status 2.
package cli
