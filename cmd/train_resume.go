package cmd

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"tengen/cmd/internal/cli"
	"tengen/configs"
	"tengen/internal/notation"
	"tengen/run"
)

// resumed returns the configuration of the resumed run and its changes: the run's own, overridden
// by CONFIG, the environment and --set. It prints each change and returns an error for those that
// are refused.
func (f *trainFlags) resumed(
	c *cobra.Command, folder run.Folder, args []string,
) (*configs.Resolved, []configs.Change, error) {
	if !folder.Exists() {
		return nil, nil,
			cli.Usagef("%s holds no run to resume; without --resume a new one begins there", folder)
	}
	read, err := folder.On(nil).Resolve()
	if err != nil {
		return nil, nil, err
	}
	id, err := folder.On(nil).ReadIdentity()
	if err != nil {
		return nil, nil, fmt.Errorf("resume %s: %w", folder, err)
	}
	was := &read.Config
	if id != nil {
		was = id.Written(was)
	}
	// What CONFIG leaves out stays as it is.
	asked := configs.Options{
		Name: folder.Config(), Environment: os.Environ(), Set: f.config.Set, Base: &read.Config,
	}
	if len(args) > 0 {
		asked.Name = args[0]
	}
	now, err := configs.Resolve(asked)
	if err != nil {
		return nil, nil, cli.Usage(err)
	}
	changes := configs.Changes(was, &now.Config)
	refused := refusals{}
	for _, change := range changes {
		if _, named := now.Sources[change.Key]; !named {
			now.Sources[change.Key] = read.Sources[change.Key]
		}
		refused.edited = refused.edited || now.Sources[change.Key].File == folder.Config()
		fmt.Fprintf(c.ErrOrStderr(), "%s (%s)\n",
			notation.Plain(change.String()), notation.Plain(now.Sources[change.Key].String()))
		verdict, why := change.OnResume()
		switch {
		case verdict == configs.Impossible:
			refused.add(why, change.Key)
		case verdict == configs.Unwise && !now.Sources[change.Key].Set:
			refused.add(why, change.Key)
			refused.possible = append(refused.possible,
				"--set "+notation.Shell(change.Key+"="+change.New))
		}
	}
	if len(refused.reasons) > 0 {
		return nil, nil,
			cli.Usagef("%s has begun, and keeps its %s", folder, refused.text(folder, args))
	}
	return now, changes, nil
}

// resuming returns the command that goes on with the run in a folder, with the flags that are not
// about how it began.
func resuming(c *cobra.Command, folder run.Folder) string {
	words := []string{"train", "--resume", "--run", notation.Path(string(folder))}
	return notation.Command(append(words,
		cli.Given(c, "resume", "or-resume", "run", "init", "set")...)...)
}

// evaluating returns the command that measures the network of the run in a folder, on the device
// that trained it.
func evaluating(c *cobra.Command, folder run.Folder) string {
	words := []string{"eval", notation.Path(string(folder))}
	if c.Flags().Changed("device") {
		words = append(words, "--device", c.Flag("device").Value.String())
	}
	return notation.Command(words...)
}

// refusals are keys that can't be changed on resume, by reason.
type refusals struct {
	reasons  []string
	keys     [][]string // by reason
	possible []string   // what would change some of them
	edited   bool       // config.yaml has changes
}

func (r *refusals) add(why, key string) {
	i := slices.Index(r.reasons, why)
	if i < 0 {
		i = len(r.reasons)
		r.reasons, r.keys = append(r.reasons, why), append(r.keys, nil)
	}
	r.keys[i] = append(r.keys[i], key)
}

// text returns the reasons and the remedies.
func (r *refusals) text(folder run.Folder, args []string) string {
	var list []string
	for i, why := range r.reasons {
		list = append(list, fmt.Sprintf("%s (%s)", strings.Join(r.keys[i], ", "), why))
	}
	hints := []string{strings.Join(list, ", ")}
	if len(r.possible) > 0 {
		hints = append(hints, strings.Join(r.possible, " ")+" is taken all the same")
	}
	if r.edited {
		hints = append(hints,
			folder.Config()+" was changed since the run wrote it: put the old values back")
	}
	if len(args) > 0 {
		hints = append(hints, "without "+args[0]+" it goes on as it was")
	}
	return strings.Join(append(hints,
		"a new run can begin with its network: --init "+notation.Shell(string(folder))), "; ")
}
