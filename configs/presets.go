package configs

import (
	"embed"
	"slices"
	"strings"
)

//go:embed *.yaml
var presets embed.FS

// DefaultPreset is the preset that is used if none is named.
const DefaultPreset = "quick"

// PresetNames returns the names of the presets, sorted.
func PresetNames() []string {
	entries, err := presets.ReadDir(".")
	if err != nil {
		panic(err) // the folder is embedded in the program
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = strings.TrimSuffix(e.Name(), ".yaml")
	}
	slices.Sort(names) // without the suffix: kuhn before kuhn-three-players
	return names
}

// presetPath returns a preset's path in the source tree.
func presetPath(name string) string { return "configs/" + name + ".yaml" }

// preset returns a preset's text; it reports false if there is none of that name.
func preset(name string) ([]byte, bool) {
	if strings.ContainsAny(name, `./\`) {
		return nil, false
	}
	text, err := presets.ReadFile(name + ".yaml")
	return text, err == nil
}
