package configs

import (
	"strings"
)

// Change is a key whose value differs between two configurations.
type Change struct {
	Key string `json:"key"`
	Old string `json:"old"` // in the notation of the command line
	New string `json:"new"`
}

// String returns, for example, "training.learning_rate: 0.001 → 0.0005".
func (c Change) String() string {
	show := func(v string) string {
		if v == "" {
			return `""`
		}
		return v
	}
	return c.Key + ": " + show(c.Old) + " → " + show(c.New)
}

// Changes returns the keys whose values differ in a (Old) and b (New), in the order of Keys.
func Changes(a, b *Config) []Change {
	var list []Change
	for _, f := range fields {
		old, new := f.of(a), f.of(b)
		if format(old) != format(new) {
			list = append(list, Change{f.key, format(old), format(new)})
		}
	}
	return list
}

// Resumption says whether a run can be resumed with a change.
type Resumption int

// Resumptions.
const (
	// Taken: the change is applied. It affects how the run computes, is watched, or
	// continues to learn.
	Taken Resumption = iota
	// Unwise: the run can continue with the change, but its later part is not
	// comparable with its earlier part. It is applied only if the user names the key.
	Unwise
	// Impossible: the change contradicts the run's data and is refused.
	Impossible
)

// OnResume returns whether a run can be resumed with c and, unless it is Taken, why.
func (c Change) OnResume() (r Resumption, why string) {
	if c.Key == "training.ema_decay" && (c.Old == "0" || c.New == "0") {
		return Impossible, "the checkpoint has averaged weights only if it is above 0"
	}
	if c.Key == "training.cycle" &&
		(c.Old == string(CycleAsynchronous) || c.New == string(CycleAsynchronous)) {
		return Impossible,
			"an asynchronous cycle numbers games as they end, and the others as they begin"
	}
	if c.Key == "training.evaluations" && c.Old == "0" {
		return Impossible, "the evaluations of the run's games were not counted"
	}
	if (c.Key == "training.label_weight" || c.Key == "training.belief_weight") &&
		(c.Old == "0" || c.New == "0") {
		return Impossible, "the checkpoint has heads for it only if it is above 0"
	}
	for _, rule := range resumptions {
		if c.Key == rule.key ||
			strings.HasSuffix(rule.key, ".") && strings.HasPrefix(c.Key, rule.key) {
			return rule.r, rule.why
		}
	}
	panic("configs: key without a rule for resuming: " + c.Key)
}

// Reasons that several keys share.
const (
	otherGames    = "the games of the replay window were played with the old value"
	otherTargets  = "the network was trained on other targets so far"
	otherNetwork  = "the checkpoint holds a network of another shape"
	firstOfAll    = "it applies to the run's first iteration only"
	otherUpdates  = "earlier updates were made with the old value"
	otherFraction = "games that were trained on would be held out, or the reverse"
)

// resumptions are the rules of OnResume; the first match counts. A key that ends
// in a dot matches its group.
var resumptions = []struct {
	key string
	r   Resumption
	why string
}{
	{"seed", Impossible, "all random numbers of the run derive from it"},
	{"game", Impossible, "the run's network and games belong to the old one"},
	{"algorithm", Impossible, "the run's network and games belong to the old one"},
	{"network.", Impossible, otherNetwork},

	{"search.", Unwise, otherGames},
	{"descent.targets",
		Impossible, "the games of the replay window were recorded for the old ones"},
	{"descent.", Unwise, otherGames},
	{"play.", Unwise, otherGames},
	{"warm_start.initial_games", Impossible, firstOfAll},
	{"warm_start.initial_epochs", Impossible, firstOfAll},
	{"warm_start.", Unwise, otherGames},

	{"resignation.", Unwise, otherGames},

	{"selfplay.", Taken, ""},

	{"training.iterations", Taken, ""},
	{"training.minutes", Taken, ""},
	{"training.evaluations", Taken, ""},
	{"training.optimizer", Impossible, "the checkpoint holds the state of the old one"},
	{"training.learning_rate", Taken, ""},
	{"training.schedule", Taken, ""},
	{"training.warmup_steps", Taken, ""},
	{"training.plateau_iterations", Taken, ""},
	{"training.grad_clip_norm", Taken, ""},
	{"training.cycle",
		Unwise, "games would be played with the network of another iteration from now on"},
	{"training.games", Unwise, otherUpdates},
	{"training.batch", Unwise, otherUpdates},
	{"training.epochs", Unwise, otherUpdates},
	{"training.max_steps", Unwise, otherUpdates},
	{"training.momentum", Unwise, otherUpdates},
	{"training.l2", Unwise, otherUpdates},
	{"training.weight_decay", Unwise, otherUpdates},
	{"training.ema_decay", Unwise, otherUpdates},
	{"training.playing", Unwise, otherGames},
	{"training.magnet", Unwise, otherTargets},
	{"training.uniform_magnet", Unwise, otherTargets},
	{"training.policy_loss", Unwise, otherUpdates},
	{"training.value_weight", Unwise, otherTargets},
	{"training.label_weight", Unwise, otherTargets},
	{"training.belief_weight", Unwise, otherTargets},
	{"training.value_mix", Unwise, otherTargets},
	{"training.value_lambda", Unwise, otherTargets},
	{"training.fast_positions", Unwise, otherTargets},

	{"replay.games", Unwise, "the replay window would have another size from now on"},
	{"replay.growth", Unwise, "the replay window would have another size from now on"},
	{"replay.held_out", Unwise, otherFraction},

	{"evaluation.", Taken, ""},
	{"checkpoints.", Taken, ""},
	{"metrics.", Taken, ""},
}
