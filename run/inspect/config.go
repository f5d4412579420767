package inspect

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"tengen/configs"
	"tengen/game"
	"tengen/run"
)

// Configuration is the part of a run's configuration that reports show.
type Configuration struct {
	Game       string `json:"game"` // canonical
	Algorithm  string `json:"algorithm"`
	Iterations int    `json:"iterations"` // configured
	// the last iteration made with it, if another configuration followed
	Until *int `json:"until,omitempty"`
}

// maxConfig is the greatest size of a configuration, in bytes.
const maxConfig = 1 << 20

// configuration reads a configuration. It returns nil if the file is damaged.
func (i *inspector) configuration(path string) (*Configuration, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxConfig+1))
	if err != nil {
		return nil, err
	}
	if len(text) > maxConfig {
		i.found.damaged(Finding{
			Path: path, What: fmt.Sprintf("a configuration has up to %d bytes", maxConfig),
		})
		return nil, nil
	}
	until, earlier := run.EarlierConfigOf(filepath.Base(path))
	resolved, err := configs.Resolve(configs.Options{Name: path, Text: text})
	if err != nil {
		i.found.damaged(inConfig(path, err))
		return nil, nil
	}
	c := &resolved.Config
	found := &Configuration{
		Game: canonical(c.Game), Algorithm: string(c.Algorithm), Iterations: c.Training.Iterations,
	}
	if earlier {
		found.Until = &until
	}
	return found, nil
}

// inConfig returns the finding for an error of configs.Resolve, which begins with the path
// and usually the line.
func inConfig(path string, err error) Finding {
	rest, ok := strings.CutPrefix(err.Error(), path+":")
	if !ok {
		return Finding{Path: path, What: err.Error()}
	}
	if number, what, ok := strings.Cut(rest, ": "); ok {
		if line, err := strconv.Atoi(number); err == nil {
			return Finding{Path: path, Line: line, What: what}
		}
	}
	return Finding{Path: path, What: strings.TrimSpace(rest)}
}

// canonical returns the canonical name of a game, or the name itself for an unknown game.
func canonical(name string) string {
	if g, err := game.New(name); err == nil {
		return g.Name()
	}
	return name
}
