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
	"restarts": "2026-11-27: games from positions of earlier ones gained nothing: −33 (−133 to +68) in Go",

	"search.simulations_end":     "2026-11-27: no page of results shows a gain",
	"search.c_puct_log":          "2026-11-27: no page of results shows a gain",
	"search.c_puct_base":         "2026-11-27: it went with search.c_puct_log",
	"search.c_puct_stdev_scale":  "2026-11-27: its gains of 22 and 45 Elo were at c_puct 0.8; none is known at 0.4",
	"search.c_puct_stdev_prior":  "2026-11-27: it went with search.c_puct_stdev_scale",
	"search.fpu_root_factor":     "2026-11-27: no page of results shows a gain",
	"search.regularization":      "2026-11-27: training.uniform_magnet comes nearer to equilibria",
	"search.noise_concentration": "2026-11-27: it is 10, as nothing has set another",
	"search.forced_playouts":     "2026-11-27: a lab found 10 Elo (-93 to 114)",
	"descent.seconds":            "2026-11-27: games limited by time can't be repeated",
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
