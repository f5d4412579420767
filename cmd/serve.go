package cmd

import (
	"fmt"

	"github.com/spf13/cobra"

	"tengen/cmd/internal/cli"
	"tengen/web"
)

func newServe() *cobra.Command {
	var listen, tokenFile string
	c := &cobra.Command{
		Use:   "serve RUN",
		Short: "Show a run, its games and its network in a browser",
		Long: `Serve shows the run in the folder RUN on a page: its curves, the games that it
played, and a board on which to play against its network. ` + "`tengen train`" + ` serves the
same page while it trains. A run that another process trains may be looked at too;
nothing in the folder is changed.

The page is for this machine alone, unless --listen names another address of it.
Then a token is asked for, which is part of the page's address as it is printed:
that of --token-file, or else one that is drawn at each start. There is no TLS:
beyond a network that you trust, put a tunnel or a proxy between.

The page ends with Ctrl-C.`,
		Example: `  tengen serve runs/quick
  tengen serve runs/quick --listen 127.0.0.1:8080
  tengen serve runs/quick --listen 0.0.0.0:8080 --token-file ~/.tengen-token`,
		Args: cli.Arguments("RUN"),
		RunE: func(c *cobra.Command, args []string) error {
			o := web.Options{
				Folder: args[0],
				Log:    cli.NewLog(c.ErrOrStderr(), false),
			}
			var err error
			if o.Token, err = pageToken(tokenFile); err != nil {
				return err
			}
			server, err := web.Serve(c.Context(), listen, o)
			if err != nil {
				return cli.Usage(err)
			}
			fmt.Fprintln(c.OutOrStdout(), server.URL())
			<-server.Done()
			return server.Close()
		},
	}
	c.Flags().StringVar(&listen, "listen", "127.0.0.1:9465", "host:port of the page; port 0 takes a free one")
	c.Flags().StringVar(&tokenFile, "token-file", "", "file that holds the page's token (default: none on loopback, elsewhere one is drawn)")
	return c
}

// pageToken is the token that a file holds; "" without a file.
func pageToken(path string) (string, error) {
	if path == "" {
		return "", nil
	}
	token, err := web.ReadToken(path)
	return token, cli.Usage(err)
}
