// Package configs holds the configuration of a run: its keys, their defaults,
// their limits, and the presets.
//
// A configuration is a [Config]: groups of keys, each with a type, a unit and a
// range, all documented there. It is put together from four layers, the later
// ones winning:
//
//	defaults                              Default
//	a preset (quick) or a file (my.yaml)  YAML
//	the environment                       TENGEN_SEARCH_SIMULATIONS=90
//	the command line                      --set search.simulations=90
//
// [Resolve] does so, checks the result, and says where each value came from.
// Whatever is wrong is one line with its place:
//
//	configs/quick.yaml:12: unknown key "simulatons" (did you mean "simulations"?)
//	TENGEN_TRAINING_BATCH=many: a whole number from 1 to 65536 is wanted
//
// A resolved configuration writes itself out ([Config.YAML]) with every default
// in it, and loads back equal: a run's folder holds that text, so that a change
// of defaults never changes a run that has begun.
//
//	r, err := configs.Resolve(configs.Options{Name: "quick", Set: []string{"seed=7"}})
//	r.Config.Search.Simulations  // 180
//	r.Sources["seed"]            // --set
//
// A new key is a field with its documentation in config.go, its default in
// defaults.go and its limits in rules.go; tests see to it that none is forgotten.
//
// Caveats: a game is checked by making it, so the games that a configuration may
// name must have been registered (import tengen/game/all). Anchors, aliases and
// tags of YAML are refused.
package configs
