package cmd

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"tengen/cmd/internal/cli"
	"tengen/nn/backend"
	"tengen/run"
	"tengen/web"
)

func newServe() *cobra.Command {
	var listen, tokenFile, device string
	c := &cobra.Command{
		Use:   "serve RUN",
		Short: "Show a run, or all runs of a folder, in a browser",
		Long: `Serve shows the run in the folder RUN on a page: its curves, its games, and a board to
play against its network. ` + "`tengen train`" + ` serves the same page during training. The run
may be in training by another process. Nothing in the folder is changed but notes.md, for
notes that are written on the page.

Where RUN is a folder of runs, the page lists them, overlays the curves of those that you
choose and shows in which settings they differ. Each run has its own page too.

The page is accessible from this machine only, unless --listen gives an address of its
network. The page then requires a token, which is part of the address that is printed:
that of --token-file, or else a random one for each start. There is no TLS: use a tunnel
or a proxy in networks that you do not trust.

The network is evaluated on a CUDA device if this program supports CUDA and the machine
has one (--device), else on the processor, which also takes over if the device is lost.

Ctrl-C ends the server.`,
		Example: `  tengen serve runs/quick
  tengen serve runs
  tengen serve runs/quick --listen 127.0.0.1:8080
  tengen serve runs/quick --device cuda:1
  tengen serve runs/quick --listen 0.0.0.0:8080 --token-file ~/.tengen-token`,
		Args: cli.Arguments("RUN"),
		RunE: func(c *cobra.Command, args []string) error {
			o := web.Options{
				Folder: args[0],
				Log:    cli.NewLog(c.ErrOrStderr(), false),
			}
			info, err := os.Stat(args[0])
			switch {
			case errors.Is(err, fs.ErrNotExist):
				return cli.Usagef(
					"there is no folder %s%s; that of a run, or of several runs, is wanted",
					args[0], run.DidYouMean(args[0]))
			case err == nil && !info.IsDir():
				return cli.Usagef(
					"%s is a file; the folder of a run, or of several runs, is wanted", args[0])
			}
			if o.Token, err = pageToken(tokenFile); err != nil {
				return err
			}
			b, err := cli.OpenDevice(c, device, nil)
			if err != nil {
				return err
			}
			defer b.Close()
			o.Load = backend.NewFallback(b, func(err error) {
				o.Log.Warn("the network is evaluated on the processor from here on", "reason", err)
			}).Load
			o.Near = !c.Flags().Changed("listen")
			server, err := web.Serve(c.Context(), listen, o)
			if err != nil {
				return cli.Usage(err)
			}
			fmt.Fprintln(c.OutOrStdout(), pageURL(server, tokenFile))
			if notes := pageNotes(server, listen); len(notes) > 0 {
				o.Log.Info("live page", notes...)
			}
			<-server.Done()
			return server.Close()
		},
	}
	c.Flags().StringVar(&listen, "listen", "127.0.0.1:9465",
		"host:port of the page; port 0 selects a free one")
	cli.AddDevice(c.Flags(), &device)
	c.Flags().StringVar(&tokenFile, "token-file", "",
		"file with the page's token (default: none on loopback, elsewhere a random one)")
	return c
}

// pageURL returns the address of the page. It has the token only if it was drawn at random: whoever
// has a file with the token need not be told, and logs go to more people than the file.
func pageURL(s *web.Server, tokenFile string) string {
	url := s.URL()
	if tokenFile != "" {
		url, _, _ = strings.Cut(url, "?")
	}
	return url
}

// pageNotes tells, as attributes of a log, what a person may not expect of a page's address; wanted
// is the one that was asked for.
func pageNotes(s *web.Server, wanted string) (notes []any) {
	if _, port, _ := net.SplitHostPort(wanted); port != "0" &&
		!strings.HasSuffix(s.Address(), ":"+port) {
		notes = append(notes, "because", wanted+" is in use by another program")
	}
	if s.Everywhere() {
		notes = append(notes, "elsewhere", "with this machine's name in place of 127.0.0.1")
	}
	return notes
}

// pageToken returns the token in a file; "" without a file.
func pageToken(path string) (string, error) {
	if path == "" {
		return "", nil
	}
	token, err := web.ReadToken(path)
	return token, cli.Usage(err)
}
