package configs

import (
	"errors"
	"fmt"
	"math"
	"net"
	"slices"
	"strconv"
	"strings"

	"tengen/game"
	"tengen/internal/notation"
)

// rule is the limits of one key.
type rule struct {
	key  string
	want string          // completes "… is wanted"
	ok   func(any) bool  // reports whether a value is valid; nil if fail is set
	fail func(any) error // returns what is wrong with a value, for rules that want can't describe
}

// MaxSimulations is the maximum number of simulations or iterations a move in a
// configuration, a player's name or a flag. Searches accept more.
const MaxSimulations = 10 * million

// MaxInference is the maximum number of worlds of Search.Inference and Search.Belief.
const MaxInference = 100_000

const (
	million = 1_000_000
	billion = 1_000_000_000
)

// rules are the limits of every key, in the order of the keys.
var rules = []rule{
	{key: "seed", want: "a whole number from 0", ok: func(any) bool { return true }},
	{key: "game", want: "a game, such as go:size=5,players=3,", fail: gameError},
	choice("algorithm", AlgorithmAlphaZero, AlgorithmDescent),

	whole("network.blocks", 0, 100),
	whole("network.filters", 1, 4096),
	whole("network.hidden", 1, 65536),
	choice("network.policy", "auto", "conv", "conv+pass", "dense", "none"),
	choice("network.value", "auto", "categorical", "linear"),

	whole("search.simulations", 0, MaxSimulations),
	number("search.c_puct", 0, 1000),
	choice("search.fpu", FPUZero, FPUParent),
	number("search.fpu_reduction", 0, 1),
	choice("search.root", RootPUCT, RootGumbel),
	whole("search.considered", 0, 65536),
	number("search.c_visit", 0, million),
	number("search.c_scale", 0, 1000),
	choice("search.q_scaling", QScalingRange, QScalingNone),
	choice("search.interior", InteriorImproved, InteriorPUCT, InteriorPolicy),
	choice("search.choice", ChoiceVisits, ChoiceLCB),
	choice("search.outcomes", OutcomesSampled, OutcomesBalanced),
	boolean("search.proofs"),
	choice("search.observers", ObserversSingle, ObserversMultiple),
	whole("search.inference", 0, MaxInference),
	whole("search.belief", 0, MaxInference),
	boolean("search.rollouts"),
	number("search.noise_weight", 0, 1),
	boolean("search.reuse_tree"),
	whole("search.max_nodes", 0, billion),
	whole("search.leaves", 1, 256),
	whole("search.fast_simulations", 0, MaxSimulations),
	above("search.full_probability", 0, 1),
	boolean("search.canonical"),
	boolean("search.afterstates"),

	choice("descent.search", SearchDescent, SearchUBFM),
	whole("descent.iterations", 1, MaxSimulations),
	{key: "descent.terminal", want: "result, score, depth, or several of them joined by +,",
		ok: terminal},
	choice("descent.targets", TargetsTree, TargetsRoot, TargetsTerminal),
	choice("descent.exploration", ExploreOrdinal, ExploreNone),
	number("descent.explore_end", 0, 1),
	whole("descent.max_nodes", 0, 1<<27),

	number("play.temperature", 0, 10),
	whole("play.temperature_plies", 0, million),
	number("play.late_temperature", 0, 10),
	whole("play.random_plies", 0, million),
	number("play.epsilon", 0, 1),

	choice("warm_start.schedule",
		WarmStartFormula, WarmStartLinear, WarmStartConstant, WarmStartNone),
	number("warm_start.start", 0, 1),
	whole("warm_start.simulations", 1, MaxSimulations),
	choice("warm_start.utility", "points", "unit"),
	whole("warm_start.initial_games", 0, 10*million),
	number("warm_start.initial_epochs", 0, 1000),
	boolean("warm_start.policy_target"),

	number("resignation.false_positives", 0, 0.5),

	whole("selfplay.workers", 0, 1024),
	whole("selfplay.games_per_worker", 1, 65536),
	whole("selfplay.device_games_per_worker", 0, 65536),
	whole("selfplay.cache_mib", 0, 1<<20),

	whole("training.iterations", 1, million),
	number("training.minutes", 0, million),
	whole("training.evaluations", 0, million*million),
	choice("training.cycle", CycleSynchronous, CyclePipelined, CycleAsynchronous),
	whole("training.games", 1, 10*million),
	whole("training.batch", 1, 65536),
	above("training.epochs", 0, 1000),
	whole("training.max_steps", 0, billion),
	choice("training.optimizer", "sgd", "adam"),
	above("training.learning_rate", 0, 10),
	choice("training.schedule", "constant", "cosine", "plateau"),
	whole("training.warmup_steps", 0, billion),
	whole("training.plateau_iterations", 1, million),
	number("training.momentum", 0, 0.9999),
	number("training.l2", 0, 1),
	number("training.weight_decay", 0, 10),
	number("training.grad_clip_norm", 0, million),
	number("training.ema_decay", 0, 0.999999),
	choice("training.playing", PlayingAveraged, PlayingNewest),
	number("training.magnet", 0, 0.99),
	number("training.uniform_magnet", 0, 0.99),
	choice("training.policy_loss", PolicyCrossEntropy, PolicyLogits),
	number("training.value_weight", 0, 1000),
	number("training.label_weight", 0, 1000),
	number("training.belief_weight", 0, 1000),
	number("training.value_mix", 0, 1),
	number("training.value_lambda", 0, 1),
	choice("training.fast_positions", FastValue, FastNone),

	whole("replay.games", 1, 100*million),
	number("replay.growth", 0, 1),
	number("replay.held_out", 0, 0.5),

	whole("evaluation.every", 0, million),
	whole("evaluation.games", 1, million),
	whole("evaluation.simulations", 1, MaxSimulations),
	whole("evaluation.ruler_games", 0, million),

	whole("checkpoints.keep_last", 1, million),

	{key: "metrics.address", want: `host:port, such as 127.0.0.1:9464, or ""`, ok: address},
}

// relations are the limits between keys. key is the one that errors name.
var relations = []struct {
	key  string
	want string
	ok   func(*Config) bool
}{
	{"network.policy", "none is wanted by algorithm=descent", func(c *Config) bool {
		return c.Algorithm != AlgorithmDescent || c.Network.Policy == "auto" ||
			c.Network.Policy == "none"
	}},
	{"network.policy", "none is wanted by search.afterstates, which needs no policy",
		func(c *Config) bool {
			return !c.Search.Afterstates || c.Network.Policy == "auto" || c.Network.Policy == "none"
		}},
	{"network.policy", "a policy head is wanted by algorithm=alphazero", func(c *Config) bool {
		return c.Algorithm != AlgorithmAlphaZero || c.Search.Afterstates ||
			c.Network.Policy != "none"
	}},
	{"network.value", "linear is wanted by algorithm=descent", func(c *Config) bool {
		return c.Algorithm != AlgorithmDescent || c.Network.Value == "auto" ||
			c.Network.Value == "linear"
	}},
	{"resignation.false_positives",
		"0 is wanted by algorithm=descent, whose searches go on to the end of games",
		func(c *Config) bool {
			return c.Resignation.FalsePositives == 0 || c.Algorithm != AlgorithmDescent
		}},
	{"search.simulations", "at least 1 is wanted, unless search.afterstates with search.root=gumbel plays by values alone", func(c *Config) bool {
		return c.Search.Simulations > 0 || c.Search.Afterstates && c.Search.Root == RootGumbel
	}},
	{"search.fast_simulations", "fewer than search.simulations are wanted", func(c *Config) bool {
		return c.Search.FastSimulations == 0 || c.Search.FastSimulations < c.Search.Simulations
	}},
	{"search.full_probability", "1 is wanted while search.fast_simulations is 0",
		func(c *Config) bool {
			return c.Search.FullProbability == 1 || c.Search.FastSimulations > 0
		}},
	{"training.value_lambda", "1 is wanted by algorithm=descent; see descent.targets",
		func(c *Config) bool {
			return c.Algorithm != AlgorithmDescent || c.Training.ValueLambda == 1
		}},
	{"training.label_weight", "0 is wanted by a game without auxiliary targets",
		func(c *Config) bool {
			if c.Training.LabelWeight == 0 {
				return true
			}
			g, err := game.New(c.Game)
			if err != nil {
				return true // the key game has failed
			}
			cells, seats := game.AuxiliaryTargetsOf(g)
			return len(cells)+len(seats) > 0
		}},
	{"training.label_weight",
		"0 is wanted by descent.targets=tree, whose states the game need not have reached",
		func(c *Config) bool {
			return c.Training.LabelWeight == 0 || c.Algorithm != AlgorithmDescent ||
				c.Descent.Targets != TargetsTree
		}},
	{"training.belief_weight", "0 is wanted by a game that offers no hidden facts",
		func(c *Config) bool {
			if c.Training.BeliefWeight == 0 {
				return true
			}
			g, err := game.New(c.Game)
			return err != nil || len(game.HiddenFactsOf(g)) > 0 // or else the key game has failed
		}},
	{"training.fast_positions", "value is wanted while search.fast_simulations is 0",
		func(c *Config) bool {
			return c.Training.FastPositions == FastValue || c.Search.FastSimulations > 0
		}},
	{"search.belief",
		"0 is wanted while training.belief_weight is 0: the network has no head for it",
		func(c *Config) bool {
			return c.Search.Belief == 0 || c.Training.BeliefWeight > 0
		}},
	{"search.belief",
		"0 is wanted while search.inference is above 0: what is hidden is drawn by one of them",
		func(c *Config) bool {
			return c.Search.Belief == 0 || c.Search.Inference == 0
		}},
	{"play.random_plies", "0 is wanted by algorithm=descent", func(c *Config) bool {
		return c.Play.RandomPlies == 0 || c.Algorithm != AlgorithmDescent
	}},
	{"search.afterstates", "false is wanted by algorithm=descent", func(c *Config) bool {
		return !c.Search.Afterstates || c.Algorithm != AlgorithmDescent
	}},
	{"search.afterstates", "false is wanted by a game that has no chance, or does not show positions before its outcomes", func(c *Config) bool {
		g, err := game.New(c.Game)
		return !c.Search.Afterstates || err != nil || game.ObservesAfterstates(g)
	}},
	{"search.afterstates",
		"false is wanted while training.fast_positions is none: afterstates have no policy",
		func(c *Config) bool {
			return !c.Search.Afterstates || c.Training.FastPositions != FastNone
		}},
	{"search.outcomes", "sampled is wanted by algorithm=descent", func(c *Config) bool {
		return c.Search.Outcomes == OutcomesSampled || c.Algorithm != AlgorithmDescent
	}},
	{"search.outcomes", "sampled is wanted by a game that has no chance", func(c *Config) bool {
		g, err := game.New(c.Game)
		return c.Search.Outcomes == OutcomesSampled || err != nil || game.HasChance(g)
	}},
	{"search.proofs", "false is wanted by algorithm=descent, which proves values in any case",
		func(c *Config) bool {
			return !c.Search.Proofs || c.Algorithm != AlgorithmDescent
		}},
	{"search.belief", "0 is wanted by algorithm=descent, whose search draws nothing",
		func(c *Config) bool {
			return c.Search.Belief == 0 || c.Algorithm != AlgorithmDescent
		}},
	{"search.rollouts", "false is wanted without search.root=gumbel and search.interior=policy: simulations would not follow the policies", func(c *Config) bool {
		return !c.Search.Rollouts ||
			c.Search.Root == RootGumbel && c.Search.Interior == InteriorPolicy
	}},
	{"training.evaluations",
		"0 is wanted while training.minutes is above 0: schedules follow one of them",
		func(c *Config) bool {
			return c.Training.Evaluations == 0 || c.Training.Minutes == 0
		}},
	{"training.evaluations", "0 is wanted while warm_start.start is 1: UCT would play all games, and schedules would not move", func(c *Config) bool {
		return c.Training.Evaluations == 0 || c.WarmStart.Start < 1 ||
			c.WarmStart.Schedule == WarmStartNone
	}},
	{"training.playing",
		"averaged is wanted while training.ema_decay is 0: there are no other weights",
		func(c *Config) bool {
			return c.Training.Playing == PlayingAveraged || c.Training.EMADecay > 0
		}},
	{"training.magnet",
		"0 is wanted by training.playing=averaged: the policy would be its own magnet",
		func(c *Config) bool {
			return c.Training.Magnet == 0 || c.Training.Playing == PlayingNewest
		}},
	{"training.magnet", "0 is wanted by algorithm=descent, which has no policy",
		func(c *Config) bool {
			return c.Training.Magnet == 0 || c.Algorithm != AlgorithmDescent
		}},
	{"training.uniform_magnet", "0 is wanted by algorithm=descent, which has no policy",
		func(c *Config) bool {
			return c.Training.UniformMagnet == 0 || c.Algorithm != AlgorithmDescent
		}},
	{"training.uniform_magnet",
		"less than 1 - training.magnet is wanted: nothing would be left of the search's policy",
		func(c *Config) bool {
			return c.Training.UniformMagnet == 0 || c.Training.Magnet+c.Training.UniformMagnet < 1
		}},
	{"training.policy_loss", "cross_entropy is wanted by algorithm=descent, which has no policy",
		func(c *Config) bool {
			return c.Training.PolicyLoss == PolicyCrossEntropy || c.Algorithm != AlgorithmDescent
		}},
	{"training.schedule", "games are held out for plateau: replay.held_out above 0 is wanted",
		func(c *Config) bool {
			return c.Training.Schedule != "plateau" || c.Replay.HeldOut > 0
		}},
}

// violation is a value that breaks a rule.
type violation struct{ key, value, problem string }

func (v *violation) Error() string { return fmt.Sprintf("%s=%s: %s", v.key, v.value, v.problem) }

// Validate returns an error about the first invalid value, in the order of rules and
// then relations, which says what would be valid.
func (c *Config) Validate() error {
	for _, r := range rules {
		if err := r.check(c); err != nil {
			return err
		}
	}
	for _, r := range relations {
		if !r.ok(c) {
			return &violation{r.key, format(byKey[r.key].of(c)), r.want}
		}
	}
	return nil
}

// ruleOf maps keys to their rules.
var ruleOf = func() map[string]rule {
	m := make(map[string]rule, len(rules))
	for _, r := range rules {
		m[r.key] = r
	}
	return m
}()

// check returns a *violation if the key's value in c breaks the rule.
func (r rule) check(c *Config) error {
	v := byKey[r.key].of(c)
	switch {
	case r.fail != nil:
		if err := r.fail(v.Interface()); err != nil {
			return &violation{r.key, format(v), err.Error()}
		}
	case !r.ok(v.Interface()):
		return &violation{r.key, format(v), r.problem(format(v))}
	}
	return nil
}

// problem returns what would be valid in place of text.
func (r rule) problem(text string) string {
	words, isChoice := strings.CutPrefix(r.want, "one of ")
	if isChoice {
		return r.want + " is wanted" + notation.DidYouMean(text, strings.Split(words, ", "))
	}
	return r.want + " is wanted"
}

func whole(key string, lo, hi int) rule {
	return rule{key: key,
		want: fmt.Sprintf("a whole number from %d to %d", lo, hi), ok: func(v any) bool {
			return v.(int) >= lo && v.(int) <= hi
		}}
}

func number(key string, lo, hi float64) rule {
	return rule{key: key,
		want: fmt.Sprintf("a number from %s to %s",
			decimal(lo), decimal(hi)), ok: func(v any) bool {
			return v.(float64) >= lo && v.(float64) <= hi
		}}
}

func above(key string, lo, hi float64) rule {
	return rule{key: key,
		want: fmt.Sprintf("a number above %s, to %s,",
			decimal(lo), decimal(hi)), ok: func(v any) bool {
			return v.(float64) > lo && v.(float64) <= hi
		}}
}

func boolean(key string) rule {
	return rule{key: key, want: "true or false", ok: func(any) bool { return true }}
}

func choice[T ~string](key string, words ...T) rule {
	want := "one of "
	for i, w := range words {
		if i > 0 {
			want += ", "
		}
		want += string(w)
	}
	return rule{key: key, want: want, ok: func(v any) bool { return slices.Contains(words, v.(T)) }}
}

// terminal checks the evaluation of finished games: words joined by +, none twice.
func terminal(v any) bool {
	words := strings.Split(v.(string), "+")
	for i, w := range words {
		if w != "result" && w != "score" && w != "depth" || slices.Contains(words[:i], w) {
			return false
		}
	}
	return true
}

func address(v any) bool {
	if v.(string) == "" {
		return true
	}
	_, port, err := net.SplitHostPort(v.(string))
	if err != nil {
		return false
	}
	n, err := strconv.Atoi(port)
	return err == nil && n >= 0 && n <= math.MaxUint16
}

// gameError returns the error of constructing the game, nil if there is none.
func gameError(v any) error {
	_, err := game.New(v.(string))
	if err == nil {
		return nil
	}
	// The violation gives the text itself already.
	return errors.New(strings.TrimPrefix(err.Error(), fmt.Sprintf("game %.200q: ", v)))
}

func decimal(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }
