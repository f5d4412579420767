package configs

import "fmt"

// renamed maps former names of keys to present ones. A former name is an error
// that gives the present one, except in a file that a run wrote (Options.OfRun).
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

// presentName returns a hint with the present name of a key with a former name, "" for any other key.
func presentName(old string) string {
	if name, ok := renamed[old]; ok {
		return fmt.Sprintf(" (it is now %q)", name)
	}
	return ""
}
