package configs

import (
	"embed"
	"strings"
)

//go:embed *.yaml
var presets embed.FS

// DefaultPreset is the preset of a run that names none.
const DefaultPreset = "quick"

// PresetNames lists the presets, by name.
func PresetNames() []string {
	entries, err := presets.ReadDir(".")
	if err != nil {
		panic(err) // the folder is part of the program
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = strings.TrimSuffix(e.Name(), ".yaml")
	}
	return names
}

// presetPath is where a preset lies in the source tree.
func presetPath(name string) string { return "configs/" + name + ".yaml" }

func preset(name string) ([]byte, bool) {
	if strings.ContainsAny(name, `./\`) {
		return nil, false
	}
	text, err := presets.ReadFile(name + ".yaml")
	return text, err == nil
}
