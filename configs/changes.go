package configs

import (
	"strings"
)

// Change is a key whose value differs between two configurations.
type Change struct {
	Key string `json:"key"`
	Old string `json:"old"` // as on the command line
	New string `json:"new"`
}

// String is "training.learning_rate: 0.001 → 0.0005".
func (c Change) String() string {
	show := func(v string) string {
		if v == "" {
			return `""`
		}
		return v
	}
	return c.Key + ": " + show(c.Old) + " → " + show(c.New)
}

// Changes lists the keys in which b differs from a, in the order of the file.
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

// Resumption says what becomes of a change when a run that has begun is resumed with it.
type Resumption int

// Resumptions.
const (
	// Taken: it says how the run is made and watched, or how it goes on learning.
	Taken Resumption = iota
	// Unwise: the run can go on with it, but what comes is not of one piece with
	// what the run has done. It is taken where somebody asks for that very key.
	Unwise
	// Impossible: what the run has does not fit it.
	Impossible
)

// OnResume says what becomes of a change, and, unless it is taken, why.
func (c Change) OnResume() (r Resumption, why string) {
	if c.Key == "training.ema_decay" && (c.Old == "0" || c.New == "0") {
		return Impossible, "the checkpoint's averaged weights come or go with it"
	}
	for _, rule := range resumptions {
		if c.Key == rule.key || strings.HasSuffix(rule.key, ".") && strings.HasPrefix(c.Key, rule.key) {
			return rule.r, rule.why
		}
	}
	panic("configs: key without a rule for resuming: " + c.Key)
}

// Reasons that several keys share.
const (
	otherGames    = "the games of the replay window were played otherwise"
	otherTargets  = "the network has learned from other targets so far"
	otherNetwork  = "the checkpoint holds a network of another shape"
	firstOfAll    = "the run's first iteration is made with it"
	otherGating   = "networks were let through otherwise so far"
	otherUpdates  = "updates were made otherwise so far"
	otherFraction = "games that were learned from would be held out, or the reverse"
)

// resumptions are the rules of OnResume. The first that matches counts: a key, or
// a group where it ends in a dot.
var resumptions = []struct {
	key string
	r   Resumption
	why string
}{
	{"seed", Impossible, "everything that the run has drawn came from it"},
	{"game", Impossible, "its network and its games are of the other"},
	{"algorithm", Impossible, "its network and its games are of the other"},
	{"network.", Impossible, otherNetwork},

	{"search.", Unwise, otherGames},
	{"descent.targets", Impossible, "the games of the replay window were recorded for the others"},
	{"descent.", Unwise, otherGames},
	{"play.", Unwise, otherGames},
	{"warm_start.initial_games", Impossible, firstOfAll},
	{"warm_start.initial_epochs", Impossible, firstOfAll},
	{"warm_start.", Unwise, otherGames},

	{"selfplay.", Taken, ""},

	{"training.iterations", Taken, ""},
	{"training.minutes", Taken, ""},
	{"training.optimizer", Impossible, "the checkpoint holds the other's state"},
	{"training.learning_rate", Taken, ""},
	{"training.schedule", Taken, ""},
	{"training.warmup_steps", Taken, ""},
	{"training.step_iterations", Taken, ""},
	{"training.step_factor", Taken, ""},
	{"training.grad_clip_norm", Taken, ""},
	{"training.games", Unwise, otherUpdates},
	{"training.batch", Unwise, otherUpdates},
	{"training.epochs", Unwise, otherUpdates},
	{"training.max_steps", Unwise, otherUpdates},
	{"training.momentum", Unwise, otherUpdates},
	{"training.l2", Unwise, otherUpdates},
	{"training.ema_decay", Unwise, otherUpdates},
	{"training.value_weight", Unwise, otherTargets},
	{"training.value_mix", Unwise, otherTargets},
	{"training.symmetries", Unwise, otherTargets},

	{"replay.games", Unwise, "the window would be another from now on"},
	{"replay.keep_all", Taken, ""},
	{"replay.held_out", Unwise, otherFraction},

	{"evaluation.gate", Impossible, "the run began with or without a gate, and keeps it"},
	{"evaluation.gate_games", Unwise, otherGating},
	{"evaluation.gate_simulations", Unwise, otherGating},
	{"evaluation.gate_confidence", Unwise, otherGating},
	{"evaluation.", Taken, ""},
	{"checkpoints.", Taken, ""},
	{"metrics.", Taken, ""},
}
