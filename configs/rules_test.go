package configs

import (
	"reflect"
	"slices"
	"strings"
	"testing"
)

// Every key has one rule, in the order of the keys, and an environment variable of its own.
func TestRulesAreComplete(t *testing.T) {
	var ruled []string
	for _, r := range rules {
		ruled = append(ruled, r.key)
		if r.want == "" {
			t.Errorf("%s: the rule does not say what is wanted", r.key)
		}
	}
	if !slices.Equal(ruled, Keys()) {
		t.Errorf("rules are for\n%v\nkeys are\n%v", ruled, Keys())
	}
	for _, r := range relations {
		if _, ok := byKey[r.key]; !ok {
			t.Errorf("a relation names %s, which is no key", r.key)
		}
	}
	seen := map[string]string{}
	for _, key := range Keys() {
		name := EnvironmentName(key)
		if other, taken := seen[name]; taken {
			t.Errorf("%s is set by both %s and %s", name, key, other)
		}
		if injected.MatchString(name) {
			t.Errorf("%s would be ignored as a variable that a container runtime sets", name)
		}
		seen[name] = key
	}
}

func TestDefaultIsValid(t *testing.T) {
	c := Default()
	if err := c.Validate(); err != nil {
		t.Error(err)
	}
}

// Values outside their range are refused with the key in the error; the ends of ranges are
// accepted.
func TestLimits(t *testing.T) {
	for _, f := range fields {
		bad := map[reflect.Kind][]string{
			reflect.Int:     {"-1", "2000000000000"},
			reflect.Float64: {"-0.001", "2000000", "NaN", "+Inf", "-Inf"},
			reflect.String:  {"zzz"},
		}[f.of(new(Config)).Kind()]
		for _, text := range bad {
			c := Default()
			if err := f.set(&c, value{text: text}); err != nil {
				t.Errorf("%s=%s: not read: %v", f.key, text, err)
				continue
			}
			err := c.Validate()
			if err == nil {
				t.Errorf("%s=%s is accepted", f.key, text)
				continue
			}
			if !strings.HasPrefix(err.Error(), f.key+"=") {
				t.Errorf("%s=%s: the error is about something else: %v", f.key, text, err)
			}
		}
	}
	for _, good := range []string{
		"network.blocks=0", "network.filters=1", "search.simulations=1", "search.c_puct=0",
		"search.noise_weight=0", "search.noise_weight=1", "play.temperature=0",
		"search.max_nodes=0",
		"warm_start.initial_games=0",
		"training.momentum=0", "training.l2=0", "training.epochs=0.5", "training.value_mix=1",
		"replay.held_out=0", "evaluation.every=0",
		"metrics.address=", "metrics.address=:0", "metrics.address=[::1]:65535",
		"seed=18446744073709551615",
	} {
		if _, err := Resolve(Options{Set: []string{good}}); err != nil {
			t.Errorf("%s is refused: %v", good, err)
		}
	}
}

func TestZeroIsRefusedWhereItMeansNothing(t *testing.T) {
	for _, key := range []string{
		"network.filters", "network.hidden", "search.simulations", "search.full_probability",
		"warm_start.simulations", "selfplay.games_per_worker", "training.iterations",
		"training.games", "training.batch",
		"training.epochs", "training.learning_rate", "replay.games", "training.plateau_iterations",
		"evaluation.games", "evaluation.simulations", "checkpoints.keep_last",
	} {
		if _, err := Resolve(Options{Set: []string{key + "=0"}}); err == nil {
			t.Errorf("%s=0 is accepted", key)
		}
	}
}

func TestTerminal(t *testing.T) {
	for text, ok := range map[string]bool{
		"result": true, "score": true, "depth": true, "result+depth": true, "depth+score": true,
		"score+result+depth": true,
		"":                   false, "result+": false, "+depth": false, "result+result": false,
		"score, depth": false, "Result": false, "result + depth": false,
	} {
		c := Default()
		c.Descent.Terminal = text
		if err := c.Validate(); (err == nil) != ok {
			t.Errorf("descent.terminal=%q: %v", text, err)
		}
	}
}

func TestRelations(t *testing.T) {
	for _, test := range []struct {
		set  []string
		want string // "" if set is valid
	}{
		{[]string{"search.simulations=10", "search.fast_simulations=10"},
			"search.fast_simulations=10: fewer than search.simulations"},
		{[]string{
			"search.simulations=10", "search.fast_simulations=9", "search.full_probability=0.25",
		}, ""},
		{[]string{"search.full_probability=0.25"}, "search.full_probability=0.25: 1 is wanted"},
		{[]string{"training.fast_positions=none"},
			"training.fast_positions=none: value is wanted while search.fast_simulations is 0"},
		{[]string{
			"training.fast_positions=none", "search.fast_simulations=9",
			"search.full_probability=0.25",
		}, ""},
		{[]string{"training.label_weight=1"}, ""},
		{[]string{"training.label_weight=1", "game=mnk:rows=3,columns=3,in_row=3"},
			"training.label_weight=1: 0 is wanted by a game without auxiliary targets"},
		{[]string{"training.label_weight=1", "algorithm=descent"}, "training.label_weight=1: 0 is wanted by descent.targets=tree, whose states the game need not have reached"},
		{[]string{"training.label_weight=1", "algorithm=descent", "descent.targets=root"}, ""},
		{[]string{"training.belief_weight=0.1"},
			"training.belief_weight=0.1: 0 is wanted by a game that offers no hidden facts"},
		{[]string{"training.belief_weight=0.1", "game=turtle"}, ""},
		{[]string{"play.random_plies=9"}, ""},
		{[]string{"play.random_plies=9", "algorithm=descent"},
			"play.random_plies=9: 0 is wanted by algorithm=descent"},
		{[]string{"search.afterstates=true"}, "search.afterstates=true: false is wanted by a game that has no chance, or does not show positions before its outcomes"},
		{[]string{"search.afterstates=true", "game=turtle"}, "search.afterstates=true: false is wanted by a game that has no chance, or does not show positions before its outcomes"},
		{[]string{"search.afterstates=true", "game=tcg"}, ""},
		{[]string{"search.afterstates=true", "game=tcg", "algorithm=descent"},
			"search.afterstates=true: false is wanted by algorithm=descent"},
		{[]string{"search.outcomes=balanced"},
			"search.outcomes=balanced: sampled is wanted by a game that has no chance"},
		{[]string{"search.outcomes=balanced", "game=tcg"}, ""},
		{[]string{"search.outcomes=balanced", "game=tcg", "algorithm=descent"},
			"search.outcomes=balanced: sampled is wanted by algorithm=descent"},
		{[]string{"search.proofs=true"}, ""},
		{[]string{"search.proofs=true", "algorithm=descent"},
			"search.proofs=true: false is wanted by algorithm=descent"},
		{[]string{"search.belief=128"},
			"search.belief=128: 0 is wanted while training.belief_weight is 0"},
		{[]string{"game=kuhn", "search.belief=128", "training.belief_weight=1"}, ""},
		{[]string{
			"game=kuhn", "search.belief=128", "training.belief_weight=1", "search.inference=8",
		}, "search.belief=128: 0 is wanted while search.inference is above 0"},
		{[]string{
			"game=kuhn", "search.belief=128", "training.belief_weight=1", "algorithm=descent",
		}, "search.belief=128: 0 is wanted by algorithm=descent"},
		{[]string{"search.rollouts=true"}, "search.rollouts=true: false is wanted without search.root=gumbel and search.interior=policy"},
		{[]string{"search.rollouts=true", "search.root=gumbel"},
			"search.rollouts=true: false is wanted"},
		{[]string{"search.rollouts=true", "search.root=gumbel", "search.interior=policy"}, ""},
		{[]string{"training.playing=newest", "training.ema_decay=0"},
			"training.playing=newest: averaged is wanted while training.ema_decay is 0"},
		{[]string{"training.magnet=0.1", "training.ema_decay=0.9"},
			"training.magnet=0.1: 0 is wanted by training.playing=averaged"},
		{[]string{"training.magnet=0.1", "training.ema_decay=0.9", "training.playing=newest"}, ""},
		{[]string{
			"training.magnet=0.1", "training.ema_decay=0.9", "training.playing=newest",
			"algorithm=descent",
		}, "training.magnet=0.1: 0 is wanted by algorithm=descent"},
		{[]string{"training.uniform_magnet=0.1", "algorithm=descent"},
			"training.uniform_magnet=0.1: 0 is wanted by algorithm=descent"},
		{[]string{
			"training.uniform_magnet=0.1", "training.magnet=0.9", "training.ema_decay=0.9",
			"training.playing=newest",
		}, "training.uniform_magnet=0.1: less than 1 - training.magnet is wanted"},
		{[]string{"training.uniform_magnet=0.1"}, ""},
		{[]string{"training.policy_loss=logits", "algorithm=descent"},
			"training.policy_loss=logits: cross_entropy is wanted by algorithm=descent"},
		{[]string{"algorithm=descent", "training.value_lambda=0.9"},
			"training.value_lambda=0.9: 1 is wanted by algorithm=descent"},
		{[]string{"network.policy=none"},
			"network.policy=none: a policy head is wanted by algorithm=alphazero"},
		{[]string{"algorithm=descent", "network.policy=conv"},
			"network.policy=conv: none is wanted by algorithm=descent"},
		{[]string{"algorithm=descent", "network.value=categorical"},
			"network.value=categorical: linear is wanted by algorithm=descent"},
		{[]string{"algorithm=descent"}, ""},
		{[]string{"algorithm=descent", "network.policy=none", "network.value=linear"}, ""},
		{[]string{"training.schedule=plateau"}, ""},
		{[]string{"training.schedule=plateau", "replay.held_out=0"}, "training.schedule=plateau: games are held out for plateau: replay.held_out above 0 is wanted"},
	} {
		_, err := Resolve(Options{Set: test.set})
		if (err == nil) != (test.want == "") ||
			err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v: %v, want %q", test.set, err, test.want)
		}
	}
}
