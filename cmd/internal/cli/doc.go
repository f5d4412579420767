// Package cli holds what the commands of tengen have in common: errors of usage and checks of
// arguments, the flags --set, --device and --share, players, the program's version, and what is
// printed: JSON, tables of figures, what a search found, what a file holds.
//
//	Args: cli.Arguments("[GAME]"),
//	RunE: func(c *cobra.Command, args []string) error {
//		g, err := cli.ParseGame(args[0])
//
// A [UsageError] ends tengen with exit status 2.
//
// # The terminal
//
// All that commands write passes an [Output], so that no text from elsewhere controls the terminal.
// [Screen] shows the run of this process below its log, [Viewer] any run on the whole terminal,
// [Progress] one line. Where the output is no terminal, Screen and Progress write lines from time
// to time.
//
//	p := cli.NewProgress(os.Stderr, "arena", "games")
//	defer p.Close()
//	p.Set(17, 600)
package cli
