package configs

import "fmt"

// renamed gives the present name of each key that had another one before. A
// file that uses an old name is refused, with the new one.
var renamed = map[string]string{
	"search.first_play":           "search.fpu",
	"search.first_play_reduction": "search.fpu_reduction",
	"warm_start.initial_passes":   "warm_start.initial_epochs",
	"selfplay.slate":              "selfplay.games_per_worker",
	"selfplay.device_slate":       "selfplay.device_games_per_worker",
	"training.passes":             "training.epochs",
	"training.clip":               "training.grad_clip_norm",
	"training.average":            "training.ema_decay",
}

// presentName says what the key with an old name is called today; "" for any other key.
func presentName(old string) string {
	if name, ok := renamed[old]; ok {
		return fmt.Sprintf(" (it is now %q)", name)
	}
	return ""
}
