package player

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"tengen/configs"
	"tengen/game"
	"tengen/internal/spec"
	"tengen/run"
)

// elsewhere stands for the path of a network that the reader gets in another way.
const elsewhere = "network"

// Elsewhere describes a player, written as Parse reads it, to a process that does not have its files: the text without the path of
// its network, and the configuration of the run that the network belongs to, nil for none. NewElsewhere makes the player there. It returns
// an error if the player needs other files.
func Elsewhere(text string) (without string, config *configs.Config, err error) {
	s, err := spec.Parse(text)
	if err != nil {
		return "", nil, fmt.Errorf("player %.200q: %w", text, err)
	}
	if path := BeliefNetwork(text); path != "" {
		return "", nil, fmt.Errorf("player %q: belief=%s is a file of this machine", text, path)
	}
	if s.Bare == "" {
		return text, nil, nil
	}
	if config, err = runOf(s.Bare); err != nil {
		return "", nil, fmt.Errorf("player %.200q: %w", text, err)
	}
	s.Bare = elsewhere
	return s.String(), config, nil
}

// NewElsewhere makes a player of g that Elsewhere has described. model is the file of its network; a player without a network has none. It opens no
// file that the text names.
func NewElsewhere(g game.Game, text string, model []byte, config *configs.Config) (Player, error) {
	s, err := spec.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("player %.200q: %w", text, err)
	}
	want := ""
	if model != nil {
		want = elsewhere
	}
	if s.Bare != want || BeliefNetwork(text) != "" {
		return nil, fmt.Errorf("player %q: it names a file", text)
	}
	if model == nil {
		return Parse(g, text)
	}
	dir, err := os.MkdirTemp("", "tengen-player-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir) // Parse has read it
	folder := run.Folder(dir)
	if config != nil {
		written, err := config.YAML()
		if err == nil {
			err = os.Mkdir(folder.Checkpoints(), 0o755)
		}
		if err == nil {
			err = os.WriteFile(folder.Config(), written, 0o644)
		}
		if err != nil {
			return nil, err
		}
	}
	path := filepath.Join(dir, elsewhere)
	if err := os.WriteFile(path, model, 0o644); err != nil {
		return nil, err
	}
	if s.Bare, err = quotable(path); err != nil {
		return nil, err
	}
	return Parse(g, s.String())
}

// quotable returns a path, or an error if a text that Parse reads can't name it.
func quotable(path string) (string, error) {
	if strings.ContainsAny(path, ",=[]") {
		return "", fmt.Errorf("the folder of temporary files, %s, has a character that the name of a player can't have: another TMPDIR is wanted", filepath.Dir(path))
	}
	return path, nil
}
