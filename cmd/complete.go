package cmd

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"tengen/checkpoints/pretrained"
	"tengen/configs"
	"tengen/game"
	"tengen/internal/notation"
	"tengen/nn/backend"
	"tengen/player"
)

// completes says whether arguments are those with which shells ask for completions.
func completes(args []string) bool {
	return len(args) > 0 &&
		(args[0] == cobra.ShellCompRequestCmd || args[0] == cobra.ShellCompNoDescRequestCmd)
}

// addCompletion has shells complete presets, games, players and keys of configurations, in every
// command of root that takes them. Files are completed besides, since all of these may be paths
// too. Cobra holds the commands for as long as the process lives.
func addCompletion(root *cobra.Command) {
	for _, c := range root.Commands() {
		addCompletion(c)
	}
	for flag, words := range map[string]func(string) []string{
		"set": setWords, "game": gameWords, "device": deviceWords, "against": playerWords,
	} {
		if c := root; c.Flags().Lookup(flag) != nil {
			// it fails only for flags that are not there
			_ = c.RegisterFlagCompletionFunc(flag, completion(words))
		}
	}
	use := root.Use
	var kinds []func(string) []string
	for _, k := range []struct {
		name  string
		words func(string) []string
	}{{"CONFIG", presetWords}, {"GAME", gameWords}, {"PLAYER", playerWords}, {"KEY", keyWords}} {
		if strings.Contains(use, k.name) {
			kinds = append(kinds, k.words)
		}
	}
	if kinds != nil && root.ValidArgsFunction == nil {
		root.ValidArgsFunction = completion(kinds...)
	}
}

// completion completes a word by those that begin with it, each followed by a tab and what it
// means.
func completion(words ...func(begun string) []string) cobra.CompletionFunc {
	return func(_ *cobra.Command, _ []string, begun string) ([]string, cobra.ShellCompDirective) {
		var list []string
		directive := cobra.ShellCompDirectiveDefault
		for _, f := range words {
			for _, w := range f(begun) {
				if !strings.HasPrefix(w, begun) {
					continue
				}
				list = append(list, w)
				if word, _, _ := strings.Cut(w, "\t"); strings.HasSuffix(word, "=") ||
					strings.HasSuffix(word, ":") {
					directive |= cobra.ShellCompDirectiveNoSpace
				}
			}
		}
		return list, directive
	}
}

func presetWords(string) []string { return configs.PresetNames() }

func keyWords(string) []string { return configs.Keys() }

func deviceWords(string) []string {
	return []string{backend.Auto, backend.CPU, "cuda", "cuda:"}
}

// setWords are KEY= for each key with its unit, or the values that a begun KEY=VALUE may have.
func setWords(begun string) []string {
	if key, _, ok := strings.Cut(begun, "="); ok {
		list, err := configs.Describe(key)
		if err != nil || len(list) != 1 {
			return nil
		}
		d := list[0]
		values := []string{d.Default}
		for _, p := range d.Presets {
			values = append(values, p.Value)
		}
		if choices, ok := strings.CutPrefix(d.Limits, "one of "); ok {
			values = strings.Split(choices, ", ")
		}
		if d.Limits == "true or false" {
			values = []string{"true", "false"}
		}
		for i, v := range values {
			values[i] = key + "=" + v
		}
		return values
	}
	list, err := configs.Describe("")
	if err != nil {
		return nil
	}
	words := make([]string, len(list))
	for i, d := range list {
		words[i] = d.Key + "=\t" + strings.TrimSpace(d.Unit+" default "+d.Default)
	}
	return words
}

// gameWords are the games, and after a colon their parameters.
func gameWords(begun string) []string {
	name, parameters, ok := strings.Cut(begun, ":")
	var list []string
	for _, f := range game.Families() {
		if !ok {
			list = append(list, f.Name+"\t"+f.Summary)
		} else if f.Name == name {
			list = append(list, keysAfter(begun, parameters, f.Params)...)
		}
	}
	return list
}

// playerWords are the kinds of players, those with a network before its path, and after a colon
// their keys.
func playerWords(begun string) []string {
	name, parameters, ok := strings.Cut(begun, ":")
	list := []string{human}
	for _, k := range player.Kinds() {
		switch {
		case ok && k.Name == name:
			if k.Path && !strings.Contains(parameters, ",") {
				for _, n := range pretrained.Networks {
					list = append(list, name+":"+n.Name)
				}
				continue
			}
			list = append(list, keysAfter(begun, parameters, k.Params)...)
		case !ok && k.Path:
			list = append(list, k.Name+":\t"+k.Summary)
		case !ok:
			list = append(list, k.Name+"\t"+k.Summary)
		}
	}
	return list
}

// keysAfter are the words that complete the last KEY= of begun, which ends with parameters.
func keysAfter(begun, parameters string, params []notation.Param) []string {
	last := parameters[strings.LastIndexByte(parameters, ',')+1:]
	if strings.Contains(last, "=") {
		return nil
	}
	before := strings.TrimSuffix(begun, last)
	var list []string
	for _, p := range params {
		if !slices.Contains(strings.FieldsFunc(parameters, func(r rune) bool {
			return r == ',' || r == '='
		}), p.Key) {
			list = append(list, before+p.Key+"=\t"+p.Help)
		}
	}
	return list
}
