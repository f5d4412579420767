package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"tengen/cmd/internal/terminal"
	"tengen/internal/notation"
	"tengen/player"
)

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
			terminal.OneLine(err))
	}
}

// WarnDamaged returns a function that prints an error about a game that can't be used, or as which
// a file was taken.
func WarnDamaged(c *cobra.Command) func(error) {
	return func(err error) { Warn(c, "%s", terminal.OneLine(err)) }
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
