package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/lmittmann/tint"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tengen/configs"
	"tengen/game"
	"tengen/internal/machine"
	"tengen/internal/notation"
	"tengen/nn"
	"tengen/nn/backend"
	"tengen/player"
)

// DefaultGame is the game that is measured and played by default.
const DefaultGame = "go:size=5,players=3"

// Cores is the number of workers on "all cores".
func Cores() int { return runtime.GOMAXPROCS(0) }

// Processors describes the processors that this program uses: 2 processors (AMD EPYC).
func Processors() string {
	text := "1 processor"
	if n := Cores(); n > 1 {
		text = fmt.Sprintf("%d processors", n)
	}
	if model := machine.Processor(); model != "" {
		text += " (" + model + ")"
	}
	return text
}

// WriteJSON writes v as one indented JSON document.
func WriteJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// ParseGame returns the game that an argument names.
func ParseGame(text string) (game.Game, error) {
	g, err := game.New(text)
	return g, Usage(err)
}

// CheckNumber checks the value of a flag such as --simulations.
func CheckNumber(flag string, value, least int) error {
	if value < least || value > configs.MaxSimulations {
		return Usagef("--%s %d: a number from %d to %d is wanted",
			flag, value, least, configs.MaxSimulations)
	}
	return nil
}

// ConfigFlags are the flags of commands that take a configuration.
type ConfigFlags struct{ Set []string }

func (f *ConfigFlags) Add(flags *pflag.FlagSet) {
	// An array: values may hold commas.
	flags.StringArrayVar(&f.Set, "set", nil, "set a key, as in search.simulations=90; repeatable")
}

// Resolve resolves the configuration that the first argument names, if any, with the environment
// and the flags.
func (f *ConfigFlags) Resolve(args []string) (*configs.Resolved, error) {
	o := configs.Options{Environment: os.Environ(), Set: f.Set}
	if len(args) > 0 {
		o.Name = args[0]
	}
	r, err := configs.Resolve(o)
	return r, Usage(err)
}

// AddDevice adds --device.
func AddDevice(flags *pflag.FlagSet, device *string) {
	flags.StringVar(device, "device", backend.Auto, "where networks are evaluated and trained: cpu, cuda (all CUDA devices of a kind), cuda:N, cuda:N,M, cuda:0-3, cuda:0-3,train=3 (one for training alone), cuda:0-7,train=4-7 (four that share each training step), or auto (cuda if there is one)")
}

// OpenDevice opens the device that --device names. It logs what is used and why: to log, or if
// that is nil and the program supports devices, to the standard error. The device is for the
// networks; see backend.Open.
func OpenDevice(
	c *cobra.Command, device string, log *slog.Logger, networks ...nn.Spec,
) (backend.Backend, error) {
	if _, err := backend.Parse(device); err != nil {
		return nil, Usagef("--device: %w", err)
	}
	if w := c.ErrOrStderr(); log == nil && backend.HasCUDA() {
		log = NewLog(w, IsTerminal(w))
	}
	return backend.Open(device, log, networks...)
}

// Advise adds to an error of a device what to do about it (backend.Advice).
func Advise(err error) error {
	if advice := backend.Advice(err); advice != "" {
		return fmt.Errorf("%w; %s", err, advice)
	}
	return err
}

// NewLog returns a log of lines, coloured if color is true.
func NewLog(w io.Writer, color bool) *slog.Logger {
	if color {
		w = Colored(w)
	}
	return slog.New(tint.NewTextHandler(w, &tint.Options{
		TimeFormat: time.TimeOnly, NoColor: !color,
	}))
}

// AsPlayer returns the player that text names, as player.Parse takes it, and the game of its
// network, "" if it has none. A path alone plays with the given number of simulations. What is on
// disk as it is written is that, whatever it is called.
func AsPlayer(text string, simulations int) (name, itsGame string, err error) {
	if IsPlayer(KindOf(text)) && !player.OnDisk(text) {
		itsGame, err = player.GameOf(text)
		return text, itsGame, err
	}
	if name, itsGame, err = player.OfCheckpoint(text, simulations); err != nil &&
		!player.OnDisk(text) {
		err = fmt.Errorf("%w%s", err, misspelt(text))
	}
	return name, itsGame, err
}

// misspelt suggests the player that a text stands for which names neither one nor a network.
func misspelt(text string) string {
	path, keys, _ := strings.Cut(text, ",")
	if _, _, err := player.OfCheckpoint(path, 1); err == nil && keys != "" {
		return fmt.Sprintf("; a player with keys is written az:%s", text)
	}
	var kinds []string
	for _, k := range player.Kinds() {
		kinds = append(kinds, k.Name)
	}
	if near := notation.DidYouMean(KindOf(text), kinds); near != "" {
		return fmt.Sprintf(", and no player is called %q%s", KindOf(text), near)
	}
	return ""
}

// IsPlayer reports whether there is a kind of player with this name.
func IsPlayer(kind string) bool {
	return slices.ContainsFunc(player.Kinds(), func(k player.Kind) bool { return k.Name == kind })
}

// KindOf returns the part of a player's name before the colon.
func KindOf(text string) string {
	kind, _, _ := strings.Cut(text, ":")
	return kind
}

// WarnPassedOver prints the damaged checkpoints that were passed over when a player's network was
// loaded.
func WarnPassedOver(c *cobra.Command, p player.Player) {
	for _, err := range player.PassedOver(p) {
		Warn(c, "an older checkpoint is used: %s",
			OneLine(err))
	}
}

// WarnDamaged returns a function that prints an error about a game that can't be used, or as which
// a file was taken.
func WarnDamaged(c *cobra.Command) func(error) {
	return func(err error) { Warn(c, "%s", OneLine(err)) }
}

// WarnFull prints how many searches ran out of nodes, and how many clocks of time.
func WarnFull(c *cobra.Command, p player.Player) {
	if own := player.ClockOf(p); own != nil && own.Fallen() > 0 {
		Warn(c, "%s: overstepped its clock in %d games so far, and played on",
			p.Name(), own.Fallen())
	}
	if d, ok := p.(*player.Descent); ok && d.Full() > 0 {
		Warn(c, "%s: the searches of %d moves so far were cut short by max_nodes",
			p.Name(), d.Full())
	}
}
