package player

import (
	"strconv"
	"strings"

	"tengen/configs"
	"tengen/internal/notation"
	"tengen/mcts"
)

var (
	leavesParam = notation.Param{
		Key: "leaves", Help: "evaluations that a search awaits at once, 1 to 256, or auto: what suits the budget and, with time, what is fastest here; default: auto with time or clock, else 1",
	}
	virtualLossParam = notation.Param{
		Key: "virtual_loss", Default: "0", Help: "with leaves: weight with which a simulation under way counts as lost",
	}
)

// readLeaves reads leavesParam: 0 if it is not given.
func readLeaves(v *notation.Values) int {
	switch {
	case !v.Given("leaves"):
		return 0
	case v.String("leaves") == "auto":
		return mcts.AutoLeaves
	}
	c := configs.Default()
	if err := c.SetKey("search.leaves", v.String("leaves")); err != nil {
		v.Fail("leaves", strings.Replace(err.Error(), " is wanted", " or auto is wanted", 1))
	}
	return c.Search.Leaves
}

// leavesKey returns ",leaves=…" and ",virtual_loss=…" for a player's name, "" for the defaults.
func leavesKey(o mcts.PUCT) (text string) {
	switch o.Leaves {
	case 0:
	case mcts.AutoLeaves:
		text = ",leaves=auto"
	default:
		text = ",leaves=" + strconv.Itoa(o.Leaves)
	}
	if o.VirtualLoss > 0 {
		text += ",virtual_loss=" + strconv.FormatFloat(o.VirtualLoss, 'g', -1, 64)
	}
	return text
}

// Alone lets the search of a network's player that thinks about one position at a time await several
// evaluations at once, as leaves=auto does, unless the player was parsed with a number of
// leaves. It changes p, which must not be in use.
func Alone(p Player) {
	if n, ok := as[*AlphaZero](p); ok && n.PUCT.Leaves == 0 {
		n.PUCT.Leaves = mcts.AutoLeaves
	}
}
