package player

import (
	"fmt"
	"os"
	"path/filepath"

	"tengen/configs"
	"tengen/game"
	"tengen/internal/notation"
	"tengen/run"
)

// elsewhere stands for the path of a network that the reader gets in another way.
const elsewhere = "network"

// Elsewhere describes a player, written as Parse reads it, to a process that does not have its
// files: the text without the path of its network, and the configuration of the run that the
// network belongs to, nil for none. NewElsewhere makes the player there. It returns an error if the
// player needs other files.
func Elsewhere(text string) (without string, config *configs.Config, err error) {
	s, err := read(text)
	if err != nil {
		return "", nil, fmt.Errorf("player %.200q: %w", text, err)
	}
	if key, path := keptFile(s); path != "" {
		return "", nil, fmt.Errorf("player %.200q: %s=%.200s is a file of this machine",
			text, key, path)
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

// NewElsewhere makes a player of g that Elsewhere has described. model is the file of its network;
// a player without a network has none. It opens no file that the text names.
func NewElsewhere(g game.Game, text string, model []byte, config *configs.Config) (Player, error) {
	s, err := notation.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("player %.200q: %w", text, err)
	}
	want := ""
	if model != nil {
		want = elsewhere
	}
	if _, file := keptFile(s); s.Bare != want || file != "" {
		return nil, fmt.Errorf("player %.200q: it names a file", text)
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
	s.Bare = path
	return Parse(g, s.String())
}

// keptFile returns the key of a player that names a file of this machine, and the file; "" if none
// does.
func keptFile(s *notation.Spec) (key, path string) {
	for _, key := range fileKeys {
		if path := s.Arg(key); path != "" && !(key == beliefKey && path == noBelief) {
			return key, path
		}
	}
	return "", ""
}
