package configs

import (
	"fmt"
	"strings"
)

// removed says of keys that are gone when they went and why, as a sentence without its first
// letter's capital: "2026-11-27: no page of results shows a gain". A key or group that has a
// line here is refused with it, wherever it is set.
var removed = map[string]string{
	"network.block":             "2026-11-27: squeeze-and-excitation lost 6 Elo in three-player 5×5 Go, and no device has it",
	"training.reply_weight":     "2026-11-27: three-player 5×5 Go gained 8 Elo with it (−9 to +25)",
	"training.surprise_weight":  "2026-11-27: three-player 5×5 Go gained 7 Elo with it (−294 to +308)",
	"training.symmetries":       "2026-11-27: no page of results shows what turning it off gains; each sample is transformed",
	"training.value_chance":     "2026-11-27: no figure shows a gain, and backgammon was played worse",
	"training.value_projection": "2026-11-27: three-player 5×5 Go gained 16 Elo with tilted (−19 to +52)",
	"population": "2026-11-27: earlier networks in some seats gained nothing: +1 (−161 to +163) in Go, " +
		"+31 (−46 to +109) with Descent, and Kuhn poker was worse by 0.304",
	"resignation.played_out": "2026-11-27: it is 0.1, as AlphaGo Zero has it: no preset set another share",
	"resignation.threshold":  "2026-11-27: it is 0.1, below which AlphaGo resigned: no preset set another",
	"restarts":               "2026-11-27: games from positions of earlier ones gained nothing: −33 (−133 to +68) in Go",

	"search.simulations_end":        "2026-11-27: no page of results shows a gain",
	"search.c_puct_log":             "2026-11-27: no page of results shows a gain",
	"search.c_puct_base":            "2026-11-27: it went with search.c_puct_log",
	"search.c_puct_stdev_scale":     "2026-11-27: its gains of 22 and 45 Elo were at c_puct 0.8; none is known at 0.4",
	"search.c_puct_stdev_prior":     "2026-11-27: it went with search.c_puct_stdev_scale",
	"search.fpu_root_factor":        "2026-11-27: no page of results shows a gain",
	"search.regularization":         "2026-11-27: training.uniform_magnet comes nearer to equilibria",
	"search.noise_concentration":    "2026-11-27: it is 10, as nothing has set another",
	"search.forced_playouts":        "2026-11-27: a lab found 10 Elo (-93 to 114)",
	"descent.seconds":               "2026-11-27: games limited by time can't be repeated",
	"checkpoints.minutes":           "2026-11-27: no preset sets it and no page of results shows what it gains; training.games says how often there is a checkpoint",
	"checkpoints.steps":             "2026-11-27: no preset sets it and no page of results shows what it gains; training.games says how often there is a checkpoint",
	"descent.explore_start":         "2026-11-27: every preset has 0, which it is now",
	"evaluation.beside":             "2026-11-27: no preset sets it and no page of results shows what it gains; evaluations are concurrent with the run on more than 4 processors",
	"evaluation.earlier":            "2026-11-27: no preset sets it and no page of results shows what it gains; each evaluation plays against the one network that was evaluated before",
	"evaluation.earlier_games":      "2026-11-27: no preset sets it and no page of results shows what it gains; it is 5, or evaluation.games if that is less",
	"evaluation.gate":               "2026-11-27: no preset sets it and no page of results shows what it gains",
	"evaluation.gate_confidence":    "2026-11-27: no preset sets it and no page of results shows what it gains",
	"evaluation.gate_games":         "2026-11-27: no preset sets it and no page of results shows what it gains",
	"evaluation.gate_simulations":   "2026-11-27: no preset sets it and no page of results shows what it gains",
	"evaluation.workers":            "2026-11-27: no preset sets it and no page of results shows what it gains; concurrent evaluations have an eighth of the processors",
	"replay.growth_exponent":        "2026-11-27: no preset sets it and no page of results shows what it gains; it is KataGo's 0.75",
	"replay.keep_all":               "2026-11-27: no preset sets it and no page of results shows what it gains; with a great checkpoints.keep_last no game is removed",
	"selfplay.device_workers":       "2026-11-27: no preset sets it and no page of results shows what it gains; selfplay.workers is for devices too",
	"selfplay.tune_seconds":         "2026-11-27: no preset sets it and no page of results shows what it gains; bench selfplay measures selfplay.games_per_worker",
	"training.plateau_threshold":    "2026-11-27: no preset sets it and no page of results shows what it gains; it is 0.01",
	"training.publish_steps":        "2026-11-27: no preset sets it and no page of results shows what it gains; games begin with the network of the last checkpoint",
	"training.refresh":              "2026-11-27: no preset sets it and no page of results shows what it gains; games keep the network with which they begin",
	"training.samples_per_position": "2026-11-27: no preset sets it and no page of results shows what it gains; training.epochs and training.max_steps say how many steps are made",
	"training.step_factor":          "2026-11-27: no preset sets it and no page of results shows what it gains; schedule plateau multiplies by 0.1",
	"training.step_iterations":      "2026-11-27: no preset sets it and no page of results shows what it gains; schedules are constant, cosine and plateau",
	"warm_start.c":                  "2026-11-27: no preset sets it and no page of results shows what it gains; it is the paper's 0.8",
	"warm_start.floor":              "2026-11-27: no preset sets it and no page of results shows what it gains; it is the paper's 0.05",
}

// whyRemoved returns a hint with the line of a key that is gone, or of its group; "" for any
// other key.
func whyRemoved(key string) string {
	group, _, _ := strings.Cut(key, ".")
	for _, k := range []string{key, group} {
		if why, ok := removed[k]; ok {
			return fmt.Sprintf(" (removed on %s)", why)
		}
	}
	return ""
}
