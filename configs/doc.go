// Package configs defines the configuration of a run: the keys, their defaults
// and limits, and the presets.
//
// A configuration is a [Config]: groups of keys, each with a type, a unit and a
// range, all documented there. It has four layers; later ones override earlier ones:
//
//	defaults                              Default
//	a preset (quick) or a file (my.yaml)  YAML
//	the environment                       TENGEN_SEARCH_SIMULATIONS=90
//	the command line                      --set search.simulations=90
//
// [Resolve] merges them, validates the result, and reports where each value came
// from. An error is one line that begins with its place:
//
//	configs/quick.yaml:12: unknown key "simulatons" (did you mean "simulations"?)
//	TENGEN_TRAINING_BATCH=many: a whole number from 1 to 65536 is wanted
//
// [Config.YAML] writes every key, defaults included, and reading that text gives
// an equal Config. A run's folder holds it, so that a change of defaults never
// changes an existing run.
//
//	r, err := configs.Resolve(configs.Options{Name: "quick", Set: []string{"seed=7"}})
//	r.Config.Search.Simulations  // 180
//	r.Sources["seed"]            // --set
//
// A new key needs a field with its documentation in config.go, a default in
// defaults.go, limits in rules.go and a rule for resuming in changes.go; tests
// check that they are there.
//
// Caveats: Validate constructs the game, so the games that a configuration may
// name must be registered (import tengen/game/all). Anchors, aliases and tags of
// YAML are refused.
package configs
