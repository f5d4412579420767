package configs

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"tengen/internal/notation"
)

// meant returns the number that a text stands for which is written in another way than as a number
// of a key's unit: "60" for 1h where minutes are wanted, "0.25" for 25%, "0.5" for 0,5, "10000" for
// 10k; "" if nothing is known.
func meant(unit, text string) string {
	text = strings.TrimSpace(text)
	number := func(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }
	if d, err := time.ParseDuration(strings.ReplaceAll(text, " ", "")); err == nil &&
		strings.Trim(text, "0") != "" {
		switch unit, _, _ = strings.Cut(unit, " "); unit {
		case "minutes":
			return number(d.Minutes())
		case "seconds":
			return number(d.Seconds())
		case "hours":
			return number(d.Hours())
		}
		return ""
	}
	digits := strings.TrimRight(text, "%kKmM_ ")
	x, err := strconv.ParseFloat(strings.ReplaceAll(digits, "_", ""), 64)
	switch end := strings.ToLower(strings.TrimSpace(text[len(digits):])); {
	case err != nil && strings.Count(text, ",") == 1:
		if _, err := strconv.ParseFloat(strings.Replace(text, ",", ".", 1), 64); err == nil {
			return strings.Replace(text, ",", ".", 1)
		}
		return ""
	case err != nil:
		return ""
	case end == "%":
		return number(x / 100)
	case end == "k":
		return number(x * 1e3)
	case end == "m":
		return number(x * 1e6)
	}
	return ""
}

// asBool returns true or false as a text that says so in another way means it; "" if it means
// neither.
func asBool(text string) string {
	switch strings.ToLower(strings.TrimSpace(text)) {
	case "true", "yes", "on", "1", "y", "t":
		return "true"
	case "false", "no", "off", "0", "n", "f":
		return "false"
	}
	return ""
}

// hint adds to what is wanted of a key what may have been meant by a text.
func hint(f field, text string) string {
	unit := advices()[f.key].unit
	kind := f.of(new(Config)).Kind().String()
	value := ""
	switch kind {
	case "bool":
		value = asBool(text)
	case "int", "uint64", "float64":
		if value = meant(unit, text); kind != "float64" && strings.Contains(value, ".") {
			value = ""
		}
	}
	if value == "" || value == text {
		return ""
	}
	if unit, _, _ = strings.Cut(unit, " "); kind == "bool" || unit == "" || unit == "share" {
		return "; write " + value
	}
	return "; write " + value + ", in " + unit
}

// nearest suggests a key in place of an unknown word in a group of a file: a key's
// present name, a key of the same name in another group, or the one with the most similar name, in
// this group or elsewhere.
func nearest(group, word string) string {
	if why := whyRemoved(strings.TrimPrefix(group+"."+word, ".")); why != "" {
		return why
	}
	if f, ok := byKey[word]; ok {
		group, name := f.split()
		if group == "" {
			return fmt.Sprintf(" (%s belongs at the top level)", name)
		}
		return fmt.Sprintf(" (write %s within the group %s)", name, group)
	}
	for _, f := range fields {
		if _, name := f.split(); name == word {
			return didYouMean(f)
		}
	}
	if f := abbreviated(word); f != nil {
		return didYouMean(*f)
	}
	own := children(group)
	hint := notation.DidYouMean(word, own)
	for _, f := range fields {
		_, name := f.split()
		own = append(own, name)
	}
	if hint != "" && hint == notation.DidYouMean(word, own) {
		return hint
	}
	return nearestName(word)
}

// nearestKey suggests a key in place of an unknown one of the form group.name.
func nearestKey(key string) string {
	if why := whyRemoved(key); why != "" {
		return why
	}
	for _, f := range fields {
		if _, name := f.split(); name == key {
			return didYouMean(f)
		}
	}
	if f := abbreviated(key[strings.LastIndexByte(key, '.')+1:]); f != nil {
		return didYouMean(*f)
	}
	if hint := notation.DidYouMean(key, Keys()); hint != "" {
		return hint
	}
	return nearestName(key)
}

// nearestName suggests the first key whose name within its group is similar to word.
func nearestName(word string) string {
	names := make([]string, len(fields))
	for i, f := range fields {
		_, names[i] = f.split()
	}
	hint := notation.DidYouMean(word, names)
	if hint == "" {
		return ""
	}
	for i, f := range fields {
		if notation.DidYouMean(word, names[i:i+1]) == hint {
			return didYouMean(f)
		}
	}
	return ""
}

// abbreviated returns the only field whose name has a word for each letter of word: lr for
// learning_rate. It returns nil if there is none.
func abbreviated(word string) (found *field) {
	for i, f := range fields {
		_, name := f.split()
		initials := ""
		for _, w := range strings.Split(name, "_") {
			initials += w[:1]
		}
		if len(word) > 1 && strings.EqualFold(initials, word) {
			if found != nil {
				return nil
			}
			found = &fields[i]
		}
	}
	return found
}

// Named returns the key that a word names without its group, as in learning-rate, or abbreviates;
// "" if there is none, or more than one.
func Named(word string) (key string) {
	word = strings.ReplaceAll(word, "-", "_")
	for _, f := range fields {
		if _, name := f.split(); name == word || f.key == word {
			if key != "" {
				return ""
			}
			key = f.key
		}
	}
	if f := abbreviated(word); key == "" && f != nil {
		return f.key
	}
	return key
}

func didYouMean(f field) string { return fmt.Sprintf(" (did you mean %q?)", f.key) }

// split returns the field's group, "" at the top level, and its name there.
func (f field) split() (group, name string) {
	if group, name, ok := strings.Cut(f.key, "."); ok {
		return group, name
	}
	return "", f.key
}

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
	"checkpoints.keep_every":        "2026-11-28: older checkpoints are thinned out, the more the older they are; checkpoints.keep_last=1000000 keeps all",
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
